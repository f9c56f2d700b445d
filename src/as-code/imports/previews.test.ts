import assert from "node:assert/strict";
import { mkdtempSync, openAsBlob, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { withFiles } from "../../../test/support/imports/golden.ts";
import { kumaTables, writeKumaDatabase } from "../../../test/support/imports/kuma-database.ts";
import { importSources } from "./import.ts";
import { readInThread } from "./reader-thread.ts";
import { UnreadableFile } from "./reading.ts";

const preview = "/v1/imports/preview?source=uptime-kuma&fileName=kuma.db";
const octets = { "content-type": "application/octet-stream" };

let app: TestApp;
let folder: string;
let database: Buffer;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  folder = mkdtempSync(join(tmpdir(), "vedette-import-test-"));
  writeKumaDatabase(join(folder, "kuma.db"), 2, kumaTables);
  database = readFileSync(join(folder, "kuma.db"));
});
after(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const upload = (content: Buffer | string, path = preview, key?: string) =>
  fetch(`${app.url}${path}`, {
    method: "POST",
    headers: { ...octets, authorization: `Bearer ${key ?? app.owner.apiKey}` },
    body: typeof content === "string" ? content : new Uint8Array(content),
  });

async function countObjects(): Promise<number> {
  const { rows } = await app.query(
    `select count(*) from (select account_id from checks union all
      select account_id from check_groups union all select account_id from alert_channels
      union all select account_id from status_pages) as object where account_id = $1`,
    [app.owner.accountId],
  );
  return Number(rows[0].count);
}

test("a preview reports, stores the content encrypted, and creates nothing", async () => {
  const answer = await upload(database);
  assert.equal(answer.status, 201);
  const made = (await answer.json()) as {
    readonly id: string;
    readonly addresses: number;
    readonly fileName: string;
    readonly report: { readonly imported: unknown[]; readonly leftOut: unknown[] };
  };
  assert.deepEqual(
    [made.fileName, made.addresses, made.report.imported.length, made.report.leftOut.length],
    ["kuma.db", 1, 20, 7],
  );
  assert.equal(await countObjects(), 0);
  const read = await app.call("GET", `/v1/imports/${made.id}`);
  assert.deepEqual(read.body, made);
  const { rows } = await app.query("select one::text as text from imports one");
  assert.doesNotMatch(JSON.stringify([rows, read.body]), /kuma-[a-z]+-secret|kumaPushToken123/);
});

test("another file of the same source replaces the preview", async () => {
  const first = (await (await upload(database)).json()) as { id: string };
  const second = (await (await upload(database)).json()) as { id: string };
  const list = await app.call("GET", "/v1/imports");
  assert.deepEqual(
    list.body.map(({ id }: { id: string }) => id),
    [second.id],
  );
  assert.equal((await app.call("GET", `/v1/imports/${first.id}`)).status, 404);
});

test("imports of an account are invisible to others, and readers cannot upload", async () => {
  const { id } = (await (await upload(database)).json()) as { id: string };
  const stranger = await addStranger(app);
  const theirs = { key: stranger.key, account: stranger.accountId };
  assert.equal((await app.call("GET", `/v1/imports/${id}`, theirs)).status, 404);
  assert.equal((await app.call("DELETE", `/v1/imports/${id}`, theirs)).status, 404);
  assert.deepEqual((await app.call("GET", "/v1/imports", theirs)).body, []);
  const reader = await createKey(app, "READ_ONLY");
  assert.equal((await upload(database, preview, reader.key)).status, 403);
});

test("a file that cannot be read gets a reason and leaves nothing behind", async () => {
  const listFolders = () =>
    readdirSync(tmpdir()).filter((name) => /^vedette-import-\w+$/.test(name));
  const before = listFolders().length;
  const cases: readonly [Buffer | string, RegExp][] = [
    ["", /neither a SQLite database/],
    ["no database", /neither a SQLite database/],
    [database.subarray(0, 5_000), /cannot be read|no tables/],
  ];
  for (const [content, reason] of cases) {
    const answer = await upload(content);
    const { message } = (await answer.json()) as { message: string };
    assert.equal(answer.status, 400);
    assert.match(message, reason);
  }
  const bundle = await app.call("POST", preview, { body: { files: [{ name: "../../etc" }] } });
  assert.equal(bundle.status, 400);
  const unknown = await upload(database, "/v1/imports/preview?source=nagios");
  assert.equal(unknown.status, 400);
  assert.equal(listFolders().length, before);
  assert.equal(await countObjects(), 0);
});

test("a sparse database of 1 GB and hostile file names leave nothing behind", async () => {
  await app.query("delete from imports");
  const path = join(folder, "large.db");
  writeKumaDatabase(path, 2, kumaTables);
  truncateSync(path, 1_024 * 1_048_576);
  const headers = { ...octets, authorization: `Bearer ${app.owner.apiKey}` };
  const large = await fetch(`${app.url}${preview}`, {
    ...{ method: "POST", headers, body: await openAsBlob(path) },
  });
  const { message } = (await large.json()) as { message: string };
  assert.equal(large.status, 413, message);
  assert.match(message, /larger than 512 MiB\. Import it with the command line/);
  const names = ["../../../etc/cron.d/x", "/etc/passwd", "a\u0000b", "..\\..\\x", "__proto__"];
  const files = names.map((name) => ({ name, content: "endpoints: [" }));
  for (const source of importSources) {
    const bundle = await app.call("POST", `/v1/imports/preview?source=${source}`, {
      body: { files },
    });
    assert.equal(bundle.status, 400, `${source}: ${bundle.text}`);
    assert.ok(bundle.body.message.length > 10, bundle.text);
  }
  assert.deepEqual((await app.call("GET", "/v1/imports")).body, []);
  assert.equal(await countObjects(), 0);
});

test("a file that takes too long to read is abandoned", async () => {
  const addresses = Array.from({ length: 20_000 }, (_, index) => `host-${index}.example.com`);
  await withFiles({ "hosts.txt": addresses.join("\n") }, async (files) => {
    const task = { source: "hosts", files, options: { allowPrivate: true } } as const;
    await assert.rejects(readInThread(task, 1), UnreadableFile);
  });
});
