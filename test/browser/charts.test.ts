/** What the chart of a check draws. Its table and notes are in `web/checks/check-page`. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { addCheckWithPast, type CheckHistory } from "../support/modules/check-history.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let app: TestApp;
let browser: Browser;
let past: CheckHistory;

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false" }, { clock: systemClock });
  browser = await launchBrowser();
  past = await addCheckWithPast(app);
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

/** The canvas as a data URL, which changes with every drawn line. */
const readPicture = (page: Page): Promise<string> =>
  page.evaluate(`document.querySelector("canvas").toDataURL()`);

describe("the chart of a check", { skip: noBrowser }, () => {
  test("the legend, the scale and the comparison change the drawing", async () => {
    const [from, to] = [past.fromMs, past.toMs].map((ms) => Math.floor(ms / 1_000));
    const path = `/checks/${past.checkId}?from=${from}&to=${to}`;
    const opened = await openApplication(browser, app, { path });
    const { page } = opened;
    await page.locator("canvas").waitFor();
    let before = await readPicture(page);
    const assertRedrawn = async (what: string) => {
      await waitUntil(`${what} is drawn`, async () => (await readPicture(page)) !== before);
      before = await readPicture(page);
    };
    const p50 = page.getByRole("button", { name: "P50", exact: true });
    await p50.click();
    await assertRedrawn("the chart without P50");
    assert.equal(await p50.getAttribute("aria-pressed"), "false");
    assert.match(page.url(), /hide=p50/);
    await p50.click();
    await assertRedrawn("the chart with P50");
    await page.getByLabel("Scale").selectOption("Logarithmic");
    await assertRedrawn("the logarithmic scale");
    await page.getByRole("button", { name: "Compare with the previous period" }).click();
    await page.getByRole("button", { name: "P50 of the previous period" }).waitFor();
    await opened.audit();
    await opened.close();
  });
});
