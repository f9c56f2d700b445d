/** Tests the path from a run to a message on a real database with real receivers. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type AlertingFixture,
  createAlertingFixture,
  degraded,
  failing,
  passing,
} from "../../../test/support/modules/alerting.ts";
import { makeResult, noData } from "../../../test/support/modules/runs.ts";
import { mergeGroupSettings } from "../../checks/checks/check-group.ts";
import { insertGroup } from "../../checks/checks/groups/store.ts";
import type { CheckInput } from "../../checks/checks/index.ts";
import { recordResults } from "../../runs/recording/recorder.ts";
import { hiddenFromPages } from "../maintenance/planned-window.ts";
import { insertWindow } from "../maintenance/store.ts";
import { acknowledgeByLink } from "./acknowledgements/actions.ts";
import { decideOnRuns, decideOnTicks } from "./decider.ts";
import { replaceParents } from "./parents/parent-store.ts";
import { defaultAccountAlertSettings } from "./settings/settings-store.ts";

/** Creates a check that runs every minute and has its own webhook. */
async function createScene(t: TestContext, input: CheckInput = {}) {
  const fixture = await createAlertingFixture(t);
  const check = await fixture.addCheck({ frequency: 1, ...input });
  const channelId = await fixture.addWebhook();
  await fixture.subscribe(channelId, { checkId: check.checkId });
  return { fixture, check, channelId };
}

function settingsOf(more: Partial<typeof defaultAccountAlertSettings>) {
  return { ...defaultAccountAlertSettings, ...more };
}

const kindsOf = async (fixture: AlertingFixture, checkId: string) =>
  (await fixture.listAlerts(checkId)).map(({ kind }) => kind);

test("a failure and its recovery are sent once each, by mail and by webhook", async (t) => {
  const { fixture, check } = await createScene(t);
  const mailId = await fixture.addChannel("EMAIL", { address: "owner@example.com" });
  await fixture.subscribe(mailId, { checkId: check.checkId });
  for (const outcome of [passing, failing, failing, passing, passing]) {
    await fixture.run(check, outcome);
    await fixture.deliver();
    fixture.clock.advance(60_000);
  }
  assert.deepEqual(fixture.listReceived(), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  const heard = fixture.mail.mails.map(({ raw }) => /^X-Vedette-Alert: (\w+)/im.exec(raw)?.[1]);
  assert.deepEqual(heard, ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  const statuses = (await fixture.listDeliveries()).map(({ status }) => status);
  assert.deepEqual(statuses, ["SENT", "SENT", "SENT", "SENT"]);
});

test("a message contains the failure, its start and a link", async (t) => {
  const { fixture, check } = await createScene(t, { name: "Edge router", tags: ["edge"] });
  await fixture.run(check, failing);
  await fixture.deliver();
  const body = JSON.parse(fixture.http.requests[0]?.body ?? "{}");
  assert.equal(body.title, "Edge router is failing");
  assert.equal(body.packetLossPercent, 100);
  assert.equal(body.startedAt, fixture.clock.now().toISOString());
  assert.deepEqual(body.tags, ["edge"]);
  const [alert] = await fixture.listAlerts(check.checkId);
  assert.equal(body.alertUrl, `https://vedette.example/alerts/${alert?.id}`);
  assert.equal(
    body.resultUrl,
    `https://vedette.example/checks/${check.checkId}?run=${body.resultId}`,
  );
  assert.ok(body.acknowledgeUrl.startsWith("https://vedette.example/acknowledge/"));
});

test("an alert is sent only after the configured number of failed runs", async (t) => {
  const { fixture, check } = await createScene(t);
  await fixture.setSettings(settingsOf({ runBasedEscalation: { failedRunThreshold: 3 } }));
  for (const expected of [0, 0, 1, 1]) {
    await fixture.run(check, failing);
    assert.equal((await fixture.listDeliveries()).length, expected);
    fixture.clock.advance(60_000);
  }
});

test("a check's own settings apply when it does not use the account's", async (t) => {
  const alertSettings = settingsOf({ runBasedEscalation: { failedRunThreshold: 2 } });
  const { fixture, check } = await createScene(t, { useGlobalAlertSettings: false, alertSettings });
  await fixture.run(check, failing);
  assert.deepEqual(await kindsOf(fixture, check.checkId), []);
  fixture.clock.advance(60_000);
  await fixture.run(check, failing);
  assert.deepEqual(await kindsOf(fixture, check.checkId), ["ALERT_FAILURE"]);
});

test("a time-based alert is sent without a further run, when it is due", async (t) => {
  const { fixture, check } = await createScene(t);
  await fixture.setSettings(settingsOf({ escalationType: "TIME_BASED" }));
  await fixture.run(check, failing);
  for (let minute = 1; minute <= 4; minute += 1) {
    await fixture.pass(1);
    await fixture.run(check, failing);
  }
  assert.deepEqual(await kindsOf(fixture, check.checkId), []);
  await fixture.pass(1);
  const [alert] = await fixture.listAlerts(check.checkId);
  assert.deepEqual([alert?.kind, alert?.reason], ["ALERT_FAILURE", "time-threshold-reached"]);
});

test("a muted check sends nothing, and the reason is recorded once", async (t) => {
  const { fixture, check } = await createScene(t, { muted: true });
  for (let run = 0; run < 3; run += 1) {
    await fixture.run(check, failing);
    fixture.clock.advance(60_000);
  }
  const alerts = await fixture.listAlerts(check.checkId);
  assert.deepEqual(
    alerts.map(({ kind, held_kind, reason }) => [kind, held_kind, reason]),
    [["NO_ALERT", "ALERT_FAILURE", "muted"]],
  );
  assert.deepEqual(await fixture.listDeliveries(), []);
  await fixture.editCheck(check.checkId, { muted: false });
  await fixture.run(check, failing);
  assert.deepEqual(await kindsOf(fixture, check.checkId), ["NO_ALERT", "ALERT_FAILURE"]);
});

test("while a parent fails, its child's alert is held and names the parent", async (t) => {
  const { fixture, check } = await createScene(t);
  const parent = await fixture.addCheck({ name: "Uplink", frequency: 1 });
  const { checkId } = check;
  const parentIds = [parent.checkId];
  await replaceParents(fixture.context.db, { checkId, parentIds });
  await fixture.run(parent, failing);
  await fixture.run(check, failing);
  const [held] = await fixture.listAlerts(checkId);
  assert.deepEqual(held, {
    id: held?.id,
    kind: "NO_ALERT",
    held_kind: "ALERT_FAILURE",
    reason: "held-by-parent",
    parent_id: parent.checkId,
    alert_number: 0,
  });
  fixture.clock.advance(60_000);
  await fixture.run(parent, passing);
  await fixture.run(check, failing);
  assert.deepEqual(await kindsOf(fixture, checkId), ["NO_ALERT", "ALERT_FAILURE"]);
});

test("nothing is sent within a maintenance window, and a failure that lasts is sent after it", async (t) => {
  const { fixture, check } = await createScene(t, { tags: ["edge"] });
  const now = fixture.clock.now();
  const schedule = {
    startsAtMs: now.getTime() - 60_000,
    endsAtMs: now.getTime() + 150_000,
    timeZone: "UTC",
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAtMs: null,
    tags: ["edge"],
    pauseAllChecks: false,
    silenceAllAlerts: false,
    silenceAlertsTags: [],
  };
  const hidden = { description: null, visibility: hiddenFromPages, nextAnnouncementAt: null };
  const window = { name: "Patch day", ...hidden, schedule, createdAt: now };
  await insertWindow(fixture.context.db, fixture.accountId, window);
  await fixture.run(check, failing);
  await fixture.pass(1);
  await fixture.run(check, failing);
  const [held, ...more] = await fixture.listAlerts(check.checkId);
  assert.deepEqual([held?.kind, held?.reason, more], ["NO_ALERT", "in-maintenance", []]);
  await fixture.pass(2);
  await fixture.run(check, failing);
  assert.deepEqual(await kindsOf(fixture, check.checkId), ["NO_ALERT", "ALERT_FAILURE"]);
});

const twoReminders = { reminders: { amount: 2, interval: 5 } };

test("reminders are sent at their interval, in the configured number and in order", async (t) => {
  const { fixture, check } = await createScene(t);
  await fixture.setSettings(settingsOf({ ...twoReminders, noDataMinutes: null }));
  await fixture.run(check, failing);
  for (let minute = 0; minute < 30; minute += 1) {
    await fixture.deliver();
    await fixture.pass(1);
  }
  const remain = "ALERT_FAILURE_REMAIN";
  assert.deepEqual(fixture.listReceived(), ["ALERT_FAILURE", remain, remain]);
  const sequences = fixture.http.requests.map(({ body }) => JSON.parse(body).reminderSequence);
  assert.deepEqual(sequences, [0, 1, 2]);
});

test("a stage that is reached alerts its channels, and they get the recovery too", async (t) => {
  const { fixture, check } = await createScene(t);
  const second = await fixture.addWebhook("/second");
  const escalationStages = [{ afterMinutes: 10, alertChannelIds: [second] }];
  await fixture.setSettings(settingsOf({ escalationStages, noDataMinutes: null }));
  await fixture.run(check, failing);
  await fixture.pass(9);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived("/second"), []);
  await fixture.pass(1);
  await fixture.deliver();
  await fixture.run(check, passing);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived(), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  assert.deepEqual(fixture.listReceived("/second"), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("after an acknowledgement there are no reminders and no stages, but the recovery is sent", async (t) => {
  const { fixture, check } = await createScene(t);
  const second = await fixture.addWebhook("/second");
  const escalationStages = [{ afterMinutes: 10, alertChannelIds: [second] }];
  await fixture.setSettings(settingsOf({ ...twoReminders, escalationStages, noDataMinutes: null }));
  await fixture.run(check, failing);
  await fixture.deliver();
  const { acknowledgeUrl } = JSON.parse(fixture.http.requests[0]?.body ?? "{}");
  const token = new URL(acknowledgeUrl).pathname.split("/").at(-1) ?? "";
  await acknowledgeByLink(fixture.context, token, { address: "192.0.2.9", requestId: "one" });
  for (let minute = 0; minute < 30; minute += 1) await fixture.pass(1);
  await fixture.run(check, passing);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived(), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  assert.deepEqual(fixture.listReceived("/second"), []);
});

test("each channel gets only the alerts it is configured for", async (t) => {
  const { fixture, check } = await createScene(t);
  const inputs = { "/failures": "sendFailure", "/slow": "sendDegraded", "/ends": "sendRecovery" };
  for (const [path, input] of Object.entries(inputs)) {
    const none = { sendFailure: false, sendDegraded: false, sendRecovery: false };
    const channelId = await fixture.addWebhook(path, { ...none, [input]: true });
    await fixture.subscribe(channelId, { checkId: check.checkId });
  }
  for (const outcome of [degraded, failing, passing]) {
    await fixture.run(check, outcome);
    await fixture.deliver();
    fixture.clock.advance(60_000);
  }
  const all = ["ALERT_DEGRADED", "ALERT_DEGRADED_FAILURE", "ALERT_RECOVERY"];
  assert.deepEqual(fixture.listReceived(), all);
  assert.deepEqual(fixture.listReceived("/slow"), ["ALERT_DEGRADED"]);
  assert.deepEqual(fixture.listReceived("/failures"), ["ALERT_DEGRADED_FAILURE"]);
  assert.deepEqual(fixture.listReceived("/ends"), ["ALERT_RECOVERY"]);
});

test("a group's channels get the alerts of its checks, and a channel of both gets them once", async (t) => {
  const fixture = await createAlertingFixture(t);
  const createdAt = fixture.clock.now();
  const draft = { name: "Edge", settings: mergeGroupSettings(null, {}), variables: [], createdAt };
  const group = await insertGroup(fixture.context.db, fixture.accountId, draft);
  const check = await fixture.addCheck({ frequency: 1, groupId: group.id });
  const stranger = await fixture.addCheck({ frequency: 1, name: "Not of the group" });
  const channelId = await fixture.addWebhook();
  await fixture.subscribe(channelId, { checkId: check.checkId });
  await fixture.subscribe(channelId, { groupId: group.id });
  await fixture.run(stranger, failing);
  await fixture.run(check, failing);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived(), ["ALERT_FAILURE"]);
});

test("missing data is reported after its time, and so is its end", async (t) => {
  const { fixture, check } = await createScene(t);
  await fixture.run(check, passing);
  fixture.clock.advance(60_000);
  for (let minute = 0; minute < 12; minute += 1) {
    await fixture.run(check, noData());
    await fixture.pass(1);
    await fixture.deliver();
  }
  await fixture.run(check, passing);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived(), ["ALERT_NO_DATA", "ALERT_RECOVERY"]);
});

test("passing runs that are not queued do not count as silence", async (t) => {
  const { fixture, check } = await createScene(t);
  await fixture.run(check, failing);
  for (let minute = 0; minute < 40; minute += 1) {
    await fixture.pass(1);
    await fixture.run(check, passing);
  }
  assert.deepEqual(await kindsOf(fixture, check.checkId), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("a check that runs once an hour is not silent between two runs", async (t) => {
  const { fixture, check } = await createScene(t, { frequency: 60 });
  await fixture.run(check, failing);
  for (let hour = 0; hour < 3; hour += 1) {
    for (let step = 0; step < 6; step += 1) await fixture.pass(10);
    await fixture.run(check, passing);
  }
  assert.deepEqual(await kindsOf(fixture, check.checkId), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("a silence since creation ends with the first passing run", async (t) => {
  const { fixture, check } = await createScene(t);
  await fixture.run(check, failing);
  await fixture.pass(1);
  await fixture.run(check, passing);
  await fixture.pass(12);
  await fixture.run(check, passing);
  const kinds = ["ALERT_FAILURE", "ALERT_RECOVERY", "ALERT_NO_DATA", "ALERT_RECOVERY"];
  assert.deepEqual(await kindsOf(fixture, check.checkId), kinds);
});

test("every step done twice, or concurrently, sends everything once", async (t) => {
  const { fixture, check } = await createScene(t);
  const { context } = fixture;
  await fixture.setSettings(settingsOf({ ...twoReminders, noDataMinutes: null }));
  const result = makeResult(check, { dueAtMs: fixture.clock.now().getTime(), outcome: failing });
  await recordResults(context, [result]);
  await recordResults(context, [result]);
  await Promise.all([decideOnRuns(context), decideOnRuns(context), decideOnRuns(context)]);
  await decideOnRuns(context);
  fixture.clock.advance(5 * 60_000);
  await Promise.all([decideOnTicks(context), decideOnTicks(context)]);
  await decideOnTicks(context);
  const kinds = ["ALERT_FAILURE", "ALERT_FAILURE_REMAIN"];
  assert.deepEqual(await kindsOf(fixture, check.checkId), kinds);
  assert.equal((await fixture.listDeliveries()).length, 2);
});

test("a deleted check leaves nothing to decide and blocks nothing", async (t) => {
  const { fixture, check } = await createScene(t);
  const result = makeResult(check, { dueAtMs: fixture.clock.now().getTime(), outcome: failing });
  await recordResults(fixture.context, [result]);
  await fixture.deleteCheck(check.checkId);
  assert.equal(await decideOnRuns(fixture.context), 0);
  assert.deepEqual(await fixture.query("select * from notable_runs"), []);
});
