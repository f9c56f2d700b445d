/** A real trace in the trace viewer, in a real browser. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Browser } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp } from "../support/apps/app.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { saveFiles, trace } from "../support/modules/run-files.ts";

/** The trace has no content of `/missing.png`. */
const page = `<h1>Shop of the trace</h1>
<img src="/missing.png" alt="missing"><iframe src="/frame"></iframe>`;

async function recordTrace(t: TestContext, browser: Browser) {
  let count = 0;
  const shop = createServer((request, response) => {
    count += 1;
    response.setHeader("content-type", "text/html");
    response.end(request.url === "/" ? page : "<p>part</p>");
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => shop.once("listening", listening));
  const context = await browser.newContext();
  await context.route("**/missing.png", (route) => route.abort());
  await context.tracing.start({ snapshots: true, screenshots: true });
  const tab = await context.newPage();
  await tab.goto(`http://shop.test:${(shop.address() as AddressInfo).port}/`);
  await tab.locator("h1").click();
  const dir = await mkdtemp(join(tmpdir(), "vedette-trace-"));
  t.after(() => rm(dir, { recursive: true }));
  const path = join(dir, "trace.zip");
  await context.tracing.stop({ path });
  await context.close();
  t.after(() => shop.close());
  return { content: await readFile(path), countRequests: () => count };
}

test("opens a trace without a request to the monitored host", {
  skip: noBrowser,
  isLong: true,
}, async (t) => {
  const settings = { BUILT_IN_PROBE: "false", VIEWER_PORT: "0" };
  const app = await startTestApp(settings, { clock: systemClock });
  t.after(() => app.stop());
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const { content, countRequests } = await recordTrace(t, browser);
  const body = { name: "Shop", request: { hostname: "192.0.2.1" } };
  const { id: checkId } = (await app.call("POST", "/v1/checks/icmp", { body })).body;
  const runId = await saveFiles(app, checkId, [trace(content)]);
  const listed = await app.call("GET", `/v1/check-results/${checkId}/${runId}/assets`);
  const { viewerUrl } = listed.body.assets[0];
  const countBefore = countRequests();
  const context = await browser.newContext();
  const tab = await context.newPage();
  await tab.goto(viewerUrl);
  await tab.getByText("Click", { exact: false }).first().click();
  const snapshot = tab.frameLocator("iframe[name=snapshot]").first();
  await snapshot.getByRole("heading", { name: "Shop of the trace" }).waitFor();
  await snapshot.getByText("part").or(snapshot.getByAltText("missing")).first().waitFor();
  assert.equal(countRequests(), countBefore, "nothing is loaded from the monitored host");
  assert.deepEqual(await context.cookies(), []);
  assert.equal(new URL(viewerUrl).hostname, "localhost");
  await context.close();
});
