/** A snapshot served by a plain web server while Vedette is down. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { launchBrowser, noBrowser, openPage } from "../support/browsers/browser.ts";
import { auditPage } from "../support/browsers/page-audit.ts";
import { createIncident, createPage } from "../support/modules/public-page.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let folder: string;
let app: TestApp;
let server: Server;
let browser: Browser;
let address: string;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

/** A static file server, like a bucket. */
function serveFolder(): Server {
  return createServer(async (request, answer) => {
    const path = decodeURIComponent((request.url ?? "/").split("?")[0] ?? "");
    const bytes = await readFile(join(folder, path)).catch(() => null);
    const type = types[extname(path)] ?? "application/octet-stream";
    answer.writeHead(bytes === null ? 404 : 200, { "content-type": type }).end(bytes ?? "");
  });
}

before(async () => {
  if (noBrowser !== false) return;
  folder = await mkdtemp(join(tmpdir(), "vedette-snapshot-"));
  app = await startTestApp({ SNAPSHOT_DIR: folder });
  server = serveFolder();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acme`;
  browser = await launchBrowser();
  const { serviceIds } = await createPage(app);
  await createIncident(app, { serviceIds, name: "Before the fall" });
  await waitUntil("the snapshot is written", async () => {
    const index = await readFile(join(folder, "acme", "index.html"), "utf8").catch(() => "");
    return index.includes("Before the fall");
  });
});

after(async () => {
  await browser?.close();
  server?.close();
  await app?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** What the page does is tested in `src/screens/public-pages/page-script.test.ts`. */
test("a snapshot is accessible, and warns when it is old", { skip: noBrowser }, async () => {
  const { page, complaints, requested, close } = await openPage(browser);
  const open = async (minutes: number) => {
    await page.clock.setFixedTime(new Date(app.clock.now().getTime() + minutes * 60_000));
    await page.goto(`${address}/index.html`);
  };
  await open(5);
  assert.match(await page.locator(".stamp").innerText(), /^As of 15 Nov 2026, 13:00/);
  assert.equal(await page.locator(".stale").isVisible(), false);
  assert.deepEqual(await auditPage(page), []);
  await open(16);
  assert.equal(await page.locator(".stale").isVisible(), true);
  assert.deepEqual(await auditPage(page), []);
  assert.deepEqual(complaints, []);
  assert.ok(requested.every((one) => one.startsWith(`${address}/`)));
  await close();
});
