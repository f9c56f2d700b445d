/** The agent panel. Chromium keeps one journey in `test/browser/agent-panel.test.ts`. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  addMember,
  openScreen,
  type Screen,
  type ServedApp,
  startTestApp,
  systemClock,
} from "../../test/support/components/screen.tsx";
import { test } from "../../test/support/long-run.ts";
import { createIncident } from "../../test/support/modules/incidents.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
let checkId = "";
let incidentId = "";
before(async () => {
  // With a mail server, members have a contact method; its port is closed.
  const mail = { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "vedette@example.com" };
  app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true", ...mail }, { clock: systemClock });
  const { userId } = await addMember(app, "ben@example.com", { role: "READ_ONLY" });
  await app.query("update users set name = 'Ben Ash' where id = $1", [userId]);
  const steps = [{ afterMinutes: 60, targets: [{ userId }] }];
  const policy = await app.call("POST", "/v1/escalation-policies", {
    body: { name: "Shop", steps },
  });
  const escalation = { escalationPolicyId: policy.body.id };
  await app.call("PUT", "/v1/alert-settings", { body: escalation });
  // Nothing listens at port 1.
  const request = { hostname: "127.0.0.1", port: 1 };
  const settings = { name: "db-1", frequency: 1440, retryStrategy: null, request };
  checkId = (await app.call("POST", "/v1/checks/tcp", { body: settings })).body.id;
  const service = { name: "Shop", follows: { checkIds: [checkId] } };
  const { body: shop } = await app.call("POST", "/v1/status-pages/services", { body: service });
  incidentId = (await createIncident(app, shop.id, { name: "Checkout fails" })).body.id;
  const target = { target: { checkId: [checkId] } };
  const { body } = await app.call("POST", "/v2/check-sessions/trigger", { body: target });
  await app.call("GET", `/v2/check-sessions/${body.sessions[0].checkSessionId}/completion`);
});
after(() => app.stop());

const field = (screen: Screen) => screen.getByRole("textbox", { name: "Your question" });
const answers = (screen: Screen) => screen.getByRole("log").getByRole("article");
const cards = (screen: Screen) => screen.getByRole("region", { name: /^Confirm: / });
const button = (screen: Screen, name: string) => screen.getByRole("button", { name, exact: true });

async function openPanel(screen: Screen): Promise<void> {
  await screen.getByRole("heading", { level: 1 }).first().waitFor();
  await screen.keyboard("a");
  await field(screen).waitFor();
}

async function ask(screen: Screen, question: string): Promise<void> {
  const count = answers(screen).count();
  await field(screen).fill(question);
  await screen.keyboard("{Enter}");
  await answers(screen).nth(count).waitFor();
  await button(screen, "Send").waitFor();
}

test("an answer links to the service, the incident and the check, and the conversation continues", {
  isLong: true,
}, async () => {
  const screen = await openScreen(app, "/");
  await openPanel(screen);
  await ask(screen, "is the shop down?");
  const answer = answers(screen).last();
  await answer.getByText("Yes: the service").waitFor();
  await answer.getByText("open incident").first().waitFor();
  await screen.getByText("No data leaves your server").waitFor();
  await screen.audit();
  const source = answer.getByRole("link", { name: "Checkout fails", exact: true });
  assert.equal(await source.getAttribute("href"), `/incidents/${incidentId}`);
  await answer
    .getByRole("link", { name: /^Source 1: / })
    .first()
    .click();
  await screen.waitForAddress(new RegExp(`^/checks/${checkId}`));
  // The screen beside the panel stays usable, and the conversation continues.
  await screen.getByText("About the check on this screen").waitFor();
  await button(screen, "Why is this failing?").click();
  await answers(screen)
    .nth(1)
    .getByText(/refused/)
    .first()
    .waitFor();
  screen.reload();
  await openPanel(screen);
  await answers(screen).nth(1).waitFor();
  await field(screen).press("{Escape}");
  await field(screen).waitFor({ state: "hidden" });
});

/** Reads everything that a write of the agent could change, but nothing that loops write later. */
async function readEffects(): Promise<string> {
  const check = await app.call("GET", `/v1/checks/${checkId}`);
  const incident = await app.call("GET", `/v1/status-pages/incidents/${incidentId}`);
  const { rows } = await app.query(
    `select (select count(*) from checks) as checks,
      (select count(*) from check_sessions) as sessions,
      (select count(*) from alert_acknowledgements where check_id = $1) as acknowledged,
      (select count(*) from audit_entries
        where action like 'alert.%' or action = 'on-call-page.created') as responses`,
    [checkId],
  );
  const updates = incident.body.incidentUpdates.length;
  return JSON.stringify({ muted: check.body.muted, updates, ...rows[0] });
}

/** A request for each writing tool. A new writing tool fails this test until it is added here. */
const orders: Readonly<Record<string, string>> = {
  post_incident_update: "post an update to Checkout fails: We found the cause.",
  acknowledge_alert: "acknowledge the alert of db-1",
  page_member: "page Ada Moor about db-1",
  snooze_alert: "snooze db-1 for an hour",
  reassign_alert: "give the alert of db-1 to Ben Ash",
  escalate_alert: "escalate db-1 now",
  mute_check: "mute db-1",
  create_check: "create a check for 192.0.2.9 every hour",
  run_check: "run db-1 now",
};

interface Tool {
  readonly name: string;
  readonly title: string;
  readonly access: string;
}

/** The type check does not follow a computed path, and so leaves the server to its own check. */
async function load<Module>(path: string): Promise<Module> {
  return (await import(path)) as Module;
}

test("every write waits for confirmation on a card that lists the changes", async () => {
  const { allTools } = await load<{ readonly allTools: readonly Tool[] }>(
    "../../src/agent/tools/all-tools.ts",
  );
  const { createAlertState } = await load<{ createAlertState: (at: number) => object }>(
    "../../src/response/alerting/alert-state.ts",
  );
  await waitUntil("the first run is decided", async () => {
    const { rows } = await app.query("select 1 from alert_states where check_id = $1", [checkId]);
    return rows.length > 0;
  });
  const alerted = {
    ...{ alertedKind: "ALERT_FAILURE", phase: "failing", alertNumber: 1, openedAtMs: 0 },
  };
  // The alert is made by hand, and ends when a change, a page or a run of the check is decided.
  const openAlert = () =>
    app.query(
      `insert into alert_states (check_id, account_id, state) values ($1, $2, $3::jsonb)
        on conflict (check_id) do update set state = excluded.state`,
      [checkId, app.owner.accountId, JSON.stringify({ ...createAlertState(0), ...alerted })],
    );
  await app.query("update users set name = 'Ada Moor' where email = 'owner@example.com'");
  await app.query(
    `insert into alerts (id, account_id, check_id, alert_number, kind, reason, is_reminder, at,
        decided_at)
      values (gen_random_uuid(), $1, $2, 1, 'ALERT_FAILURE', 'failing', false, now(), now())`,
    [app.owner.accountId, checkId],
  );
  const writes = allTools.filter(({ access }) => access === "write");
  assert.deepEqual(writes.map(({ name }) => name).sort(), Object.keys(orders).sort());
  const screen = await openScreen(app, `/checks/${checkId}`);
  await openPanel(screen);
  for (const { name, title } of writes) {
    await openAlert();
    const before = await readEffects();
    await ask(screen, orders[name] ?? "");
    const card = screen.getByRole("region", { name: `Confirm: ${title}` }).last();
    const said = await answers(screen).last().textContent();
    assert.match(said ?? "", /Nothing has been changed yet\./, `${name}: ${said}`);
    assert.ok(card.getByRole("row").count() >= 2, "what, before and after");
    assert.equal(await readEffects(), before, `${name} did nothing by itself`);
    await card.getByRole("button", { name: "Confirm" }).click();
    await card.getByText(/^Done\./).waitFor();
    assert.notEqual(await readEffects(), before, `${name} did what was confirmed`);
    assert.equal(card.getByRole("button", { name: "Confirm" }).count(), 0);
  }
  const confirmed = screen.requested.filter((one) => /^POST .*\/ai\/confirmations$/.test(one));
  assert.equal(confirmed.length, writes.length, "one request for each card, and no other");
  const before = await readEffects();
  await ask(screen, "unmute db-1");
  await cards(screen).last().getByRole("button", { name: "Decline" }).click();
  await cards(screen).last().getByText("Declined. Nothing was changed.").waitFor();
  assert.equal(await readEffects(), before);
  const waiting = await app.call("GET", `/accounts/${app.owner.accountId}/ai/confirmations`);
  assert.deepEqual(waiting.body, []);
});

test("a read-only user is offered no write", async () => {
  const screen = await openScreen(app, `/checks/${checkId}`, { role: "READ_ONLY" });
  await openPanel(screen);
  await ask(screen, "mute db-1");
  await answers(screen).last().getByText("mute_check").waitFor();
  assert.equal(cards(screen).count(), 0);
});
