import assert from "node:assert/strict";
import { test } from "node:test";
import { degraded, failing, passing } from "../../../../test/support/modules/alerting.ts";
import { createPolicyScene } from "../../../../test/support/modules/pages.ts";
import type { WeekHours } from "../../../platform/week-hours.ts";
import { getSettings, saveSettings } from "../settings/settings-store.ts";

test("steps follow each other, round by round, until the fallback", async (t) => {
  const scene = await createPolicyScene(t);
  const { ada, ben, eve } = scene;
  const targets = [
    [0, ada],
    [10, ben, eve],
  ] as const;
  await scene.addPolicy({ targets, repeat: 1, repeatAfterMinutes: 5 });
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "1 0 0 0", "the first step is part of the alert");
  assert.equal(await scene.step(9), "1 0 0 0");
  assert.equal(await scene.step(1), "1 1 1 0");
  assert.equal(await scene.step(5), "2 1 1 0", "the second round");
  assert.equal(await scene.step(10), "2 2 2 0");
  assert.equal(await scene.step(5), "2 2 2 1", "the fallback");
  assert.equal(await scene.step(60), "2 2 2 1");
  assert.deepEqual((await scene.explanations()).slice(1), [
    "Nobody had acknowledged it after 10 minutes: escalation, step 2 of 2, round 1 of 2.",
    "Nobody had acknowledged it after 15 minutes: escalation, step 1 of 2, round 2 of 2.",
    "Nobody had acknowledged it after 25 minutes: escalation, step 2 of 2, round 2 of 2.",
    "Nobody had acknowledged it after 30 minutes: escalation, the fallback.",
  ]);
  await scene.run(scene.check, passing);
  assert.equal(await scene.step(0), "3 3 3 2", "everybody receives the recovery once");
});

test("a member who is the target of a step twice is paged once", async (t) => {
  const scene = await createPolicyScene(t);
  const primary = await scene.addSchedule("Primary", [scene.ada]);
  await scene.addPolicy({ targets: [[0, scene.ada, primary]] });
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "1 0 0 0");
  const rows = await scene.listRows();
  assert.equal(rows.filter(({ status }) => status === "CANCELLED").length, 1);
  assert.match(rows.find(({ reason }) => reason !== null)?.reason ?? "", /pages the same person/);
});

test("a step that reaches nobody is followed by the next at once, with the reason", async (t) => {
  const scene = await createPolicyScene(t);
  await scene.addPolicy({
    targets: [
      [0, scene.ada],
      [10, scene.ben],
    ],
  });
  scene.refuse("/ada");
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "1 1 0 0");
  assert.match((await scene.explanations())[1] ?? "", /No message reached .*at once, step 2 of 2/);
});

test("a page that fails after the next step was sent hurries nothing", async (t) => {
  const scene = await createPolicyScene(t);
  const targets = [
    [0, scene.ada],
    [10, scene.ben],
    [20, scene.eve],
  ] as const;
  await scene.addPolicy({ targets });
  scene.http.respond = ({ path }) => ({ status: path === "/ada" ? 503 : 200 });
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "1 0 0 0");
  assert.equal(await scene.step(10), "2 1 0 0");
  assert.equal(await scene.step(9), "3 1 0 0", "the third attempt fails the page");
  const [page] = await scene.listRows();
  assert.match(page?.reason ?? "", /No message reached .* A later step .* already\./);
  await scene.step(1);
  assert.deepEqual([scene.countAt("eve"), scene.countAt("f")], [1, 0]);
});

test("steps that an outage of the server made late together reach the fallback once", async (t) => {
  const scene = await createPolicyScene(t);
  const targets = [
    [0, scene.ada],
    [10, scene.ben],
    [20, scene.eve],
  ] as const;
  await scene.addPolicy({ targets });
  scene.refuse("/ada", "/ben", "/eve");
  await scene.run(scene.check, failing);
  scene.clock.advance(60 * 60_000);
  assert.equal(await scene.step(0), "1 1 1 1");
  const reasons = (await scene.listRows()).flatMap(({ reason }) => reason ?? []);
  const passed = reasons.filter((reason) => /A later step .* already\.$/.test(reason));
  assert.equal(passed.length, 3, "the fallback is later than each of the three steps");
});

test("a step waits for its minutes if one of its targets is reached", async (t) => {
  const scene = await createPolicyScene(t);
  const targets = [
    [0, scene.ada, scene.ben],
    [10, scene.eve],
  ] as const;
  await scene.addPolicy({ targets });
  scene.refuse("/ada");
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "1 1 0 0");
  const [page] = await scene.listRows();
  assert.match(page?.reason ?? "", /^No message reached .* Another target of this step /);
  assert.equal(await scene.step(9), "1 1 0 0");
  assert.equal(await scene.step(1), "1 1 1 0");
  scene.refuse("/ada", "/ben");
  const other = await scene.addCheck({ frequency: 1 });
  await scene.run(other, failing);
  assert.equal(await scene.step(0), "2 2 2 0", "nobody of the step was reached");
});

test("two targets that fail at the same time start the next step", async (t) => {
  const scene = await createPolicyScene(t);
  const targets = [
    [0, scene.ada, scene.ben],
    [10, scene.eve],
  ] as const;
  await scene.addPolicy({ targets });
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  scene.http.respond = async ({ path }) => {
    if (path === "/eve") return { status: 200 };
    waiting += 1;
    if (waiting === 2) both.resolve();
    await both.promise;
    return { status: 400 };
  };
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "1 1 1 0");
});

test("a channel is a target like a member, in either order of failures", async (t) => {
  const scene = await createPolicyScene(t);
  const team = await scene.addWebhook("/team");
  const targets = [
    [0, scene.ada, team],
    [10, team],
    [20, scene.eve],
  ] as const;
  await scene.addPolicy({ targets });
  scene.http.respond = ({ path }) => ({ status: path === "/ada" ? 503 : 200 });
  await scene.run(scene.check, failing);
  for (const minutes of [0, 1, 1]) await scene.step(minutes);
  assert.equal(scene.counts(), "3 0 0 0", "the channel was reached");
  scene.refuse("/ada", "/team");
  const other = await scene.addCheck({ frequency: 1 });
  await scene.run(other, failing);
  assert.equal(await scene.step(0), "4 0 1 0", "and a step of a channel only is hurried too");
});

test("a channel that is no target of the policy neither hurries nor delays a step", async (t) => {
  const scene = await createPolicyScene(t);
  await scene.subscribe(await scene.addWebhook("/own"), { checkId: scene.check.checkId });
  const targets = [
    [0, scene.ada],
    [10, scene.ben],
  ] as const;
  await scene.addPolicy({ targets });
  scene.refuse("/own");
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "1 0 0 0");
  scene.refuse("/ada");
  const other = await scene.addCheck({ frequency: 1 });
  await scene.subscribe(await scene.addWebhook("/own"), { checkId: other.checkId });
  await scene.run(other, failing);
  assert.equal(await scene.step(0), "2 1 0 0");
});

test("a member without a method, named twice by a step, does not stop the escalation", async (t) => {
  const scene = await createPolicyScene(t);
  const primary = await scene.addSchedule("Primary", [scene.ada]);
  await scene.query("update contact_methods set verified_at = null where user_id = $1", scene.ada);
  await scene.query("update users set email = 'ada@vedette.localhost' where id = $1", scene.ada);
  const targets = [
    [0, scene.ada, primary],
    [10, scene.ben],
  ] as const;
  await scene.addPolicy({ targets });
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "0 1 0 0");
});

test("without useFallback, the fallback receives only an alert that reached nobody", async (t) => {
  const scene = await createPolicyScene(t);
  const targets = [
    [0, scene.ada],
    [10, scene.ben],
  ] as const;
  await scene.addPolicy({ targets, fallbackChannelId: null });
  scene.refuse("/ben");
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(10), "1 1 0 0", "Ada was reached");
  const page = (await scene.listRows()).find(({ status }) => status === "DEAD");
  assert.match(page?.reason ?? "", /has no further step and no fallback\.$/);
  scene.refuse("/ada", "/ben");
  const other = await scene.addCheck({ frequency: 1 });
  await scene.run(other, failing);
  assert.equal(await scene.step(0), "2 2 0 1");
});

test("without useFallback nothing follows the last step", async (t) => {
  const scene = await createPolicyScene(t);
  await scene.addPolicy({ targets: [[0, scene.ada]], fallbackChannelId: null });
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "1 0 0 0");
  assert.equal(await scene.step(600), "1 0 0 0");
});

const days = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const;

/** Hours that begin in some minutes, and last an hour. */
function hoursIn(nowMs: number, minutes: number): WeekHours {
  const format = (atMs: number) => new Date(atMs).toISOString().slice(11, 16);
  const startMs = nowMs + minutes * 60_000;
  const range = { days, from: format(startMs), to: format(startMs + 3_600_000) };
  return { timeZone: "UTC", ranges: [range] };
}

test("low urgency waits for support hours, and an alert that becomes urgent does not", async (t) => {
  const scene = await createPolicyScene(t);
  const supportHours = hoursIn(scene.clock.nowMs(), 120);
  const targets = [
    [0, scene.ada],
    [10, scene.ben],
  ] as const;
  await scene.addPolicy({ targets, supportHours });
  await scene.run(scene.check, degraded);
  assert.equal(await scene.step(60), "0 0 0 0");
  assert.equal(await scene.step(60), "1 0 0 0");
  assert.equal(await scene.step(10), "1 1 0 0", "minutes count from the support hours on");
  await scene.run(scene.check, passing);
  assert.equal(await scene.step(120), "2 2 0 0");
  await scene.run(scene.check, degraded);
  assert.equal(await scene.step(30), "2 2 0 0");
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "3 2 0 0", "failing is urgent");
  assert.equal(await scene.step(10), "3 3 0 0");
});

test("the urgency of a tag decides whether an alert waits", async (t) => {
  const scene = await createPolicyScene(t);
  const { context, accountId, clock } = scene;
  const supportHours = hoursIn(clock.nowMs(), 120);
  await scene.addPolicy({ targets: [[0, scene.ada]], supportHours });
  const settings = await getSettings(context.db, accountId);
  const urgencyRules = [{ tag: "batch", urgency: "LOW" as const }];
  await saveSettings(context.db, accountId, {
    settings: { ...settings, urgencyRules },
    at: clock.now(),
  });
  const batch = await scene.addCheck({ frequency: 1, tags: ["batch"] });
  await scene.run(batch, failing);
  assert.equal(await scene.step(0), "0 0 0 0");
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "1 0 0 0");
});

test("a member's quiet hours delay pages that are not urgent", async (t) => {
  const scene = await createPolicyScene(t);
  const { ada, clock, query } = scene;
  const quietHours = { ...hoursIn(clock.nowMs(), 0), holdsHigh: false };
  const change = "update notification_rules set rules = rules || $1 where user_id = $2";
  await query(change, JSON.stringify({ quietHours }), ada);
  await scene.addPolicy({ targets: [[0, ada]], fallbackChannelId: null });
  await scene.run(scene.check, degraded);
  assert.equal(await scene.step(59), "0 0 0 0");
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "1 0 0 0", "an urgent page is sent in quiet hours");
  const opted = { ...hoursIn(clock.nowMs(), 0), holdsHigh: true };
  await query(change, JSON.stringify({ quietHours: opted }), ada);
  const other = await scene.addCheck({ frequency: 1 });
  await scene.run(other, failing);
  const before = scene.countAt("ada");
  await scene.step(0);
  assert.equal(scene.countAt("ada"), before, "unless the member opted out");
});
