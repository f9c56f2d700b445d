/** Tests quiet hours of channels with a real receiver and a real database. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  type AlertingFixture,
  createAlertingFixture,
  failing,
  passing,
} from "../../../test/support/modules/alerting.ts";
import type { QuietHours } from "../../channels/alert-channels/quiet-hours.ts";
import { deleteChannel } from "../../channels/alert-channels/store.ts";
import { weekdays } from "../../platform/week-hours.ts";
import type { Watched } from "../../runs/scheduling/watch-list.ts";
import { createAlertDeliverer } from "./deliverer.ts";

const minuteMs = 60_000;

interface Scene {
  readonly fixture: AlertingFixture;
  readonly checks: readonly Watched[];
  /** Quiet hours that began an hour ago and end in an hour. */
  readonly quietHours: QuietHours;
}

const clockTime = (at: Date, minutes: number) =>
  new Date(at.getTime() + minutes * minuteMs).toISOString().slice(11, 16);

async function createScene(t: TestContext, count = 2): Promise<Scene> {
  const fixture = await createAlertingFixture(t);
  await fixture.setSettings({ noDataMinutes: null, flapDamping: null });
  const checks: Watched[] = [];
  for (let place = 1; place <= count; place += 1) {
    checks.push(await fixture.addCheck({ frequency: 1, name: `Check ${place}` }));
  }
  const now = fixture.clock.now();
  const range = { days: weekdays, from: clockTime(now, -60), to: clockTime(now, 60) };
  const quietHours = { timeZone: "UTC", ranges: [range], mode: "HOLD", alertChannelId: null };
  return { fixture, checks, quietHours: { ...quietHours, mode: "HOLD" } };
}

async function addQuiet(scene: Scene, path: string, more: Partial<QuietHours> = {}) {
  const { fixture, checks, quietHours } = scene;
  const id = await fixture.addWebhook(path, { quietHours: { ...quietHours, ...more } });
  for (const { checkId } of checks) await fixture.subscribe(id, { checkId });
  return id;
}

async function runAll({ fixture, checks }: Scene, outcome: typeof failing): Promise<void> {
  for (const check of checks) await fixture.run(check, outcome);
  await fixture.deliver();
}

const bodiesOf = ({ fixture }: Scene, path: string) =>
  fixture.http.requests.filter((one) => one.path === path).map(({ body }) => JSON.parse(body));

async function endQuietHours({ fixture }: Scene): Promise<void> {
  fixture.clock.advance(61 * minuteMs);
  await fixture.deliver();
}

test("alerts of quiet hours and their recoveries are one digest at the end", async (t) => {
  const scene = await createScene(t, 3);
  const { fixture } = scene;
  await addQuiet(scene, "/quiet");
  const [first] = scene.checks;
  assert.ok(first);
  await runAll(scene, failing);
  fixture.clock.advance(10 * minuteMs);
  await fixture.run(first, passing);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived("/quiet"), []);
  const held = await fixture.query("select status, held_until, attempts from deliveries");
  assert.deepEqual(
    held.map(({ status, attempts }) => [status, attempts]),
    held.map(() => ["PENDING", 0]),
  );
  assert.equal(new Set(held.map(({ held_until }) => String(held_until))).size, 1);
  await endQuietHours(scene);
  const [digest, ...others] = bodiesOf(scene, "/quiet");
  assert.deepEqual(others, []);
  assert.equal(digest.title, "4 alerts: 3 failing, 1 recovered");
  assert.equal(digest.alerts.length, 4);
  fixture.clock.advance(minuteMs);
  await fixture.run(first, failing);
  await fixture.deliver();
  assert.equal(fixture.listReceived("/quiet").at(-1), "ALERT_FAILURE", "it is no longer quiet");
});

test("a single held alert is sent as itself", async (t) => {
  const scene = await createScene(t, 1);
  await addQuiet(scene, "/quiet");
  await runAll(scene, failing);
  await endQuietHours(scene);
  assert.deepEqual(scene.fixture.listReceived("/quiet"), ["ALERT_FAILURE"]);
});

test("a server that dies while it sends the digest repeats it unchanged", async (t) => {
  const scene = await createScene(t);
  const { fixture } = scene;
  await addQuiet(scene, "/quiet");
  await runAll(scene, failing);
  fixture.http.respond = () => ({ status: 500 });
  await endQuietHours(scene);
  fixture.http.respond = () => ({ status: 200 });
  fixture.clock.advance(10 * minuteMs);
  const other = createAlertDeliverer(fixture.context, () => 0.5);
  while ((await other.deliverDue()) > 0) await other.settle();
  const [tried, repeated, ...others] = fixture.http.requests;
  assert.equal(others.length, 0);
  assert.equal(repeated?.body, tried?.body);
  assert.equal(repeated?.headers["idempotency-key"], tried?.headers["idempotency-key"]);
});

test("alerts go to the other channel, once, and so does the recovery", async (t) => {
  const scene = await createScene(t, 1);
  const { fixture, checks } = scene;
  const other = await fixture.addWebhook("/other");
  const quiet = await addQuiet(scene, "/quiet", { mode: "REROUTE", alertChannelId: other });
  await runAll(scene, failing);
  assert.deepEqual(fixture.listReceived("/other"), ["ALERT_FAILURE"]);
  const [row] = await fixture.query("select alert_channel_id, rerouted_from_id from deliveries");
  assert.deepEqual(row, { alert_channel_id: other, rerouted_from_id: quiet });
  fixture.clock.advance(61 * minuteMs);
  const [check] = checks;
  assert.ok(check);
  await fixture.run(check, passing);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived("/other"), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  assert.deepEqual(fixture.listReceived("/quiet"), [], "it never received the failure");
});

test("a channel that alerted before its quiet hours gets the recovery at their end", async (t) => {
  const scene = await createScene(t, 1);
  const { fixture, quietHours } = scene;
  const other = await fixture.addWebhook("/other");
  const now = fixture.clock.now();
  const ranges = [{ days: weekdays, from: clockTime(now, 10), to: clockTime(now, 60) }];
  const reroute = { ...quietHours, ranges, mode: "REROUTE", alertChannelId: other } as const;
  await addQuiet(scene, "/quiet", reroute);
  await runAll(scene, failing);
  assert.deepEqual(fixture.listReceived("/quiet"), ["ALERT_FAILURE"]);
  fixture.clock.advance(20 * minuteMs);
  await runAll(scene, passing);
  assert.deepEqual(fixture.listReceived("/other"), [], "it never received the failure");
  assert.deepEqual(fixture.listReceived("/quiet"), ["ALERT_FAILURE"]);
  await endQuietHours(scene);
  assert.deepEqual(fixture.listReceived("/quiet"), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
});

test("a channel that receives the alert anyway receives it once", async (t) => {
  const scene = await createScene(t, 1);
  const { fixture, checks } = scene;
  const other = await fixture.addWebhook("/other");
  const [check] = checks;
  assert.ok(check);
  await fixture.subscribe(other, { checkId: check.checkId });
  await addQuiet(scene, "/quiet", { mode: "REROUTE", alertChannelId: other });
  await addQuiet(scene, "/second", { mode: "REROUTE", alertChannelId: other });
  await runAll(scene, failing);
  assert.deepEqual(fixture.listReceived("/other"), ["ALERT_FAILURE"]);
});

test("the other channel's own quiet hours hold the alert, and a loop sends it", async (t) => {
  const scene = await createScene(t, 1);
  const { fixture, quietHours } = scene;
  const holding = await fixture.addWebhook("/holding", { quietHours });
  await addQuiet(scene, "/quiet", { mode: "REROUTE", alertChannelId: holding });
  const one = await addQuiet(scene, "/one", { mode: "REROUTE" });
  const two = await fixture.addWebhook("/two", {
    quietHours: { ...quietHours, mode: "REROUTE", alertChannelId: one },
  });
  await fixture.query("update alert_channels set quiet_reroute_id = $2 where id = $1", one, two);
  await runAll(scene, failing);
  assert.deepEqual(fixture.listReceived("/holding"), []);
  const inLoop = [...fixture.listReceived("/one"), ...fixture.listReceived("/two")];
  assert.deepEqual(inLoop, ["ALERT_FAILURE"], "never lost, never repeated");
  await endQuietHours(scene);
  assert.deepEqual(fixture.listReceived("/holding"), ["ALERT_FAILURE"]);
});

test("without the other channel, alerts are sent as usual", async (t) => {
  const scene = await createScene(t, 1);
  const { fixture } = scene;
  const other = await fixture.addWebhook("/other");
  await addQuiet(scene, "/quiet", { mode: "REROUTE", alertChannelId: other });
  await deleteChannel(fixture.context.db, fixture.accountId, other);
  await runAll(scene, failing);
  assert.deepEqual(fixture.listReceived("/quiet"), ["ALERT_FAILURE"]);
});

test("changed quiet hours release what they held", async (t) => {
  const scene = await createScene(t);
  const { fixture } = scene;
  const id = await addQuiet(scene, "/quiet");
  await runAll(scene, failing);
  await fixture.query("update alert_channels set version = version + 1 where id = $1", id);
  await fixture.deliver();
  assert.deepEqual(bodiesOf(scene, "/quiet"), [], "other changes do not");
  await fixture.query("update alert_channels set quiet_hours = null where id = $1", id);
  await fixture.deliver();
  assert.equal(bodiesOf(scene, "/quiet").length, 1);
});

test("a decision that is lost is made again with its hold", async (t) => {
  const scene = await createScene(t, 1);
  const { fixture } = scene;
  await addQuiet(scene, "/quiet");
  await fixture.query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'on purpose'; end $$`);
  await fixture.query(`create trigger fail before insert on deliveries for each row
    execute function fail()`);
  await runAll(scene, failing);
  await fixture.query("drop trigger fail on deliveries");
  fixture.clock.advance(5 * minuteMs);
  await runAll(scene, failing);
  assert.deepEqual(fixture.listReceived("/quiet"), []);
  await endQuietHours(scene);
  const alerts = bodiesOf(scene, "/quiet");
  assert.deepEqual(
    alerts.map(({ alertType }) => alertType),
    ["ALERT_FAILURE"],
  );
});
