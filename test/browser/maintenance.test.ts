/** The calendar of maintenance. The rest is in `web/maintenance/maintenance-screens.test.tsx`. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { goToScreen } from "../support/browsers/screens.ts";

let app: TestApp;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const berlin = { timezoneId: "Europe/Berlin", locale: "en-GB" };
const windows = "/v1/maintenance-windows";
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

async function addCheck(name: string, more: object = {}): Promise<string> {
  const body = { name, activated: false, request: { hostname: "127.0.0.1" }, ...more };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

/** Finds a day of the month view by its date. */
const dayOf = (page: Page, date: string) =>
  page.getByRole("listitem", { name: new RegExp(`\\b${date}$`) });

describe("maintenance", { skip: noBrowser }, () => {
  test("a weekly series is scheduled, and the calendar shows it across both clock changes", async () => {
    await addCheck("db-1", { tags: ["database"] });
    await addCheck("db-2", { tags: ["database"] });
    const opened = await openApplication(browser, app, {
      path: "/alerts/maintenance",
      context: { ...berlin, viewport: { width: 1440, height: 900 } },
    });
    const { page } = opened;
    await page.getByText("No maintenance is scheduled").waitFor();
    await page.getByRole("link", { name: "Schedule maintenance" }).click();
    await page.getByLabel("Name").fill("Database <b>upgrade</b>");
    await page.getByLabel("Start", { exact: true }).fill("2026-03-22T02:30");
    await page.getByRole("combobox", { name: "Time zone" }).fill("berlin");
    await page.getByRole("option", { name: "Europe/Berlin" }).click();
    await button(page, "30 min").click();
    await button(page, "1 h").click();
    await page.getByLabel("Repeat", { exact: true }).selectOption("Every week");
    await button(page, /^database/).click();
    const preview = page.getByRole("region", { name: "Summary" });
    await preview
      .getByText("Every week on Sunday at 02:30 (Europe/Berlin), for 1 h.", { exact: true })
      .waitFor();
    await preview.getByText("It silences 2 checks: tag database (2 checks).").waitFor();
    await preview
      .getByText(/^Sun, .* 02:30 – 03:30$/)
      .first()
      .waitFor();
    await opened.audit();
    await button(page, "Schedule").click();
    await page
      .getByRole("region", { name: "Occurrences" })
      .getByText("scheduled")
      .first()
      .waitFor();
    const { body: made } = await app.call("GET", windows);
    assert.equal(made[0].startsAt, "2026-03-22T01:30:00.000Z");

    await goToScreen(page, "/alerts/maintenance?view=month&date=2026-03-15");
    // 02:30 does not exist that night, so it starts at 03:30 local time.
    await dayOf(page, "29 March 2026").getByText("03:30", { exact: true }).waitFor();
    await dayOf(page, "29 March 2026").getByText("Clocks go forward 1 h").waitFor();
    await dayOf(page, "22 March 2026").getByText("02:30", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Next month" }).click();
    await page.waitForURL(/date=2026-04-01/);
    await dayOf(page, "5 April 2026").getByText("02:30", { exact: true }).waitFor();

    await goToScreen(page, "/alerts/maintenance?view=week&date=2026-10-25");
    // 02:30 occurs twice: it starts at the first, and an hour later it is 02:30 again.
    const chip = page.getByRole("link", { name: /02:30 CEST – 02:30 CET .*1 h/ });
    await chip.waitFor();
    await page.getByText("Clocks go back 1 h").first().waitFor();
    const shown = await app.call(
      "GET",
      "/v1/maintenance-calendar?from=2026-10-24T00:00:00Z&to=2026-10-26T00:00:00Z",
    );
    assert.deepEqual(
      shown.body.maintenances.map(({ startsAt, endsAt }: Record<string, string>) => [
        startsAt,
        endsAt,
      ]),
      [["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"]],
    );
    await opened.audit();
    await opened.close();
  });
});
