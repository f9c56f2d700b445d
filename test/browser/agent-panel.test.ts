/** The agent panel: its answers link to screens, and its changes need confirmation. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { allTools } from "../../src/domains/agent/tools/all-tools.ts";
import { createAlertState } from "../../src/domains/alerting/alert-state.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { startTestApp, type TestApp } from "../support/apps/app.ts";
import { openApplication } from "../support/browsers/application.ts";
import { launchBrowser, noBrowser } from "../support/browsers/browser.ts";
import { test } from "../support/long-run.ts";
import { createIncident } from "../support/modules/incidents.ts";

let app: TestApp;
let browser: Browser;
let checkId: string;
let incidentId: string;

async function prepare(): Promise<void> {
  // Nothing listens at port 1.
  const request = { hostname: "127.0.0.1", port: 1 };
  const settings = { name: "db-1", frequency: 1440, retryStrategy: null, request };
  checkId = (await app.call("POST", "/v1/checks/tcp", { body: settings })).body.id;
  const follows = { checkIds: [checkId] };
  const service = { name: "Shop", follows };
  const { body: shop } = await app.call("POST", "/v1/status-pages/services", { body: service });
  incidentId = (await createIncident(app, shop.id, { name: "Checkout fails" })).body.id;
  const target = { target: { checkId: [checkId] } };
  const { body } = await app.call("POST", "/v2/check-sessions/trigger", { body: target });
  const session = body.sessions[0].checkSessionId;
  await app.call("GET", `/v2/check-sessions/${session}/completion`);
  const told = { alertedKind: "ALERT_FAILURE", alertNumber: 1, openedAtMs: 0 } as const;
  await app.query(
    `insert into alert_states (check_id, account_id, state) values ($1, $2, $3::jsonb)
      on conflict (check_id) do update set state = excluded.state`,
    [checkId, app.owner.accountId, JSON.stringify({ ...createAlertState(0), ...told })],
  );
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

/** Reads everything that a write of the agent could change. */
async function readEffects(): Promise<string> {
  const check = await app.call("GET", `/v1/checks/${checkId}`);
  const incident = await app.call("GET", `/v1/status-pages/incidents/${incidentId}`);
  const { rows } = await app.query(
    `select (select count(*) from checks) as checks,
      (select count(*) from check_sessions) as sessions,
      (select count(*) from alert_acknowledgements where check_id = $1) as acknowledged`,
    [checkId],
  );
  const updates = incident.body.incidentUpdates.length;
  return JSON.stringify({ muted: check.body.muted, updates, ...rows[0] });
}

/** A request for each writing tool. A new writing tool fails this test until it is added here. */
const orders: Readonly<Record<string, string>> = {
  post_incident_update: "post an update to Checkout fails: We found the cause.",
  acknowledge_alert: "acknowledge the alert of db-1",
  mute_check: "mute db-1",
  create_check: "create a check for 192.0.2.9 every hour",
  run_check: "run db-1 now",
};

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
  test("every write waits for confirmation on a card that lists the changes", async () => {
    const opened = await openApplication(browser, app, { colorScheme: "dark" });
    const { page, requested } = opened;
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await field(page).waitFor();
    const writes = allTools.filter(({ access }) => access === "write");
    assert.deepEqual(writes.map(({ name }) => name).sort(), Object.keys(orders).sort());
    for (const { name, title } of writes) {
      const before = await readEffects();
      await put(page, orders[name] ?? "");
      const card = page.getByRole("region", { name: `Confirm: ${title}` }).last();
      await card.getByText("Nothing has been changed yet.").waitFor();
      assert.ok((await card.getByRole("row").count()) >= 2, "what, before and after");
      assert.equal(await readEffects(), before, `${name} did nothing by itself`);
      await card.getByRole("button", { name: "Confirm" }).click();
      await card.getByText(/^Done\./).waitFor();
      assert.notEqual(await readEffects(), before, `${name} did what was confirmed`);
      assert.equal(await card.getByRole("button", { name: "Confirm" }).count(), 0);
    }
    await opened.audit();
    const confirmed = requested.filter((url) => url.endsWith("/ai/confirmations"));
    assert.equal(confirmed.length, writes.length, "one request for each card, and no other");
    const before = await readEffects();
    await put(page, "unmute db-1");
    await cards(page).last().getByRole("button", { name: "Decline" }).click();
    await cards(page).last().getByText("Declined. Nothing was changed.").waitFor();
    assert.equal(await readEffects(), before);
    const waiting = await app.call("GET", `/accounts/${app.owner.accountId}/ai/confirmations`);
    assert.deepEqual(waiting.body, []);
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
