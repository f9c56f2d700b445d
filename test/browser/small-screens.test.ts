/** Many failing checks with long names, on a phone and beside an open check. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { findSideways, openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let app: TestApp;
let browser: Browser;
const count = 30;
const checkIds: string[] = [];
const nameOf = (place: number) =>
  `production-eu-central-1-storefront-checkout-payment-${String(place).padStart(2, "0")}`;

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  browser = await launchBrowser();
  const request = { hostname: "192.0.2.1", port: 443 };
  for (let place = 1; place <= count; place += 1) {
    const body = { name: nameOf(place), request };
    const made = await app.call("POST", "/v1/checks/tcp", { body });
    checkIds.push(made.body.id);
  }
  await failAll();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

/** Nothing runs the checks, so their state stays. */
async function failAll(): Promise<void> {
  await app.query("update checks set status = 'failing'");
  await app.query(
    `insert into check_states (check_id, status, since, last_due_at, last_result_id, last_location,
      consecutive_failures, locations, created_at, updated_at)
    select id, 'failing', now(), now(), gen_random_uuid(), 'home', 1, '{}', now(), now()
    from checks`,
  );
}

describe("small screens", { skip: noBrowser }, () => {
  test("on a phone many failing checks are compact cards, and the sections below them are one tap away", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, { width: 390, path: "/?by=none" });
    const { page } = opened;
    const cards = page.getByRole("listitem").filter({ has: page.locator("summary") });
    await cards.nth(count - 1).waitFor();
    const heights = await cards.evaluateAll((all) =>
      all.map((card) => (card as unknown as { offsetHeight: number }).offsetHeight),
    );
    assert.ok(Math.max(...heights) < 200, heights.join(" "));
    assert.equal(await findSideways(page), null);
    const title = `(${count}) Now · Vedette`;
    await waitUntil("the tab is named", async () => (await page.title()) === title);
    await opened.audit();
    const worse = page.getByRole("heading", { name: "Getting worse" });
    await page.getByRole("button", { name: "Getting worse" }).click();
    const height = page.viewportSize()?.height ?? 0;
    await waitUntil("the heading is on the screen", async () => {
      const box = await worse.boundingBox();
      return box !== null && box.y >= 0 && box.y < height;
    });
    await opened.close();
  });

  test("names with a long common prefix differ in the list, which scrolls to the open check", {
    isLong: true,
  }, async () => {
    const path = `/checks/${checkIds[count - 1]}`;
    const opened = await openApplication(browser, app, { width: 1440, path });
    const { page } = opened;
    const row = page.locator(`[data-check="${checkIds[count - 1]}"]`);
    await waitUntil("the row is on the screen", async () => {
      const box = await row.boundingBox();
      return box !== null && box.y > 0 && box.y < (page.viewportSize()?.height ?? 0);
    });
    const end = row.getByText(nameOf(count).slice(-12), { exact: true });
    const [link, tail] = [await row.boundingBox(), await end.boundingBox()];
    assert.ok(link !== null && tail !== null);
    assert.ok(tail.x + tail.width <= link.x + link.width + 1, "the end of the name is shown");
    assert.equal(await page.title(), `(${count}) ${nameOf(count)} · Vedette`);
    await opened.close();
  });
});
