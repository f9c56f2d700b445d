/** The list of checks, in the long run. `web/checks/list/list.test.tsx` runs with every change. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { isLongRun, test } from "../support/long-run.ts";
import { waitUntil } from "../support/time/wait-until.ts";

let app: TestApp;
let browser: Browser;
const ids = new Map<string, string>();
const longName = `a name of 120 characters ${"x".repeat(95)}`;

async function addCheck(name: string, status: string, more: object = {}): Promise<void> {
  const body = { name, frequency: 10, request: { hostname: "192.0.2.1" }, ...more };
  const made = await app.call("POST", "/v1/checks/icmp", { body });
  assert.equal(made.status, 201, made.text);
  ids.set(name, made.body.id);
  await app.query("update checks set status = $2 where id = $1", [made.body.id, status]);
  await app.query(
    `insert into check_states (check_id, status, since, last_due_at, last_result_id, last_location,
      consecutive_failures, locations, created_at, updated_at)
    values ($1, $2, $3, $3, $4, 'home', 0, '{}', $3, $3)`,
    [made.body.id, status, app.clock.now(), randomUUID()],
  );
}

before(async () => {
  if (noBrowser !== false || !isLongRun) return;
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  browser = await launchBrowser();
  await app.call("POST", "/v1/check-groups", { body: { name: "Core", tags: ["core"] } });
  await addCheck("db-1", "failing", { tags: ["db"] });
  await addCheck("db-2", "passing", { tags: ["db"], groupId: 1 });
  await addCheck("Router", "degraded", { tags: Array.from({ length: 12 }, (_, n) => `tag-${n}`) });
  await addCheck(longName, "passing");
  await addCheck("مراقبة الخادم", "passing");
  await addCheck("<img src=x onerror=alert(1)>", "passing");
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const linkOf = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const listNames = (page: Page) => page.locator("tbody [data-check]").allTextContents();
const waitForNames = (page: Page, wanted: readonly string[]) =>
  waitUntil(
    `the list shows ${wanted.join(", ")}`,
    async () => JSON.stringify(await listNames(page)) === JSON.stringify(wanted),
  );

/** Stops the page's clock, because on a slow machine the ten seconds for Undo could expire. */
async function stopClock(page: Page): Promise<void> {
  const nowMs = Number(await page.evaluate("Date.now()"));
  await page.clock.pauseAt(nowMs + 60_000);
}

describe("the list of checks", { skip: noBrowser }, () => {
  test("is searched while typing, filtered by facets and sorted by its headers", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, { path: "/checks" });
    const { page } = opened;
    await linkOf(page, "Router").waitFor();
    await opened.audit();
    await page.keyboard.press("/");
    await page.keyboard.type("db");
    await waitForNames(page, ["db-1", "db-2"]);
    await page.getByRole("button", { name: /^Failing 1$/ }).click();
    await waitForNames(page, ["db-1"]);
    assert.match(page.url(), /q=db/);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("columnheader", { name: "State" }).getByRole("button").click();
    await waitUntil(
      "the worst come first",
      async () => (await listNames(page)).slice(0, 2).join() === "db-1,Router",
    );
    await page.goto(`${app.url}/checks?tag=db&order=desc`);
    await waitForNames(page, ["db-2", "db-1"]);
    await opened.close();
  });

  test("mutes the selected checks, and deletes them only after ten seconds without an undo", {
    isLong: true,
  }, async () => {
    await addCheck("old-1", "passing");
    await addCheck("old-2", "passing");
    const opened = await openApplication(browser, app, {
      path: "/checks?q=old-",
      // It stops the clock of the window.
      context: {},
    });
    const { page } = opened;
    await page.getByLabel("Select old-1").click();
    await page.getByLabel("Select old-2").click({ modifiers: ["Shift"] });
    await page.getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "Mute", exact: true }).click();
    await page.getByText("2 checks were muted.").waitFor();
    await page.getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "Mute", exact: true }).click();
    await page.getByText("Both were already muted.").waitFor();
    assert.equal((await app.call("GET", `/v1/checks/${ids.get("old-1")}`)).body.muted, true);
    await opened.audit();
    await page.clock.install();
    await stopClock(page);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText(/2 checks will be deleted in 10 s/).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Deletion cancelled. Nothing was deleted.").waitFor();
    await page.clock.resume();
    await page.clock.fastForward(11_000);
    assert.equal((await app.call("GET", `/v1/checks/${ids.get("old-1")}`)).status, 200);
    await page.getByLabel("Select old-1").click();
    await stopClock(page);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText(/1 check will be deleted in 10 s/).waitFor();
    await page.clock.resume();
    await page.clock.fastForward(11_000);
    await page.getByText("1 check was deleted.").waitFor();
    assert.equal((await app.call("GET", `/v1/checks/${ids.get("old-1")}`)).status, 404);
    await waitForNames(page, ["old-2"]);
    await opened.close();
  });

  test("is operated with the keyboard alone", { isLong: true }, async () => {
    const opened = await openApplication(browser, app, { path: "/checks?tag=db" });
    const { page } = opened;
    await waitForNames(page, ["db-1", "db-2"]);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    await page.keyboard.press("k");
    await linkOf(page, "db-1").and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/checks/${ids.get("db-1")}`);
    // On a wide screen the list stays, with the same filter and the open check marked.
    await waitForNames(page, ["db-1", "db-2"]);
    await linkOf(page, "db-1").and(page.locator('[aria-current="page"]')).waitFor();
    await linkOf(page, "db-2").click();
    await page.waitForURL(`**/checks/${ids.get("db-2")}`);
    await opened.close();
  });

  test("shows state, name and bar on a phone, with the filters in a sheet", {
    isLong: true,
  }, async () => {
    const options = { path: "/checks", width: 390, colorScheme: "dark" } as const;
    const opened = await openApplication(browser, app, options);
    const { page } = opened;
    await linkOf(page, longName).waitFor();
    await page
      .getByRole("img", { name: /^Last 24 hours: / })
      .first()
      .waitFor();
    await opened.audit();
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("button", { name: /^Degraded 1$/ }).click();
    await opened.audit();
    await page.getByRole("button", { name: "Close" }).click();
    await waitForNames(page, ["Router"]);
    await opened.close();
  });
});
