import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCaller } from "../../../../test/support/modules/agent.ts";
import { failing, passing } from "../../../../test/support/modules/alerting.ts";
import { createPolicyScene } from "../../../../test/support/modules/pages.ts";
import { readStory } from "../alert-history/alert-history.ts";
import { acknowledgeByLink, acknowledgeCheck } from "./actions.ts";
import { escalateCheck, reassignCheck, snoozeCheck } from "./responses.ts";

/** An alert that is open and paged Ada; Ben is the second step. */
async function createOpenAlert(t: TestContext) {
  const scene = await createPolicyScene(t);
  const { context, accountId, check } = scene;
  const caller = createCaller(accountId);
  await scene.addPolicy({
    targets: [
      [0, scene.ada],
      [10, scene.ben],
    ],
  });
  await scene.run(check, failing);
  assert.equal(await scene.step(0), "1 0 0 0");
  const { checkId } = check;
  return {
    ...scene,
    snooze: (minutes: number) => snoozeCheck(context, caller, { checkId, minutes }),
    escalate: () => escalateCheck(context, caller, checkId),
    reassign: (userId: string) => reassignCheck(context, caller, { checkId, userId }),
    acknowledge: () => acknowledgeCheck(context, caller, checkId),
  };
}

test("a snoozed alert is sent again at the end, and escalates from the start", async (t) => {
  const scene = await createOpenAlert(t);
  const { snoozedUntil } = await scene.snooze(60);
  assert.equal(snoozedUntil?.getTime(), scene.clock.nowMs() + 3_600_000);
  assert.equal(await scene.step(59), "1 0 0 0");
  assert.equal(await scene.step(1), "2 0 0 0");
  assert.match((await scene.explanations()).at(-1) ?? "", /was snoozed, and it is still failing/);
  assert.equal(await scene.step(9), "2 0 0 0");
  assert.equal(await scene.step(1), "2 1 0 0");
  await scene.snooze(15);
  await scene.acknowledge();
  assert.equal(await scene.step(600), "2 1 0 0", "an acknowledgement ends the snooze");
  assert.equal((await scene.query("select 1 from alert_acknowledgements")).length, 1);
});

test("a snooze ends with the recovery", async (t) => {
  const scene = await createOpenAlert(t);
  await scene.snooze(15);
  await scene.pass(1);
  await scene.run(scene.check, passing);
  assert.equal(await scene.step(60), "2 0 0 0", "the recovery only");
  await scene.run(scene.check, failing);
  assert.equal(await scene.step(0), "3 0 0 0");
});

test("escalating now sends the next step, also of an acknowledged alert", async (t) => {
  const scene = await createOpenAlert(t);
  await scene.acknowledge();
  const { summary } = await scene.escalate();
  assert.match(summary, /step 2 of 2/);
  assert.equal(await scene.step(0), "1 1 0 0");
  const explained = "Escalated by a key. Escalation at once, step 2 of 2.";
  assert.equal((await scene.explanations()).at(-1), explained);
  await scene.escalate();
  assert.equal(await scene.step(0), "1 1 0 1", "the fallback is the last step");
  await assert.rejects(scene.escalate(), /no further step/);
});

test("a reassigned alert pages the other member, and later steps follow from then on", async (t) => {
  const scene = await createOpenAlert(t);
  await scene.step(5);
  const { summary } = await scene.reassign(scene.eve);
  assert.match(summary, /^Reassigned to Eve/);
  assert.equal(await scene.step(0), "1 0 1 0");
  assert.equal(await scene.step(9), "1 0 1 0");
  assert.equal(await scene.step(1), "1 1 1 0");
});

test("a message that fails while its alert is reassigned is not sent again", async (t) => {
  const scene = await createOpenAlert(t);
  scene.http.respond = ({ path }) => ({ status: path === "/ada" ? 503 : 200 });
  await scene.pass(5);
  await scene.run(scene.check, passing);
  await scene.pass(1);
  await scene.run(scene.check, failing);
  await scene.deliver();
  scene.clock.advance(1_000);
  const tried = scene.countAt("ada");
  const failed = "method_id is not null and status = 'PENDING' and attempts = 1";
  const until = new Date(scene.clock.nowMs() + 40_000);
  // The message is being sent while somebody reassigns the alert.
  await scene.query(`update deliveries set claimed_until = $1 where ${failed}`, until);
  await scene.reassign(scene.eve);
  await scene.query(`update deliveries set claimed_until = null where ${failed}`);
  for (let round = 0; round < 3; round += 1) {
    scene.clock.advance(60_000);
    await scene.deliver();
  }
  assert.deepEqual([scene.countAt("ada"), scene.countAt("eve")], [tried, 1]);
});

test("the history shows who snoozed, reassigned and escalated, until when and to whom", async (t) => {
  const scene = await createOpenAlert(t);
  const { snoozedUntil } = await scene.snooze(60);
  await scene.pass(1);
  await scene.reassign(scene.eve);
  await scene.pass(1);
  await scene.escalate();
  const [alert] = await scene.listAlerts(scene.check.checkId);
  const story = await readStory(scene.context, scene, alert?.id ?? "");
  assert.deepEqual(
    story.responses.map(({ action, by, until, target }) => [action, by, until, target]),
    [
      ["SNOOZED", "a key", snoozedUntil, null],
      ["REASSIGNED", "a key", null, story.responses[1]?.target],
      ["ESCALATED", "a key", null, "step 2 of 2"],
    ],
  );
  assert.match(story.responses[1]?.target ?? "", /^Eve \(eve/);
  assert.deepEqual(story.acknowledgement?.by, "a key");
});

test("the link in a page names the member who uses it", async (t) => {
  const scene = await createOpenAlert(t);
  const rows = await scene.query(
    "select message ->> 'acknowledgeUrl' as url from deliveries where user_id = $1 and method_id is not null",
    scene.ada,
  );
  const token = String(rows[0]?.url).split("/").at(-1) ?? "";
  const origin = { address: "127.0.0.1", requestId: "r" };
  await acknowledgeByLink(scene.context, token, origin);
  const [acknowledged] = await scene.query("select actor_name as by from alert_acknowledgements");
  assert.deepEqual(acknowledged, { by: "Ada, by a link in a message" });
});

test("an alert that has ended cannot be snoozed, escalated or reassigned", async (t) => {
  const scene = await createOpenAlert(t);
  await scene.pass(1);
  await scene.run(scene.check, passing);
  for (const respond of [() => scene.snooze(15), scene.escalate, () => scene.reassign(scene.eve)]) {
    await assert.rejects(respond(), /there is no open alert/);
  }
});
