/** Tests the history of a problem, from the first failing run to the recovery. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type AlertingFixture,
  createAlertingFixture,
  failing,
  passing,
} from "../../../../test/support/modules/alerting.ts";
import { saveRunPath } from "../../../runs/results/index.ts";
import type { Watched } from "../../../runs/scheduling/watch-list.ts";
import { acknowledgeByLink } from "../acknowledgements/actions.ts";
import { createAcknowledgeUrl } from "../alert-message.ts";
import { replayDelivery } from "../notifications/store.ts";
import { readStory } from "./alert-history.ts";

interface Scene {
  readonly fixture: AlertingFixture;
  readonly check: Watched;
  readonly channelId: number;
  readonly read: (alertId?: string) => ReturnType<typeof readStory>;
  readonly listIds: () => Promise<readonly string[]>;
}

async function createScene(t: TestContext, muted = false): Promise<Scene> {
  const fixture = await createAlertingFixture(t);
  const check = await fixture.addCheck({ frequency: 1, muted });
  const channelId = await fixture.addWebhook();
  await fixture.subscribe(channelId, { checkId: check.checkId });
  const listIds = async () => {
    const text = "select id from alerts where check_id = $1 order by id";
    return (await fixture.query(text, check.checkId)).map((row) => String(row.id));
  };
  const read = async (alertId?: string) => {
    const id = alertId ?? (await listIds()).at(-1) ?? "";
    return readStory(fixture.context, { accountId: fixture.accountId }, id);
  };
  return { fixture, check, channelId, read, listIds };
}

async function acknowledge({ fixture, check }: Scene): Promise<void> {
  const about = { checkId: check.checkId, alertNumber: 1 };
  const token = createAcknowledgeUrl(fixture.context, "", about).split("/").at(-1) ?? "";
  await acknowledgeByLink(fixture.context, token, { address: "127.0.0.1", requestId: "r" });
}

test("the history of a problem covers alert, reminder, stage, acknowledgement, recovery", async (t) => {
  const scene = await createScene(t);
  const { fixture, check, read, listIds } = scene;
  const pagerId = await fixture.addWebhook("/pager");
  await fixture.setSettings({
    runBasedEscalation: { failedRunThreshold: 2 },
    reminders: { amount: 2, interval: 5 },
    escalationStages: [{ afterMinutes: 10, alertChannelIds: [pagerId] }],
    noDataMinutes: null,
  });
  const beganAt = fixture.clock.now();
  await fixture.run(check, failing);
  await fixture.pass(1);
  await fixture.run(check, failing);
  const openedAt = fixture.clock.now();
  const opened = await read();
  assert.equal(opened.status, "open");
  assert.deepEqual(opened.startedAt, beganAt);
  assert.deepEqual(opened.openedAt, openedAt);
  assert.equal(opened.decisions[0]?.explanation, "2 runs in a row failed; the rules require 2.");
  assert.deepEqual(opened.next, {
    reminderAtMs: openedAt.getTime() + 5 * 60_000,
    escalation: { atMs: openedAt.getTime() + 600_000, stage: 1, alertChannelIds: [pagerId] },
    heldReason: null,
  });
  await fixture.pass(5);
  await fixture.pass(5);
  const explanations = (await read()).decisions.map(({ explanation }) => explanation);
  assert.deepEqual(explanations.slice(1), [
    "Nobody had acknowledged it: reminder 1 of 2.",
    "Nobody had acknowledged it: reminder 2 of 2.",
    "Nobody had acknowledged it after 10 minutes: escalation, stage 1 of 1.",
  ]);
  await acknowledge(scene);
  const acknowledged = await read();
  assert.equal(acknowledged.acknowledgement?.by, "a link in a message");
  assert.equal(acknowledged.next, null);
  await fixture.pass(1);
  await fixture.run(check, passing);
  const ended = await read();
  assert.equal(ended.status, "recovered");
  assert.deepEqual(ended.recoveredAt, fixture.clock.now());
  assert.equal(ended.acknowledgement?.by, "a link in a message", "the recovery retains it");
  assert.equal(ended.messages.length, 6, "four to the check's channel, two to the pager");
  for (const id of await listIds()) assert.deepEqual(await read(id), ended);
  await fixture.pass(1);
  await fixture.run(check, failing);
  await fixture.pass(1);
  await fixture.run(check, failing);
  assert.equal((await read()).decisions.length, 1, "the next problem has its own history");
});

test("a message lists every attempt and who replayed it", async (t) => {
  const scene = await createScene(t);
  const { fixture, check, read } = scene;
  const statuses = [503, 410];
  fixture.http.respond = () => ({ status: statuses.shift() ?? 200 });
  await fixture.run(check, failing);
  await fixture.deliver();
  fixture.clock.advance(60_000);
  await fixture.deliver();
  const [dead] = (await read()).messages;
  const replay = { id: dead?.id ?? "", now: fixture.clock.now(), by: "ada" };
  await replayDelivery(fixture.context.db, fixture.accountId, replay);
  await fixture.deliver();
  const [message] = (await read()).messages;
  const steps = message?.history.map(({ what, statusCode, by }) => [what, statusCode, by]);
  assert.deepEqual(steps, [
    ["failed", 503, null],
    ["failed", 410, null],
    ["replayed", null, "ada"],
    ["sent", 200, null],
  ]);
  for (let turn = 0; turn < 50; turn += 1) {
    await replayDelivery(fixture.context.db, fixture.accountId, replay);
    await fixture.deliver();
  }
  assert.equal((await read()).messages[0]?.history.length, 40);
});

test("a held alert belongs to the alert sent later, or forms its own history", async (t) => {
  const scene = await createScene(t, true);
  const { fixture, check, read, listIds } = scene;
  await fixture.run(check, failing);
  const held = await read();
  assert.deepEqual([held.status, held.openedAt, held.messages.length], ["held", null, 0]);
  assert.equal(held.decisions[0]?.explanation, "Held because the check or its group was muted.");
  await fixture.pass(1);
  await fixture.run(check, passing);
  await fixture.pass(1);
  await fixture.run(check, failing);
  await fixture.query(
    "update checks set settings = settings || '{\"muted\": false}' where id = $1",
    check.checkId,
  );
  await fixture.pass(1);
  await fixture.run(check, failing);
  const explanations = await read();
  const kinds = explanations.decisions.map(({ kind }) => kind);
  assert.equal(explanations.status, "open");
  assert.deepEqual(kinds.slice(-1), ["ALERT_FAILURE"]);
  const [first = ""] = await listIds();
  const alone = await read(first);
  assert.equal(alone.status, "held", "the earlier problem had ended");
  assert.ok(!explanations.decisions.some(({ id }) => id === first));
});

test("a history of thousands of reminders shows its first and last decisions", async (t) => {
  const scene = await createScene(t);
  const { fixture, check, read } = scene;
  await fixture.run(check, failing);
  await fixture.query(
    `insert into alerts (id, account_id, check_id, alert_number, kind, reason, is_reminder, at,
      started_at, decided_at)
      select ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, a.account_id, a.check_id,
        a.alert_number, 'ALERT_FAILURE_REMAIN', 'reminder-due', true, a.at, a.started_at, a.at
      from alerts a, generate_series(1, 1000) n where a.check_id = $1`,
    check.checkId,
  );
  const { decisions, decisionsTotal } = await read();
  assert.deepEqual([decisions.length, decisionsTotal], [200, 1_001]);
  assert.equal(decisions[0]?.kind, "ALERT_FAILURE");
});

test("the path that was traced is part of later alerts and of the story", async (t) => {
  const { fixture, check, read } = await createScene(t);
  await fixture.setSettings({ reminders: { amount: 1, interval: 5 }, noDataMinutes: null });
  await fixture.run(check, failing);
  assert.equal((await read()).path, null);
  const hop = { address: "10.0.0.1", name: null, roundTripMs: 1, error: null };
  const target = { address: "192.0.2.1", protocol: "ICMP", port: null };
  const path = { ...target, end: "silent" as const, hops: [hop] };
  const report = {
    location: "home",
    tracedAtMs: fixture.clock.now().getTime(),
    failing: { path },
    passing: null,
    lastGood: null,
  };
  const [row] = await fixture.query(
    "select result_id from alerts where check_id = $1",
    check.checkId,
  );
  await saveRunPath(fixture.context.db, check.checkId, String(row?.result_id), report);
  assert.deepEqual((await read()).path, report);
  await fixture.pass(5);
  await fixture.deliver();
  const texts = fixture.http.requests.map(({ body }) => String(body));
  assert.equal(texts.filter((text) => text.includes("ends after hop 1 (10.0.0.1)")).length, 1);
});
