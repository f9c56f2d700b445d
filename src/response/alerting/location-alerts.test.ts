import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { createAlertingFixture, passing } from "../../../test/support/modules/alerting.ts";
import { createPeople } from "../../../test/support/modules/pages.ts";
import {
  createLocationWatch,
  decideOnLocation,
  type LocationFacts,
  silentAfterMs,
} from "./location-watcher.ts";

async function createScene(t: TestContext) {
  const fixture = await createAlertingFixture(t);
  const { context, query, accountId, clock } = fixture;
  const id = randomUUID();
  await query(
    `insert into private_locations (id, account_id, name, slug_name, created_at)
      values ($1, $2, 'The office', 'office', now())`,
    id,
    accountId,
  );
  const hello = () =>
    query(
      `insert into probes (id, location, route, is_built_in, version, ipv4_sources, ipv6_sources,
          is_suspect, started_at, last_seen_at, limitations)
        values ('office-1', 'office', $1, false, '1', '{}', '{}', false, $2, $2, '{}')
        on conflict (id) do update set last_seen_at = excluded.last_seen_at`,
      id,
      clock.now(),
    );
  const startMs = clock.now().getTime();
  const look = createLocationWatch(context, startMs);
  const wait = async (ms: number) => {
    clock.advance(ms);
    await look();
  };
  return { ...fixture, id, hello, look, wait };
}

test("a location that goes offline is reported once, and so is its return", async (t) => {
  const scene = await createScene(t);
  const { addCheck, addWebhook, subscribe, hello, look, wait, deliver, listReceived, id } = scene;
  const places = { locations: [], privateLocations: ["office"] };
  const one = await addCheck({ name: "One", ...places });
  const two = await addCheck({ name: "Two", ...places });
  const elsewhere = await addCheck({ name: "Elsewhere" });
  const hook = await addWebhook("/office");
  for (const { checkId } of [one, two]) await subscribe(hook, { checkId });
  await subscribe(await addWebhook("/elsewhere"), { checkId: elsewhere.checkId });
  await look();
  await wait(10 * silentAfterMs);
  assert.deepEqual(await scene.listAlerts(id), [], "the location is not in use yet");
  await hello();
  await look();
  await wait(silentAfterMs - 1);
  assert.deepEqual(await scene.listAlerts(id), []);
  await wait(1);
  await wait(60_000);
  assert.deepEqual(
    (await scene.listAlerts(id)).map(({ kind, reason }) => [kind, reason]),
    [["ALERT_NO_DATA", "location-silent"]],
  );
  await deliver();
  assert.deepEqual(listReceived("/office"), ["ALERT_NO_DATA"], "one message for both checks");
  assert.deepEqual(listReceived("/elsewhere"), []);
  const [sent] = await scene.query("select message::text from deliveries where check_id = $1", id);
  const message = JSON.parse(String(sent?.message));
  assert.match(message.title, /The office: no probe/);
  assert.match(message.reason, /2 checks run there/);
  assert.equal(message.resultUrl, "https://vedette.example/locations/office");
  await hello();
  await look();
  await look();
  await deliver();
  assert.deepEqual(listReceived("/office"), ["ALERT_NO_DATA", "ALERT_RECOVERY"]);
});

test("while a location is reported as offline, its checks send no alerts", async (t) => {
  const scene = await createScene(t);
  const { addCheck, addWebhook, subscribe, run, pass, hello, look, wait, deliver } = scene;
  const check = await addCheck({ locations: [], privateLocations: ["office"], frequency: 1 });
  await subscribe(await addWebhook(), { checkId: check.checkId });
  await hello();
  await look();
  await run(check, passing);
  await wait(silentAfterMs);
  for (let minute = 0; minute < 12; minute += 1) {
    await run(check, { kind: "no-probe", message: "No probe serves this location." });
    await pass(1);
  }
  const held = (await scene.listAlerts(check.checkId)).filter(({ held_kind }) => held_kind);
  assert.deepEqual(
    held.map(({ held_kind, reason }) => [held_kind, reason]),
    [["ALERT_NO_DATA", "location-silent"]],
  );
  await deliver();
  assert.deepEqual(scene.listReceived(), ["ALERT_NO_DATA"], "the alert of the location");
});

test("where only a policy is used, its first step is paged, and receives the return", async (t) => {
  const scene = await createScene(t);
  const { addCheck, hello, look, wait, deliver, listReceived } = scene;
  const { addMember, addPolicy } = createPeople(scene);
  await addCheck({ locations: [], privateLocations: ["office"] });
  const ada = await addMember("Ada", [["ada", 0]]);
  const ben = await addMember("Ben", [["ben", 0]]);
  await addPolicy({
    targets: [
      [5, ada],
      [10, ben],
    ],
  });
  await hello();
  await look();
  await wait(silentAfterMs);
  await deliver();
  assert.deepEqual(listReceived("/ada"), ["ALERT_NO_DATA"]);
  await hello();
  await look();
  await deliver();
  assert.deepEqual(listReceived("/ada"), ["ALERT_NO_DATA", "ALERT_RECOVERY"]);
  assert.deepEqual(listReceived("/ben"), []);
});

test("a check alerts by itself if the outage of its location was not reported to it", async (t) => {
  const scene = await createScene(t);
  const { addCheck, addWebhook, subscribe, run, hello, look, wait, pass, deliver, query } = scene;
  const places = { locations: [], privateLocations: ["office"], frequency: 1 };
  const loud = await addCheck({ name: "Loud", ...places });
  const unheard = await addCheck({ name: "Unheard", ...places });
  await subscribe(await addWebhook("/loud"), { checkId: loud.checkId });
  const quiet = await addWebhook("/quiet", { sendFailure: false });
  await subscribe(quiet, { checkId: unheard.checkId });
  await hello();
  await look();
  await run(loud, passing);
  await run(unheard, passing);
  await wait(silentAfterMs);
  await query("update alert_channels set send_failure = true");
  for (const check of [loud, unheard]) {
    await run(check, { kind: "no-probe", message: "No probe serves this location." });
  }
  await pass(12);
  await deliver();
  assert.deepEqual(scene.listReceived("/loud"), ["ALERT_NO_DATA"], "the alert of the location");
  assert.deepEqual(scene.listReceived("/quiet"), ["ALERT_NO_DATA"], "the alert of the check");
});

test("an outage that cannot be reported to anybody is reported once somebody is there", async (t) => {
  const scene = await createScene(t);
  const { addCheck, addWebhook, subscribe, hello, look, wait, deliver } = scene;
  const check = await addCheck({ locations: [], privateLocations: ["office"] });
  await hello();
  await look();
  await wait(silentAfterMs);
  assert.deepEqual(await scene.listAlerts(scene.id), []);
  await subscribe(await addWebhook(), { checkId: check.checkId });
  await wait(15_000);
  await deliver();
  assert.deepEqual(scene.listReceived(), ["ALERT_NO_DATA"]);
});

test("a location is not offline while the database stores no heartbeats", async (t) => {
  const scene = await createScene(t);
  const { addCheck, addWebhook, subscribe, hello, look, wait, query } = scene;
  const check = await addCheck({ locations: [], privateLocations: ["office"] });
  await subscribe(await addWebhook(), { checkId: check.checkId });
  await hello();
  await look();
  await query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
  await query("create trigger fail before update on private_locations execute function fail()");
  for (let minute = 0; minute < 5; minute += 1) await assert.rejects(wait(60_000), /extend file/);
  await query("drop function fail cascade");
  await wait(15_000);
  assert.deepEqual(await scene.listAlerts(scene.id), []);
  await wait(silentAfterMs);
  assert.equal((await scene.listAlerts(scene.id)).length, 1, "its probe has not returned");
});

test("a quarantined probe does not count as online, and muted checks send no alert", async (t) => {
  const scene = await createScene(t);
  const { addCheck, addWebhook, subscribe, hello, look, wait, query, id } = scene;
  const check = await addCheck({ locations: [], privateLocations: ["office"], muted: true });
  await subscribe(await addWebhook(), { checkId: check.checkId });
  await hello();
  await look();
  await query("update probes set quarantined_at = now()");
  scene.clock.advance(silentAfterMs);
  await hello();
  await look();
  assert.deepEqual(await scene.listAlerts(id), [], "held by the mute");
  await query(`update checks set settings = jsonb_set(settings, '{muted}', 'false')`);
  scene.context.watchList.forgetAll();
  await wait(0);
  assert.deepEqual(
    (await scene.listAlerts(id)).map(({ reason }) => reason),
    ["location-silent"],
  );
});

const facts = fc.record({
  isServed: fc.boolean(),
  servedAtMs: fc.option(fc.nat(1_000_000)),
  reportedAtMs: fc.option(fc.nat(1_000_000)),
});
const time = fc.record({ nowMs: fc.nat(2_000_000), awakeSinceMs: fc.nat(2_000_000) });

test("offline and online reports alternate", () => {
  fc.assert(
    fc.property(facts, time, (some: LocationFacts, at) => {
      const decision = decideOnLocation(some, at);
      if (decision === "report-outage") assert.ok(!some.isServed && some.reportedAtMs === null);
      if (decision === "report-return") assert.ok(some.isServed && some.reportedAtMs !== null);
      if (at.nowMs - at.awakeSinceMs < silentAfterMs) assert.notEqual(decision, "report-outage");
    }),
  );
});
