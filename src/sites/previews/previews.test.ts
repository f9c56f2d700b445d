import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { captureLog } from "../../../test/support/apps/log.ts";
import { type DatabasePool, openDatabase } from "../../platform/database-pool.ts";
import { createPreview, type PreviewInput } from "./index.ts";
import {
  deletePreviewsBefore,
  maxAccountBytes,
  maxPreviewBytes,
  maxPreviews,
  previewMs,
} from "./preview-store.ts";

let app: TestApp;
let database: DatabasePool;
before(async () => {
  app = await startTestApp();
  database = openDatabase({ connectionString: app.databaseUrl }, captureLog().log);
});
after(async () => {
  await database.close();
  await app.stop();
});

const contentSecurityPolicy = "default-src 'none'; style-src 'self'; frame-ancestors 'none'";
const html = "<!doctype html><html><head><title>Shop</title></head><body>Fine</body></html>";

function make(more: Partial<PreviewInput> = {}) {
  const input = { html, contentSecurityPolicy, ...more };
  return createPreview({ db: database.db, clock: app.clock }, app.owner.accountId, input);
}

const show = (path: string) => app.call("GET", path, { key: null });

async function countRows(table: "previews" | "preview_files"): Promise<number> {
  const { rows } = await app.query(`select count(*)::int as count from ${table}`);
  return rows[0].count;
}

test("anyone with the URL can view the document, and it is not cached or indexed", async () => {
  const { light, dark, expiresAt } = await make();
  assert.match(light, /^\/previews\/[\w-]{43}\/$/);
  assert.equal(dark, light);
  assert.equal(expiresAt.getTime(), app.clock.now().getTime() + previewMs);
  const shown = await show(light);
  assert.equal(shown.status, 200);
  assert.match(shown.text, /<body>Fine<\/body>/);
  assert.equal(shown.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(shown.headers.get("cache-control"), "private, no-store");
  assert.equal(shown.headers.get("x-robots-tag"), "noindex");
  assert.equal(shown.headers.get("referrer-policy"), "no-referrer");
  const { rows } = await app.query("select * from previews");
  const token = light.split("/")[2] ?? "";
  assert.ok(!JSON.stringify(rows).includes(token), "the token itself is not stored");
});

test("only the application may frame it, and its scripts have an opaque origin", async () => {
  const shown = await show((await make()).light);
  assert.equal(
    shown.headers.get("content-security-policy"),
    "default-src 'none'; style-src 'self'; frame-ancestors 'self'; sandbox allow-scripts",
  );
  // A link opens a new window, which the sandbox forbids.
  assert.match(shown.text, /<head><base target="_blank">/);
});

test("a script preserves the scroll position if the document allows scripts", async () => {
  const still = await make();
  assert.doesNotMatch((await show(still.light)).text, /<script/);
  assert.equal((await show(`${still.light}preview.js`)).status, 404);
  const policy = "default-src 'none'; script-src 'self'";
  const live = await make({ contentSecurityPolicy: policy, darkHtml: html });
  for (const address of [live.light, live.dark]) {
    assert.match((await show(address)).text, /<script src="\.\/preview\.js"><\/script>/);
  }
  const script = await show(`${live.light}preview.js`);
  assert.equal(script.headers.get("content-type"), "text/javascript; charset=utf-8");
});

test("files are served beside the document and run no script", async () => {
  const style = { contentType: "text/css; charset=utf-8", bytes: Buffer.from("p{}") };
  const logo = { contentType: "image/svg+xml", bytes: Buffer.from("<svg/>") };
  const darkHtml = html.replace("Fine", "Dark");
  const { light, dark } = await make({
    darkHtml,
    files: { "theme.css": style, "images/logo": logo },
  });
  assert.match((await show(dark)).text, /Dark/);
  const theme = await show(`${light}theme.css?v=1`);
  assert.equal(theme.text, "p{}");
  assert.equal(theme.headers.get("content-type"), "text/css; charset=utf-8");
  const picture = await show(`${light}images/logo`);
  assert.equal(picture.text, "<svg/>");
  assert.match(
    picture.headers.get("content-security-policy") ?? "",
    /^default-src 'none';.*sandbox$/,
  );
  for (const path of ["history", "images/other", "THEME.CSS", "images"]) {
    assert.equal((await show(`${light}${path}`)).status, 404, path);
  }
});

test("an unknown URL is not found", async () => {
  for (const path of ["/previews/x/", `/previews/${"a".repeat(43)}/`, "/previews/x/theme.css"]) {
    assert.equal((await show(path)).status, 404, path);
  }
  assert.equal((await show(`/previews/${"a".repeat(101)}/`)).status, 400);
});

test("after ten minutes it is deleted", async () => {
  const { light } = await make();
  app.clock.advance(previewMs - 1);
  assert.equal((await show(light)).status, 200);
  app.clock.advance(1);
  assert.equal((await show(light)).status, 404);
  const later = await make();
  await deletePreviewsBefore(database.db, app.clock.now());
  assert.equal(await countRows("previews"), 1);
  assert.equal(await countRows("preview_files"), 1);
  assert.equal((await show(later.light)).status, 200);
});

test("number and size of previews per account are limited, and the oldest are deleted", async () => {
  const made = [];
  for (let count = 0; count < maxPreviews + 1; count += 1) made.push(await make());
  assert.equal((await show(made[0]?.light ?? "")).status, 404);
  assert.equal((await show(made[1]?.light ?? "")).status, 200);
  assert.equal(await countRows("previews"), maxPreviews);
  const bytes = Buffer.alloc(maxPreviewBytes - 1_000);
  const large = { files: { "images/logo": { contentType: "image/png", bytes } } };
  const fitting = Math.floor(maxAccountBytes / maxPreviewBytes);
  for (let count = 0; count < fitting + 1; count += 1) await make(large);
  assert.equal(await countRows("previews"), fitting);
  assert.equal(await countRows("preview_files"), 2 * fitting);
  const tooLarge = make({ html: "x".repeat(maxPreviewBytes + 1) });
  await assert.rejects(tooLarge, { errorName: "bodyTooLarge" });
});

test("the previews of one account do not displace those of another", async () => {
  const { rows } = await app.query(
    "insert into accounts (id, name, created_at) values (gen_random_uuid(), 'Other', now()) returning id",
  );
  const { light } = await make();
  const context = { db: database.db, clock: app.clock };
  for (let count = 0; count < maxPreviews; count += 1) {
    await createPreview(context, rows[0].id, { html, contentSecurityPolicy });
  }
  assert.equal((await show(light)).status, 200);
});
