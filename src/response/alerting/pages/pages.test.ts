/** Tests pages from the decision to the receiver, with crashes between the steps. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { degraded, failing, passing } from "../../../../test/support/modules/alerting.ts";
import { createPagesFixture } from "../../../../test/support/modules/pages.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { acknowledgeAlert } from "../alert-state.ts";
import { createPageExpander } from "../deliverer.ts";
import { cancelAcknowledged } from "./page-store.ts";

/** A failing check whose alerts page Ada: one webhook at once, another after five minutes. */
async function createScene(t: TestContext) {
  const fixture = await createPagesFixture(t);
  const check = await fixture.addCheck({ frequency: 1 });
  const ada = await fixture.addMember("Ada", [
    ["first", 0],
    ["second", 5],
  ]);
  const primary = await fixture.addSchedule("Primary", [ada]);
  await fixture.subscribe(primary, { checkId: check.checkId });
  const { query } = fixture;
  const acknowledge = async () => {
    const [row] = await query("select state from alert_states");
    const { state } = row as { state: Parameters<typeof acknowledgeAlert>[0] };
    const { alertNumber } = state;
    const at = fixture.clock.now();
    const next = acknowledgeAlert(state, { alertNumber, atMs: at.getTime(), by: "Ben" });
    await query("update alert_states set state = $1", next);
    const acknowledged = [{ checkId: check.checkId, alertNumber }];
    await cancelAcknowledged(fixture.context.db, acknowledged, { at, by: "Ben" });
  };
  const refuse = (...paths: string[]) => {
    fixture.http.respond = ({ path }) => ({ status: paths.includes(path) ? 400 : 200 });
  };
  const statuses = async () => (await fixture.listRows()).map(({ status }) => status);
  return { ...fixture, check, ada, primary, acknowledge, refuse, statuses };
}

test("the person on call is paged by their rules, step by step", async (t) => {
  const scene = await createScene(t);
  await scene.run(scene.check, failing);
  await scene.deliver();
  assert.deepEqual([scene.countAt("first"), scene.countAt("second")], [1, 0]);
  const rows = await scene.listRows();
  assert.deepEqual(
    rows.map(({ recipient, status }) => [recipient.replaceAll(/ at [\d.:]+/g, ""), status]),
    [
      ["Primary: Ada (first; after 5 minutes second)", "SENT"],
      ["Ada: first", "SENT"],
      ["Ada: second", "PENDING"],
    ],
  );
  await scene.pass(4);
  await scene.deliver();
  assert.equal(scene.countAt("second"), 0);
  await scene.pass(1);
  await scene.deliver();
  assert.deepEqual([scene.countAt("first"), scene.countAt("second")], [1, 1]);
  await scene.deliver();
  assert.deepEqual(await scene.statuses(), ["SENT", "SENT", "SENT"]);
});

test("acknowledgement cancels later steps", async (t) => {
  const scene = await createScene(t);
  await scene.run(scene.check, failing);
  await scene.deliver();
  await scene.acknowledge();
  assert.deepEqual(await scene.statuses(), ["SENT", "SENT", "CANCELLED"]);
  assert.match((await scene.listRows())[2]?.reason ?? "", /acknowledged by Ben/);
  await scene.pass(10);
  await scene.deliver();
  assert.equal(scene.countAt("second"), 0);
});

test("a first message that fails is not retried after the acknowledgement", async (t) => {
  const scene = await createScene(t);
  scene.http.respond = () => ({ status: 503 });
  await scene.run(scene.check, failing);
  await scene.deliver();
  scene.clock.advance(1_000);
  // The message is being sent while somebody acknowledges.
  const until = new Date(scene.clock.nowMs() + 40_000);
  await scene.query("update deliveries set claimed_until = $1 where attempts = 1", until);
  await scene.acknowledge();
  await scene.query("update deliveries set claimed_until = null");
  for (let round = 0; round < 3; round += 1) {
    scene.clock.advance(60_000);
    await scene.deliver();
  }
  assert.equal(scene.countAt("first"), 1);
  assert.deepEqual(await scene.statuses(), ["SENT", "CANCELLED", "CANCELLED"]);
  assert.match((await scene.listRows())[1]?.reason ?? "", /was acknowledged or has ended/);
});

test("a step whose alert has ended unnoticed is cancelled when it is due", async (t) => {
  const scene = await createScene(t);
  await scene.run(scene.check, failing);
  await scene.deliver();
  await scene.query("delete from alert_states");
  await scene.pass(10);
  await scene.deliver();
  assert.equal(scene.countAt("second"), 0);
  assert.deepEqual(await scene.statuses(), ["SENT", "SENT", "CANCELLED"]);
});

test("a recovery goes to the member who was paged, after a handoff too", async (t) => {
  const scene = await createScene(t);
  const ben = await scene.addMember("Ben", [["ben", 0]]);
  await scene.run(scene.check, failing);
  await scene.deliver();
  await scene.query(
    "update on_call_schedules set layers = jsonb_set(layers, '{0,participants}', $1)",
    JSON.stringify([ben]),
  );
  await scene.pass(1);
  await scene.run(scene.check, passing);
  await scene.deliver();
  assert.deepEqual(scene.listReceived("/first"), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  assert.deepEqual([scene.countAt("second"), scene.countAt("ben")], [0, 0]);
  assert.deepEqual(await scene.statuses(), ["SENT", "SENT", "CANCELLED", "SENT", "SENT"]);
  await scene.pass(1);
  await scene.run(scene.check, failing);
  await scene.deliver();
  assert.deepEqual(scene.listReceived("/ben"), ["ALERT_FAILURE"]);
});

test("a degraded check uses the rules for low urgency", async (t) => {
  const scene = await createScene(t);
  await scene.query(
    "update notification_rules set rules = jsonb_set(rules, '{low}', rules -> 'high' -> 1 || '[]')",
  );
  await scene.query(
    "update notification_rules set rules = jsonb_set(rules, '{low,0,afterMinutes}', '0')",
  );
  await scene.run(scene.check, degraded);
  await scene.deliver();
  assert.deepEqual([scene.countAt("first"), scene.countAt("second")], [0, 1]);
});

test("if a step fails, the next one does not wait; if all fail, the fallback receives it", async (t) => {
  const scene = await createScene(t);
  const fallback = await scene.addWebhook("/fallback");
  await scene.setSettings({ fallbackAlertChannelId: fallback });
  scene.refuse("/first");
  await scene.run(scene.check, failing);
  await scene.deliver();
  assert.deepEqual([scene.countAt("second"), scene.countAt("fallback")], [1, 0]);
  scene.refuse("/first", "/second");
  const other = await scene.addCheck({ frequency: 1 });
  await scene.subscribe(scene.primary, { checkId: other.checkId });
  await scene.run(other, failing);
  await scene.deliver();
  assert.deepEqual([scene.countAt("second"), scene.countAt("fallback")], [2, 1]);
  const page = (await scene.listRows())[3];
  assert.match(page?.reason ?? "", /^No message reached .*Ada.* Sent to the fallback channel\.$/);
  await scene.pass(1);
  await scene.run(other, passing);
  await scene.deliver();
  assert.deepEqual(scene.listReceived("/fallback"), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("a provider that is down for three attempts does not delay the page", async (t) => {
  const scene = await createScene(t);
  scene.http.respond = ({ path }) => ({ status: path === "/first" ? 503 : 200 });
  await scene.run(scene.check, failing);
  for (const seconds of [0, 5, 10]) {
    scene.clock.advance(seconds * 1_000);
    await scene.deliver();
  }
  assert.deepEqual([scene.countAt("first"), scene.countAt("second")], [3, 1]);
});

test("nobody on call: the next stage starts at once, and says why", async (t) => {
  const scene = await createScene(t);
  const ops = await scene.addWebhook("/ops");
  const escalationStages = [{ afterMinutes: 30, alertChannelIds: [ops] }];
  await scene.setSettings({ escalationStages, noDataMinutes: null });
  await scene.query("update on_call_schedules set layers = '[]'");
  await scene.run(scene.check, failing);
  await scene.deliver();
  assert.equal(scene.countAt("ops"), 0);
  await scene.pass(0);
  await scene.deliver();
  assert.equal(scene.countAt("ops"), 1);
  const [page] = await scene.listRows();
  assert.equal(page?.status, "DEAD");
  const text = "Nobody is on call for Primary. The next escalation stage was started at once.";
  assert.equal(page?.reason, text);
  const rows = await scene.query("select explanation from alerts order by id desc limit 1");
  const explanation = "Nobody is on call for Primary. Escalation at once, stage 1 of 1.";
  assert.deepEqual(rows, [{ explanation }]);
  await scene.pass(40);
  await scene.deliver();
  assert.equal(scene.countAt("ops"), 1, "the stage is not repeated at its time");
});

test("stages page one schedule after the other, and the last falls to the owners", async (t) => {
  const scene = await createScene(t);
  await scene.addMember("Olga", [], "OWNER");
  const ben = await scene.addMember("Ben", [["ben", 0]]);
  const secondary = await scene.addSchedule("Secondary", [ben]);
  await scene.setSettings({
    escalationStages: [{ afterMinutes: 10, alertChannelIds: [secondary] }],
  });
  scene.refuse("/first", "/second", "/ben");
  await scene.run(scene.check, failing);
  await scene.deliver();
  await scene.pass(0);
  await scene.deliver();
  assert.deepEqual(["first", "second", "ben"].map(scene.countAt), [1, 1, 1]);
  assert.equal(scene.mail.mails.length, 1);
  assert.deepEqual(scene.mail.mails[0]?.to, ["olga@example.com"]);
  const last = (await scene.listRows()).at(-1);
  assert.deepEqual([last?.recipient, last?.status], ["Olga: olga@example.com", "SENT"]);
});

test("a member without a working method is not waited for", async (t) => {
  const scene = await createScene(t);
  const fallback = await scene.addWebhook("/fallback");
  await scene.setSettings({ fallbackAlertChannelId: fallback });
  await scene.query("update contact_methods set verified_at = null");
  await scene.query("update users set email = 'ada@vedette.localhost' where name = 'Ada'");
  await scene.run(scene.check, failing);
  await scene.deliver();
  assert.equal(scene.countAt("fallback"), 1);
  assert.match((await scene.listRows())[0]?.reason ?? "", /^Ada has no working contact method\./);
});

test("all pages of a target are expanded together, while its provider hangs", async (t) => {
  const scene = await createScene(t);
  await scene.run(scene.check, failing);
  const open: { end: () => unknown }[] = [];
  scene.http.respond = (_request, response) => void open.push(response);
  await scene.expander.deliverDue();
  await scene.expander.settle();
  assert.equal(await scene.deliverer.deliverDue(), 1);
  for (let place = 0; place < 10; place += 1) {
    const check = await scene.addCheck({ frequency: 1, name: `Shop ${place}` });
    await scene.subscribe(scene.primary, { checkId: check.checkId });
    await scene.run(check, failing);
  }
  assert.equal(await scene.expander.deliverDue(), 1);
  await scene.expander.settle();
  const pages = (await scene.listRows()).filter(({ recipient }) => /^Primary: /.test(recipient));
  assert.deepEqual(
    pages.map(({ status }) => status),
    Array.from({ length: 11 }, () => "SENT"),
  );
  await waitUntil("the first message has arrived", () => open.length === 1);
  open[0]?.end();
});

test("a crash before the page is stored repeats it whole; after that nothing is repeated", async (t) => {
  const scene = await createScene(t);
  await scene.query(`create function crash() returns trigger language plpgsql as
    $$ begin raise exception 'crash' using errcode = '57P01'; end $$`);
  // The messages are stored first, so that the crash falls between them and the end of the page.
  await scene.query(`create trigger crash before update of page_id on deliveries
    for each row execute function crash()`);
  await scene.run(scene.check, failing);
  await scene.expander.deliverDue();
  await scene.expander.settle();
  assert.deepEqual([(await scene.listRows()).length, scene.countAt("first")], [1, 0]);
  await scene.query("drop trigger crash on deliveries");
  scene.clock.advance(60_000);
  await scene.deliver();
  assert.deepEqual([scene.countAt("first"), (await scene.listRows()).length], [1, 3]);
  // A server that stopped before it could note the end claims nothing again.
  scene.clock.advance(60_000);
  const restarted = createPageExpander(scene.context, () => 0.5);
  assert.equal(await restarted.deliverDue(), 0);
});

test("two servers that expand the same page store its messages once", async (t) => {
  const scene = await createScene(t);
  await scene.run(scene.check, failing);
  const other = createPageExpander(scene.context, () => 0.5);
  await scene.expander.deliverDue();
  // The claim of the first server expires while it is still busy.
  await scene.query("update deliveries set claimed_until = null where status = 'PENDING'");
  await other.deliverDue();
  await Promise.all([scene.expander.settle(), other.settle()]);
  await scene.deliver();
  assert.equal(scene.countAt("first"), 1);
  assert.equal((await scene.listRows()).length, 3);
});

test("a crash while the fall-through is stored leaves it for the next attempt", async (t) => {
  const scene = await createScene(t);
  const fallback = await scene.addWebhook("/fallback");
  await scene.setSettings({ fallbackAlertChannelId: fallback });
  scene.refuse("/first", "/second");
  await scene.query(`create function crash() returns trigger language plpgsql as
    $$ begin raise exception 'crash' using errcode = '57P01'; end $$`);
  await scene.query(`create trigger crash before update of fell_through on deliveries
    for each row when (new.fell_through) execute function crash()`);
  await scene.run(scene.check, failing);
  await scene.deliver();
  assert.equal(scene.countAt("fallback"), 0);
  await scene.query("drop trigger crash on deliveries");
  scene.clock.advance(60_000);
  await scene.deliver();
  assert.equal(scene.countAt("fallback"), 1);
});
