/** In a real browser: an SVG with scripts and external requests does neither. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../../test/support/apps/app.ts";
import { launchBrowser, noBrowser, openPage } from "../../../../test/support/browsers/browser.ts";
import { toDataUrl } from "../../../../test/support/inputs/pictures.ts";
import { createStatusPage } from "../../../../test/support/modules/status-pages.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";

function createHostileSvg(beacon: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="fetch('${beacon}/onload')">
    <style>
      @import url(${beacon}/import);
      rect { fill: green; background: url(${beacon}/style) }
    </style>
    <rect width="40" height="40"/>
    <image href="${beacon}/image" width="1" height="1"/>
    <script>fetch('${beacon}/script'); document.documentElement.setAttribute('data-ran', 'yes')</script>
  </svg>`;
}

test("an SVG opened directly runs no script and sends no request", {
  skip: noBrowser,
}, async (t) => {
  const app = await startTestApp();
  t.after(() => app.stop());
  const beacon = await startHttpReceiver(t);
  const svg = createHostileSvg(beacon.url);
  const careless = await startHttpReceiver(t, () => ({
    headers: { "content-type": "image/svg+xml" },
    body: svg,
  }));
  const page = await createStatusPage(app, { logo: toDataUrl(Buffer.from(svg), "image/svg+xml") });
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const ours = await openPage(browser);
  await ours.page.goto(`${app.url}/status/${page.url}/images/logo`, { waitUntil: "networkidle" });
  assert.equal(beacon.requests.length, 0);
  assert.match(await ours.page.content(), /<rect/);
  // The same file from a server without our policy does both, so that the test can fail.
  const theirs = await openPage(browser);
  await theirs.page.goto(`${careless.url}/logo.svg`, { waitUntil: "networkidle" });
  const called = beacon.requests.map(({ path }) => path);
  for (const path of ["/script", "/image", "/import"]) assert.ok(called.includes(path), path);
});
