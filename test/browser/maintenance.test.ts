/** Maintenance and locations. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";

let app: TestApp;
let browser: Browser;
before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ PROBE_IPV4: "192.0.2.9", PROBE_IPV6: "2001:db8::9" });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const berlin = { timezoneId: "Europe/Berlin", locale: "en-GB" };
const windows = "/v1/maintenance-windows";
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const hours = (count: number) =>
  new Date(app.clock.now().getTime() + count * 3_600_000).toISOString();

async function addCheck(name: string, more: object = {}): Promise<string> {
  const body = { name, activated: false, request: { hostname: "127.0.0.1" }, ...more };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

/** Finds a day of the month view by its date. */
const dayOf = (page: Page, date: string) =>
  page.getByRole("listitem", { name: new RegExp(`\\b${date}$`) });

describe("maintenance and locations", { skip: noBrowser }, () => {
  test("a weekly series is scheduled, and the calendar shows it across both clock changes", async () => {
    await addCheck("db-1", { tags: ["database"] });
    await addCheck("db-2", { tags: ["database"] });
    const opened = await openApplication(browser, app, {
      path: "/alerts/maintenance",
      context: { ...berlin, viewport: { width: 1440, height: 900 } },
    });
    const { page } = opened;
    await page.getByText("No maintenance is scheduled").waitFor();
    await opened.audit();
    await page.getByRole("link", { name: "Schedule maintenance" }).click();
    await page.getByLabel("Name").fill("Database <b>upgrade</b>");
    await page.getByLabel("Start", { exact: true }).fill("2026-03-22T02:30");
    await page.getByLabel("Time zone").selectOption("Europe/Berlin");
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

    await page.goto(`${app.url}/alerts/maintenance?view=month&date=2026-03-15`);
    // 02:30 does not exist that night, so it starts at 03:30 local time.
    await dayOf(page, "29 March 2026").getByText("03:30", { exact: true }).waitFor();
    await dayOf(page, "29 March 2026").getByText("Clocks go forward 1 h").waitFor();
    await dayOf(page, "22 March 2026").getByText("02:30", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Next month" }).click();
    await page.waitForURL(/date=2026-04-01/);
    await dayOf(page, "5 April 2026").getByText("02:30", { exact: true }).waitFor();

    await page.goto(`${app.url}/alerts/maintenance?view=week&date=2026-10-25`);
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

  test("on a conflict, the second user is warned and keeps their input", {
    isLong: true,
  }, async () => {
    const times = { startsAt: hours(30), endsAt: hours(32) };
    const { body } = await app.call("POST", windows, { body: { name: "Disks", ...times } });
    const at = `${windows}/${body.id}`;
    const opened = await openApplication(browser, app, {
      path: `/alerts/maintenance/${body.id}`,
      expects: [/status of 412/],
    });
    const { page } = opened;
    await page.getByLabel("Name").fill("Disks of mine");
    await app.call("PUT", at, { body: { name: "Disks of theirs", tags: ["rack"], ...times } });
    // The title follows the server: their change has arrived, and mine is still in its field.
    await page.getByRole("heading", { name: "Disks of theirs" }).waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), "Disks of mine");
    await button(page, "Save").click();
    const conflict = page.getByRole("alert", { name: /Another user changed/ });
    await conflict.getByText(/rack/).waitFor();
    assert.equal((await app.call("GET", at)).body.name, "Disks of theirs");
    await opened.audit();
    await button(page, "Use selection").click();
    await conflict.waitFor({ state: "hidden" });
    await button(page, "Save").click();
    await page.getByRole("heading", { name: "Disks of mine" }).waitFor();
    const { name, tags } = (await app.call("GET", at)).body;
    assert.deepEqual([name, tags], ["Disks of mine", ["rack"]]);
    await app.call("DELETE", at);
    await opened.close();
  });

  test("an occurrence is ended, the next is skipped and moved, and deleting names what is lost", {
    isLong: true,
  }, async () => {
    const { body } = await app.call("POST", windows, {
      body: {
        name: "Router swap",
        startsAt: hours(-1),
        endsAt: hours(2),
        timezone: "America/New_York",
        repeatUnit: "DAY",
        silenceAllAlerts: true,
        statusPageVisibility: { enabled: true },
      },
    });
    const opened = await openApplication(browser, app, { path: "/", colorScheme: "dark" });
    const { page } = opened;
    await page.getByRole("link", { name: "1 maintenance window", exact: true }).click();
    await page.waitForURL(/view=list/);
    await page.getByText("in progress").first().waitFor();
    await page.getByText("on every status page").waitFor();
    await opened.audit();
    await page.getByRole("link", { name: "Router swap" }).click();
    const list = page.getByRole("region", { name: "Occurrences" });
    await list.getByRole("button", { name: /^End now/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/Alerts are sent again/).waitFor();
    await dialog.getByLabel("Message").fill("Done <i>early</i>.");
    await dialog.getByRole("button", { name: "End now" }).click();
    await dialog.waitFor({ state: "detached" });
    await list.getByText("in progress").waitFor({ state: "detached" });
    const [first, second] = (await app.call("GET", `${windows}/${body.id}/maintenances`)).body;
    assert.equal(first.status, "SCHEDULED");
    await list.getByRole("button", { name: /^Skip/ }).first().click();
    await dialog.getByRole("button", { name: "Skip this occurrence" }).click();
    await list.getByText("cancelled", { exact: true }).waitFor();
    await list.getByText("The maintenance was cancelled.").waitFor();
    await list.getByRole("button", { name: /^Move/ }).first().click();
    await dialog.getByLabel("Minutes").fill("30");
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await list.getByText("moved").waitFor();
    const { body: after } = await app.call("GET", `${windows}/${body.id}/maintenances`);
    assert.deepEqual(
      after
        .slice(0, 2)
        .map(({ id, status, endsAt }: Record<string, string>) => [id, status, endsAt]),
      [
        [first.id, "CANCELLED", first.endsAt],
        [second.id, "SCHEDULED", new Date(Date.parse(second.startsAt) + 1_800_000).toISOString()],
      ],
    );
    await opened.audit();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByText(/occurrences in the next 400 days will not take place/).waitFor();
    await dialog.getByText(/It silences every check/).waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.waitForURL(/\/alerts\/maintenance(?:\?|$)/);
    assert.equal((await app.call("GET", `${windows}/${body.id}`)).status, 404);
    await opened.close();
  });

  test("on a phone: a compact month, the days below, and a window for one check", {
    isLong: true,
  }, async () => {
    const checkId = await addCheck("router-7");
    const opened = await openApplication(browser, app, {
      path: `/checks/${checkId}`,
      width: 390,
    });
    const { page } = opened;
    await page.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Schedule maintenance" }).click();
    await page.waitForURL(/maintenance\/new\?checkId=/);
    await page.getByText("router-7").first().waitFor();
    await page.getByLabel("Name").fill("Firmware");
    await page.getByLabel("Start", { exact: true }).fill("2026-11-20T10:00");
    await page.getByText("It silences 1 check: check router-7.").waitFor();
    await opened.audit();
    await button(page, "Schedule").click();
    await page.getByRole("heading", { name: "Firmware" }).waitFor();
    await page.goto(`${app.url}/alerts/maintenance?date=2026-11-20`);
    await page
      .getByRole("link", { name: /Firmware/ })
      .last()
      .waitFor();
    await page.getByText("silences 1 check").last().waitFor();
    await opened.audit();
    await opened.close();
  });

  test("locations show their probe, its addresses and their checks", {
    isLong: true,
  }, async () => {
    await addCheck("from-tokyo", { locations: ["ap-northeast-1"] });
    const opened = await openApplication(browser, app, { path: "/locations" });
    const { page } = opened;
    const own = page.getByRole("listitem").filter({ hasText: "last seen" });
    await own.getByText("online").waitFor();
    await page.getByText("run by the built-in probe").waitFor();
    await opened.audit();
    await own.getByRole("link").first().click();
    await page.getByText("built into the server").waitFor();
    await page.getByText("192.0.2.9").waitFor();
    await page.getByText("2001:db8::9").waitFor();
    await page.getByText(/No results from this location yet|to compare with/).waitFor();
    await opened.audit();
    await page.goto(`${app.url}/locations`);
    await page
      .getByRole("listitem")
      .filter({ hasText: "Tokyo" })
      .getByRole("link", { name: "1 check" })
      .click();
    await page.waitForURL(/\/checks\?.*ap-northeast-1/);
    await page.getByText("from-tokyo").first().waitFor();
    await opened.close();
  });

  test("READ_ONLY sees the calendar and no control that it may not use", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, {
      role: "READ_ONLY",
      path: "/alerts/maintenance?view=list",
      colorScheme: "dark",
      width: 390,
    });
    const { page } = opened;
    await page.getByRole("link", { name: "Firmware" }).click();
    await page.getByText("you can view maintenance but not change it").waitFor();
    await page
      .getByRole("region", { name: "Occurrences" })
      .getByText("scheduled")
      .first()
      .waitFor();
    assert.equal(await button(page, /Save|Delete|Skip|Move|Stop/).count(), 0);
    await opened.audit();
    await page.goto(`${app.url}/locations`);
    await page.getByText("Locations in use").waitFor();
    await opened.audit();
    await opened.close();
  });
});
