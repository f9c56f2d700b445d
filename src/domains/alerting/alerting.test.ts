/** From a run to a message, on a real database and with real receivers. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type AlertingWorld,
  createAlertingWorld,
  degraded,
  failing,
  passing,
} from "../../../test/support/rooms/alerting.ts";
import { makeResult, noData } from "../../../test/support/rooms/runs.ts";
import { mergeGroupSettings } from "../checks/check-group.ts";
import { insertGroup } from "../checks/groups/store.ts";
import type { CheckInput } from "../checks/index.ts";
import { hiddenFromPages } from "../maintenance/page-visibility.ts";
import { insertWindow } from "../maintenance/store.ts";
import { recordResults } from "../runs/recorder.ts";
import { acknowledgeByLink } from "./acknowledgements/actions.ts";
import { decideOnRuns, decideOnTicks } from "./decider.ts";
import { replaceParents } from "./parents/parent-store.ts";
import { defaultAccountAlertSettings } from "./settings/store.ts";

/** A check of every minute with a webhook of its own. */
async function createScene(t: TestContext, input: CheckInput = {}) {
  const world = await createAlertingWorld(t);
  const check = await world.addCheck({ frequency: 1, ...input });
  const channelId = await world.addWebhook();
  await world.subscribe(channelId, { checkId: check.checkId });
  return { world, check, channelId };
}

function settingsOf(more: Partial<typeof defaultAccountAlertSettings>) {
  return { ...defaultAccountAlertSettings, ...more };
}

const kindsOf = async (world: AlertingWorld, checkId: string) =>
  (await world.listAlerts(checkId)).map(({ kind }) => kind);

test("a failure and its recovery are sent once each, by mail and by webhook", async (t) => {
  const { world, check } = await createScene(t);
  const mailId = await world.addChannel("EMAIL", { address: "owner@example.com" });
  await world.subscribe(mailId, { checkId: check.checkId });
  for (const outcome of [passing, failing, failing, passing, passing]) {
    await world.run(check, outcome);
    await world.deliver();
    world.clock.advance(60_000);
  }
  assert.deepEqual(world.heardAt(), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  const heard = world.mail.mails.map(({ raw }) => /^X-Vedette-Alert: (\w+)/im.exec(raw)?.[1]);
  assert.deepEqual(heard, ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  const statuses = (await world.listDeliveries()).map(({ status }) => status);
  assert.deepEqual(statuses, ["SENT", "SENT", "SENT", "SENT"]);
});

test("a message says what failed, since when, and where to look", async (t) => {
  const { world, check } = await createScene(t, { name: "Edge router", tags: ["edge"] });
  await world.run(check, failing);
  await world.deliver();
  const body = JSON.parse(world.http.requests[0]?.body ?? "{}");
  assert.equal(body.title, "Edge router is failing");
  assert.equal(body.packetLossPercent, 100);
  assert.equal(body.startedAt, world.clock.now().toISOString());
  assert.deepEqual(body.tags, ["edge"]);
  assert.ok(body.resultUrl.startsWith("https://vedette.example/v1/check-results/"));
  assert.ok(body.acknowledgeUrl.startsWith("https://vedette.example/acknowledge/"));
});

test("an alert is sent only after the configured number of failed runs", async (t) => {
  const { world, check } = await createScene(t);
  await world.setSettings(settingsOf({ runBasedEscalation: { failedRunThreshold: 3 } }));
  for (const expected of [0, 0, 1, 1]) {
    await world.run(check, failing);
    assert.equal((await world.listDeliveries()).length, expected);
    world.clock.advance(60_000);
  }
});

test("a check's own settings rule when it does not use the account's", async (t) => {
  const alertSettings = settingsOf({ runBasedEscalation: { failedRunThreshold: 2 } });
  const { world, check } = await createScene(t, { useGlobalAlertSettings: false, alertSettings });
  await world.run(check, failing);
  assert.deepEqual(await kindsOf(world, check.checkId), []);
  world.clock.advance(60_000);
  await world.run(check, failing);
  assert.deepEqual(await kindsOf(world, check.checkId), ["ALERT_FAILURE"]);
});

test("a time-based alert is sent without a further run, in the minute it is due", async (t) => {
  const { world, check } = await createScene(t);
  await world.setSettings(settingsOf({ escalationType: "TIME_BASED" }));
  await world.run(check, failing);
  for (let minute = 1; minute <= 4; minute += 1) {
    await world.pass(1);
    await world.run(check, failing);
  }
  assert.deepEqual(await kindsOf(world, check.checkId), []);
  await world.pass(1);
  const [alert] = await world.listAlerts(check.checkId);
  assert.deepEqual([alert?.kind, alert?.reason], ["ALERT_FAILURE", "time-threshold-reached"]);
});

test("a muted check sends nothing, and the reason is recorded once", async (t) => {
  const { world, check } = await createScene(t, { muted: true });
  for (let run = 0; run < 3; run += 1) {
    await world.run(check, failing);
    world.clock.advance(60_000);
  }
  const alerts = await world.listAlerts(check.checkId);
  assert.deepEqual(
    alerts.map(({ kind, held_kind, reason }) => [kind, held_kind, reason]),
    [["NO_ALERT", "ALERT_FAILURE", "muted"]],
  );
  assert.deepEqual(await world.listDeliveries(), []);
  await world.editCheck(check.checkId, { muted: false });
  await world.run(check, failing);
  assert.deepEqual(await kindsOf(world, check.checkId), ["NO_ALERT", "ALERT_FAILURE"]);
});

test("while a parent fails, its child's alert is held and names the parent", async (t) => {
  const { world, check } = await createScene(t);
  const parent = await world.addCheck({ name: "Uplink", frequency: 1 });
  const { checkId } = check;
  const parentIds = [parent.checkId];
  await replaceParents(world.context.db, { checkId, parentIds });
  await world.run(parent, failing);
  await world.run(check, failing);
  const [held] = await world.listAlerts(checkId);
  assert.deepEqual(held, {
    kind: "NO_ALERT",
    held_kind: "ALERT_FAILURE",
    reason: "held-by-parent",
    parent_id: parent.checkId,
    alert_number: 0,
  });
  world.clock.advance(60_000);
  await world.run(parent, passing);
  await world.run(check, failing);
  assert.deepEqual(await kindsOf(world, checkId), ["NO_ALERT", "ALERT_FAILURE"]);
});

test("nothing is sent within a maintenance window, and a failure that lasts is sent after it", async (t) => {
  const { world, check } = await createScene(t, { tags: ["edge"] });
  const now = world.clock.now();
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
  await insertWindow(world.context.db, world.accountId, window);
  await world.run(check, failing);
  await world.pass(1);
  await world.run(check, failing);
  const [held, ...more] = await world.listAlerts(check.checkId);
  assert.deepEqual([held?.kind, held?.reason, more], ["NO_ALERT", "in-maintenance", []]);
  await world.pass(2);
  await world.run(check, failing);
  assert.deepEqual(await kindsOf(world, check.checkId), ["NO_ALERT", "ALERT_FAILURE"]);
});

const twoReminders = { reminders: { amount: 2, interval: 5 } };

test("reminders are sent at their interval, in the configured number and in order", async (t) => {
  const { world, check } = await createScene(t);
  await world.setSettings(settingsOf({ ...twoReminders, noDataMinutes: null }));
  await world.run(check, failing);
  for (let minute = 0; minute < 30; minute += 1) {
    await world.deliver();
    await world.pass(1);
  }
  const remain = "ALERT_FAILURE_REMAIN";
  assert.deepEqual(world.heardAt(), ["ALERT_FAILURE", remain, remain]);
  const sequences = world.http.requests.map(({ body }) => JSON.parse(body).reminderSequence);
  assert.deepEqual(sequences, [0, 1, 2]);
});

test("a stage that is reached alerts its channels, and they get the recovery too", async (t) => {
  const { world, check } = await createScene(t);
  const second = await world.addWebhook("/second");
  const escalationStages = [{ afterMinutes: 10, alertChannelIds: [second] }];
  await world.setSettings(settingsOf({ escalationStages, noDataMinutes: null }));
  await world.run(check, failing);
  await world.pass(9);
  await world.deliver();
  assert.deepEqual(world.heardAt("/second"), []);
  await world.pass(1);
  await world.deliver();
  await world.run(check, passing);
  await world.deliver();
  assert.deepEqual(world.heardAt(), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  assert.deepEqual(world.heardAt("/second"), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("after an acknowledgement there are no reminders and no stages, but the recovery is sent", async (t) => {
  const { world, check } = await createScene(t);
  const second = await world.addWebhook("/second");
  const escalationStages = [{ afterMinutes: 10, alertChannelIds: [second] }];
  await world.setSettings(settingsOf({ ...twoReminders, escalationStages, noDataMinutes: null }));
  await world.run(check, failing);
  await world.deliver();
  const { acknowledgeUrl } = JSON.parse(world.http.requests[0]?.body ?? "{}");
  const token = new URL(acknowledgeUrl).pathname.split("/").at(-1) ?? "";
  await acknowledgeByLink(world.context, token, { address: "192.0.2.9", requestId: "one" });
  for (let minute = 0; minute < 30; minute += 1) await world.pass(1);
  await world.run(check, passing);
  await world.deliver();
  assert.deepEqual(world.heardAt(), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  assert.deepEqual(world.heardAt("/second"), []);
});

test("each channel gets only the alerts it is configured for", async (t) => {
  const { world, check } = await createScene(t);
  const wishes = { "/failures": "sendFailure", "/slow": "sendDegraded", "/ends": "sendRecovery" };
  for (const [path, input] of Object.entries(wishes)) {
    const none = { sendFailure: false, sendDegraded: false, sendRecovery: false };
    const channelId = await world.addWebhook(path, { ...none, [input]: true });
    await world.subscribe(channelId, { checkId: check.checkId });
  }
  for (const outcome of [degraded, failing, passing]) {
    await world.run(check, outcome);
    await world.deliver();
    world.clock.advance(60_000);
  }
  const all = ["ALERT_DEGRADED", "ALERT_DEGRADED_FAILURE", "ALERT_RECOVERY"];
  assert.deepEqual(world.heardAt(), all);
  assert.deepEqual(world.heardAt("/slow"), ["ALERT_DEGRADED"]);
  assert.deepEqual(world.heardAt("/failures"), ["ALERT_DEGRADED_FAILURE"]);
  assert.deepEqual(world.heardAt("/ends"), ["ALERT_RECOVERY"]);
});

test("a group's channels get the alerts of its checks, and a channel of both gets them once", async (t) => {
  const world = await createAlertingWorld(t);
  const createdAt = world.clock.now();
  const draft = { name: "Edge", settings: mergeGroupSettings(null, {}), createdAt };
  const group = await insertGroup(world.context.db, world.accountId, draft);
  const check = await world.addCheck({ frequency: 1, groupId: group.id });
  const stranger = await world.addCheck({ frequency: 1, name: "Not of the group" });
  const channelId = await world.addWebhook();
  await world.subscribe(channelId, { checkId: check.checkId });
  await world.subscribe(channelId, { groupId: group.id });
  await world.run(stranger, failing);
  await world.run(check, failing);
  await world.deliver();
  assert.deepEqual(world.heardAt(), ["ALERT_FAILURE"]);
});

test("missing data is reported after its time, and so is its end", async (t) => {
  const { world, check } = await createScene(t);
  await world.run(check, passing);
  world.clock.advance(60_000);
  for (let minute = 0; minute < 12; minute += 1) {
    await world.run(check, noData());
    await world.pass(1);
    await world.deliver();
  }
  await world.run(check, passing);
  await world.deliver();
  assert.deepEqual(world.heardAt(), ["ALERT_NO_DATA", "ALERT_RECOVERY"]);
});

test("passing runs that are not queued do not count as silence", async (t) => {
  const { world, check } = await createScene(t);
  await world.run(check, failing);
  for (let minute = 0; minute < 40; minute += 1) {
    await world.pass(1);
    await world.run(check, passing);
  }
  assert.deepEqual(await kindsOf(world, check.checkId), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("a check that runs once an hour is not silent between two runs", async (t) => {
  const { world, check } = await createScene(t, { frequency: 60 });
  await world.run(check, failing);
  for (let hour = 0; hour < 3; hour += 1) {
    for (let step = 0; step < 6; step += 1) await world.pass(10);
    await world.run(check, passing);
  }
  assert.deepEqual(await kindsOf(world, check.checkId), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("a silence since creation ends with the first passing run", async (t) => {
  const { world, check } = await createScene(t);
  await world.run(check, failing);
  await world.pass(1);
  await world.run(check, passing);
  await world.pass(12);
  await world.run(check, passing);
  const kinds = ["ALERT_FAILURE", "ALERT_RECOVERY", "ALERT_NO_DATA", "ALERT_RECOVERY"];
  assert.deepEqual(await kindsOf(world, check.checkId), kinds);
});

test("every step done twice, or concurrently, sends everything once", async (t) => {
  const { world, check } = await createScene(t);
  const { context } = world;
  await world.setSettings(settingsOf({ ...twoReminders, noDataMinutes: null }));
  const result = makeResult(check, { dueAtMs: world.clock.now().getTime(), outcome: failing });
  await recordResults(context, [result]);
  await recordResults(context, [result]);
  await Promise.all([decideOnRuns(context), decideOnRuns(context), decideOnRuns(context)]);
  await decideOnRuns(context);
  world.clock.advance(5 * 60_000);
  await Promise.all([decideOnTicks(context), decideOnTicks(context)]);
  await decideOnTicks(context);
  const kinds = ["ALERT_FAILURE", "ALERT_FAILURE_REMAIN"];
  assert.deepEqual(await kindsOf(world, check.checkId), kinds);
  assert.equal((await world.listDeliveries()).length, 2);
});

test("a deleted check leaves nothing to decide and blocks nothing", async (t) => {
  const { world, check } = await createScene(t);
  const result = makeResult(check, { dueAtMs: world.clock.now().getTime(), outcome: failing });
  await recordResults(world.context, [result]);
  await world.deleteCheck(check.checkId);
  assert.equal(await decideOnRuns(world.context), 0);
  assert.deepEqual(await world.query("select * from notable_runs"), []);
});
