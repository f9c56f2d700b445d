/** The agent panel: its answers link to screens, and its changes need confirmation. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { createIncident } from "../support/modules/incidents.ts";

let app: TestApp;
let browser: Browser;
let checkId: string;

async function prepare(): Promise<void> {
  // Nothing listens at port 1.
  const request = { hostname: "127.0.0.1", port: 1 };
  const settings = { name: "db-1", frequency: 1440, retryStrategy: null, request };
  checkId = (await app.call("POST", "/v1/checks/tcp", { body: settings })).body.id;
  const follows = { checkIds: [checkId] };
  const service = { name: "Shop", follows };
  const { body: shop } = await app.call("POST", "/v1/status-pages/services", { body: service });
  await createIncident(app, shop.id, { name: "Checkout fails" });
  const target = { target: { checkId: [checkId] } };
  const { body } = await app.call("POST", "/v2/check-sessions/trigger", { body: target });
  const session = body.sessions[0].checkSessionId;
  await app.call("GET", `/v2/check-sessions/${session}/completion`);
}

before(async () => {
  if (noBrowser !== false) return;
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" }, { clock: systemClock });
  browser = await launchBrowser();
  await prepare();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

const field = (page: Page) => page.getByRole("textbox", { name: "Your question" });
const answers = (page: Page) => page.getByRole("log").getByRole("article");
const cards = (page: Page) => page.getByRole("region", { name: /^Confirm: / });

async function put(page: Page, question: string): Promise<void> {
  const count = await answers(page).count();
  await field(page).fill(question);
  await page.keyboard.press("Enter");
  await answers(page).nth(count).waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
}

describe("the agent panel", { skip: noBrowser }, () => {
  test("a write waits for confirmation on a card that lists the changes", async () => {
    const opened = await openApplication(browser, app, { colorScheme: "dark" });
    const { page, requested } = opened;
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await field(page).waitFor();
    await put(page, "mute db-1");
    const card = cards(page).last();
    await card.getByText("Nothing has been changed yet.").waitFor();
    assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.muted, false);
    await opened.audit();
    await card.getByRole("button", { name: "Confirm" }).click();
    await card.getByText(/^Done\./).waitFor();
    assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.muted, true);
    const confirmed = requested.filter((url) => url.endsWith("/ai/confirmations"));
    assert.equal(confirmed.length, 1);
    await opened.close();
  });

  test("on a phone the panel is a sheet, an answer can be stopped, and a read-only user is offered no write", {
    isLong: true,
  }, async () => {
    const opened = await openApplication(browser, app, {
      width: 390,
      colorScheme: "dark",
      role: "READ_ONLY",
      path: `/checks/${checkId}`,
      expects: [/ERR_FAILED|ERR_ABORTED/],
    });
    const { page } = opened;
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const sheet = page.getByRole("dialog", { name: "Agent" });
    await sheet.waitFor();
    const box = await sheet.boundingBox();
    assert.deepEqual([box?.width, box?.height], [390, 844]);
    await put(page, "mute db-1");
    await answers(page).last().getByText("mute_check").waitFor();
    assert.equal(await cards(page).count(), 0);
    await opened.audit();
    await page.route("**/ai/agents/stream", () => {});
    await field(page).fill("why is this failing?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped. This answer is incomplete.").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await put(page, "why is this failing?");
    await answers(page)
      .last()
      .getByText(/refused/)
      .first()
      .waitFor();
    await answers(page)
      .last()
      .getByRole("link", { name: /^Source 1: / })
      .first()
      .click();
    await sheet.waitFor({ state: "detached" });
    await opened.close();
  });
});
