/** A recovery goes to everyone who received the failure, whatever the settings are by then. */
import assert from "node:assert/strict";
import { randomUUIDv7 } from "node:crypto";
import { type TestContext, test } from "node:test";
import { createCaller } from "../../../test/support/modules/agent.ts";
import { degraded, failing, passing } from "../../../test/support/modules/alerting.ts";
import { createPagesFixture, createPolicyScene } from "../../../test/support/modules/pages.ts";
import { weekdays } from "../../platform/week-hours.ts";
import { deleteDeliveriesBefore } from "./delivery-store.ts";
import { pageSomebody } from "./pages/manual-pages.ts";
import { listReached } from "./pages/recovery-store.ts";

const alerted = ["ALERT_FAILURE", "ALERT_RECOVERY"];

/** A check with one channel. */
async function createScene(t: TestContext) {
  const fixture = await createPagesFixture(t);
  await fixture.setSettings({ noDataMinutes: null, flapDamping: null });
  const check = await fixture.addCheck({ frequency: 1 });
  const hook = await fixture.addWebhook("/hook", { sendDegraded: false });
  await fixture.subscribe(hook, { checkId: check.checkId });
  const run = async (outcome: typeof failing) => {
    await fixture.pass(1);
    await fixture.run(check, outcome);
    await fixture.deliver();
  };
  return { ...fixture, check, hook, run };
}

test("a channel that was removed from a failing check receives the recovery", async (t) => {
  const scene = await createScene(t);
  await scene.run(failing);
  await scene.query("delete from alert_channel_subscriptions");
  const later = await scene.addWebhook("/later");
  await scene.subscribe(later, { checkId: scene.check.checkId });
  await scene.run(passing);
  assert.deepEqual(scene.listReceived(), alerted);
  assert.deepEqual(scene.listReceived("/later"), ["ALERT_RECOVERY"]);
  await scene.run(failing);
  assert.deepEqual(scene.listReceived(), alerted, "the next problem is not its own");
});

test("a problem that is open for more than a year ends for those who received it", async (t) => {
  const scene = await createScene(t);
  await scene.run(failing);
  await scene.query("delete from alert_channel_subscriptions");
  const deleteAll = () =>
    deleteDeliveriesBefore(scene.context.db, new Date(scene.clock.nowMs() + 86_400_000));
  await deleteAll();
  await scene.run(passing);
  assert.deepEqual(scene.listReceived(), alerted);
  await deleteAll();
  assert.deepEqual(await scene.listDeliveries(), []);
});

test("a channel of a policy that is replaced meanwhile receives the recovery", async (t) => {
  const scene = await createPolicyScene(t);
  const hook = await scene.addWebhook();
  const other = await scene.addWebhook("/other");
  await scene.addPolicy({ targets: [[0, hook, scene.ada]] });
  await scene.run(scene.check, failing);
  await scene.deliver();
  await scene.addPolicy({ targets: [[0, other, scene.ben]] });
  await scene.pass(1);
  await scene.run(scene.check, passing);
  await scene.deliver();
  assert.deepEqual(scene.listReceived(), alerted);
  assert.deepEqual(scene.listReceived("/ada"), alerted);
  assert.deepEqual([scene.countAt("other"), scene.countAt("ben")], [0, 0]);
});

test("a failure that improved to degraded ends for a channel without degraded alerts", async (t) => {
  const scene = await createScene(t);
  await scene.run(failing);
  await scene.run(degraded);
  await scene.run(passing);
  assert.deepEqual(scene.listReceived(), [
    ...["ALERT_FAILURE", "ALERT_FAILURE_DEGRADED", "ALERT_DEGRADED_RECOVERY"],
  ]);
});

test("the channel that quiet hours chose receives the recovery without them", async (t) => {
  const scene = await createScene(t);
  const other = await scene.addWebhook("/other");
  const ranges = [{ days: weekdays, from: "00:00", to: "24:00" }];
  await scene.query(
    "update alert_channels set quiet_hours = $2, quiet_reroute_id = $3 where id = $1",
    ...[scene.hook, { timeZone: "UTC", ranges, mode: "REROUTE" }, other],
  );
  await scene.run(failing);
  assert.deepEqual(scene.listReceived("/other"), ["ALERT_FAILURE"]);
  await scene.query("update alert_channels set quiet_hours = null, quiet_reroute_id = null");
  await scene.run(passing);
  assert.deepEqual(scene.listReceived("/other"), alerted);
  assert.deepEqual(scene.listReceived(), [], "it never received the failure");
});

test("a member whom a person paged receives the recovery, once", async (t) => {
  const scene = await createPolicyScene(t);
  await scene.addPolicy({ targets: [[0, scene.ben]] });
  const { checkId } = scene.check;
  await scene.run(scene.check, failing);
  const caller = createCaller(scene.accountId);
  for (const userId of [scene.ada, scene.ben]) {
    await pageSomebody(scene.context, caller, { checkId, userId }, undefined);
  }
  await scene.deliver();
  await scene.pass(1);
  await scene.run(scene.check, passing);
  await scene.deliver();
  assert.deepEqual(scene.listReceived("/ada"), alerted);
  assert.deepEqual(scene.listReceived("/ben"), ["ALERT_FAILURE", ...alerted]);
});

test("a member receives the recovery of a message that nothing confirmed", async (t) => {
  const scene = await createPolicyScene(t);
  await scene.addPolicy({ targets: [[0, scene.ada, scene.ben]] });
  // Ada's device shows the message, but the response is lost.
  scene.http.respond = ({ path }, response) => {
    if (path !== "/ada") return {};
    response.destroy();
    return undefined;
  };
  await scene.run(scene.check, failing);
  await scene.deliver();
  scene.http.respond = () => ({});
  scene.clock.advance(1_000);
  await scene.run(scene.check, passing);
  await scene.deliver();
  assert.deepEqual(scene.listReceived("/ada"), alerted);
  assert.deepEqual(scene.listReceived("/ben"), alerted);
});

test("an attempt without a response counts as received, a rejected message does not", async (t) => {
  const scene = await createPolicyScene(t);
  await scene.addPolicy({ targets: [[0, scene.ada]] });
  await scene.run(scene.check, failing);
  await scene.deliver();
  const [page] = await scene.query(
    "select page_id as id from deliveries where page_id is not null",
  );
  const isReached = async (attempts: number, ...codes: (number | null)[]) => {
    const history = codes.map((statusCode) => ({ what: "failed", statusCode }));
    await scene.query(
      `update deliveries set status = 'PENDING', attempts = $1, history = $2
        where method_id is not null`,
      ...[attempts, JSON.stringify(history)],
    );
    const pages = [{ alertId: randomUUIDv7(), pageId: String(page?.id) }];
    return (await listReached(scene.context.db, pages, scene.clock.now())).length > 0;
  };
  assert.equal(await isReached(0), false, "not tried");
  assert.equal(await isReached(1), true, "no outcome is stored");
  assert.equal(await isReached(1, 503), false);
  assert.equal(await isReached(2, 503), true);
  assert.equal(await isReached(2, null, 503), true, "a timeout");
});
