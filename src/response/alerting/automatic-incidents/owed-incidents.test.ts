/** Tests that an alert changes its incident exactly once, whatever fails in between. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type pg from "pg";
import { captureLog } from "../../../../test/support/apps/log.ts";
import { failing, passing } from "../../../../test/support/modules/alerting.ts";
import {
  addPlannedWindow,
  addService,
  createIncidentScene,
  type IncidentScene,
  triggerFor,
} from "../../../../test/support/modules/automatic-incidents.ts";
import { makeResult } from "../../../../test/support/modules/runs.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import type { Database } from "../../../platform/database.ts";
import { createDatabase } from "../../../platform/database-pool.ts";
import { recordResults } from "../../../runs/recording/recorder.ts";
import { decideOnRuns, settleOwedIncidents } from "../decider.ts";

const open = ["INVESTIGATING"];
const closed = ["INVESTIGATING", "RESOLVED"];

function settle({ fixture }: IncidentScene): Promise<number> {
  return settleOwedIncidents(fixture.context);
}

async function record({ fixture, check }: IncidentScene, outcome: typeof failing): Promise<void> {
  const dueAtMs = fixture.clock.now().getTime();
  await recordResults(fixture.context, [makeResult(check, { dueAtMs, outcome })]);
}

const kindsOf = async ({ fixture, check }: IncidentScene) =>
  (await fixture.listAlerts(check.checkId)).map(({ kind }) => kind);
const countOwed = async ({ fixture }: IncidentScene) =>
  (await fixture.query("select 1 from owed_incidents")).length;

/** Error message of the driver. It does not point to a bad row, so no row is quarantined. */
const terminated = "Connection terminated unexpectedly";

/** A database whose connections break at a given statement. */
function breakAt(pool: pg.Pool, statement: RegExp): Database {
  const connect = async () => {
    const client = await pool.connect();
    const broken = Object.create(client) as pg.PoolClient;
    broken.query = ((...parts: [string | { text: string }]) => {
      const [query] = parts;
      const text = typeof query === "string" ? query : query.text;
      if (statement.test(text)) return Promise.reject(new Error(terminated));
      return (client.query as (...all: unknown[]) => unknown)(...parts);
    }) as pg.PoolClient["query"];
    broken.release = (error) => client.release(error);
    return broken;
  };
  const breaking = { connect } as unknown as pg.Pool;
  return createDatabase(breaking);
}

/** A broken connection keeps its locks until PostgreSQL notices the disconnect. */
function untilNobodyDecides({ fixture }: IncidentScene): Promise<void> {
  return waitUntil("nobody holds the lock of the decider", async () => {
    const held = await fixture.query(
      `select 1 from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and datname = current_database()`,
    );
    return held.length === 0;
  });
}

for (const [when, statement] of [
  ["before the commit", /^commit$/],
  ["before the run is deleted", /^delete from notable_runs/],
] as const) {
  test(`a decision that fails ${when} stores nothing, and its retry opens one incident`, async (t) => {
    const scene = await createIncidentScene(t);
    const { context } = scene.fixture;
    await record(scene, failing);
    const dying = { ...context, db: breakAt(scene.fixture.pool, statement) };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assert.rejects(decideOnRuns(dying), new RegExp(terminated));
      await untilNobodyDecides(scene);
      assert.deepEqual(await scene.listCourses(), []);
    }
    await Promise.all([decideOnRuns(context), decideOnRuns(context), decideOnRuns(context)]);
    assert.deepEqual(await scene.listCourses(), [open]);
    assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE"]);
    scene.fixture.clock.advance(60_000);
    await record(scene, passing);
    await assert.rejects(decideOnRuns(dying), new RegExp(terminated));
    await untilNobodyDecides(scene);
    await decideOnRuns(context);
    assert.deepEqual(await scene.listCourses(), [closed]);
  });
}

test("the same run queued twice opens one incident", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture } = scene;
  await record(scene, failing);
  await fixture.query(
    `insert into notable_runs (account_id, check_id, result_id, location, verdict, due_at,
      recorded_at) select account_id, check_id, result_id, location, verdict, due_at, recorded_at
      from notable_runs`,
  );
  await decideOnRuns(fixture.context);
  assert.deepEqual(await scene.listCourses(), [open]);
});

test("an incident that cannot be written does not hold the alert, and is opened later", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check } = scene;
  const channelId = await fixture.addWebhook();
  await fixture.subscribe(channelId, { checkId: check.checkId });
  await fixture.query("alter table incident_updates rename to away");
  await fixture.run(check, failing);
  assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE"]);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived(), ["ALERT_FAILURE"]);
  assert.deepEqual(await fixture.query("select id from incidents"), []);
  await fixture.query("alter table away rename to incident_updates");
  assert.equal(await settle(scene), 0);
  fixture.clock.advance(60_000);
  assert.equal(await settle(scene), 1);
  assert.deepEqual(await scene.listCourses(), [open]);
  assert.equal(await countOwed(scene), 0);
});

test("a resolution that cannot be written is retried, unless the check fails again", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check } = scene;
  await fixture.run(check, failing);
  const breakWriting = () => fixture.query("alter table incident_updates rename to away");
  const restoreWriting = () => fixture.query("alter table away rename to incident_updates");
  fixture.clock.advance(60_000);
  await breakWriting();
  await fixture.run(check, passing);
  await restoreWriting();
  fixture.clock.advance(60_000);
  await fixture.run(check, failing);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), [open]);
  fixture.clock.advance(60_000);
  await breakWriting();
  await fixture.run(check, passing);
  await restoreWriting();
  assert.deepEqual(await scene.listCourses(), [open]);
  fixture.clock.advance(60_000);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), [closed]);
  assert.equal(await countOwed(scene), 0);
});

test("an incident that can never be written is abandoned", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check } = scene;
  await fixture.query("alter table incident_updates rename to away");
  await fixture.run(check, failing);
  let rounds = 0;
  for (; rounds < 100 && (await countOwed(scene)) > 0; rounds += 1) {
    fixture.clock.advance(60_000);
    await settle(scene);
  }
  assert.equal(rounds, 59);
});

test("a broken owed incident is quarantined, and the others are opened", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check: poisoned, serviceId } = scene;
  const sound = await fixture.addCheck({ frequency: 1, triggerIncident: triggerFor(serviceId) });
  await fixture.query("alter table incident_updates rename to away");
  await fixture.run(poisoned, failing);
  await fixture.run(sound, failing);
  await fixture.query("alter table away rename to incident_updates");
  await fixture.query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'on purpose'; end $$`);
  await fixture.query(`create trigger fail before delete on owed_incidents for each row
    when (old.check_id = '${poisoned.checkId}') execute function fail()`);
  fixture.clock.advance(60_000);
  assert.equal(await settle(scene), 1);
  const followed = (await scene.listIncidents()).map(({ check_id }) => check_id);
  assert.deepEqual(followed, [sound.checkId]);
  assert.deepEqual(await fixture.query("select work, key, reason, attempts from set_aside"), [
    {
      work: "open and resolve owed incidents",
      key: poisoned.checkId,
      reason: "on purpose",
      attempts: 1,
    },
  ]);
  await fixture.query("drop trigger fail on owed_incidents");
  fixture.clock.advance(60_000);
  assert.equal(await settle(scene), 1);
  assert.deepEqual(await scene.listCourses(), [open, open]);
  assert.deepEqual(await fixture.query("select work from set_aside"), []);
});

test("a broken window does not hold the alert, and the incident is owed", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check } = scene;
  const times = { fromMinutes: -1, toMinutes: 5 };
  await addPlannedWindow(fixture, times, suppressing);
  await fixture.query(
    `update maintenance_windows set visibility = visibility || '{"serviceIds": null}'`,
  );
  await fixture.run(check, failing);
  assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE"]);
  assert.equal(await countOwed(scene), 1);
});

test("a locked incident does not delay the alert", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check } = scene;
  await fixture.run(check, failing);
  fixture.clock.advance(60_000);
  const holder = await fixture.pool.connect();
  await holder.query("begin");
  await holder.query("select id from incidents for update");
  await fixture.run(check, passing);
  await holder.query("commit");
  holder.release();
  assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  assert.deepEqual(await scene.listCourses(), [open]);
  fixture.clock.advance(60_000);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), [closed]);
});

test("when many checks fail at once, alerts do not wait for all incidents", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, serviceId } = scene;
  const triggerIncident = triggerFor(serviceId);
  const checks = [scene.check];
  while (checks.length < 50) checks.push(await fixture.addCheck({ frequency: 1, triggerIncident }));
  const recordAll = async (outcome: typeof failing) => {
    const dueAtMs = fixture.clock.now().getTime();
    const results = checks.map((check) => makeResult(check, { dueAtMs, outcome }));
    await recordResults(fixture.context, results);
    await decideOnRuns(fixture.context);
  };
  await recordAll(failing);
  const [sent] = await fixture.query("select count(*) from alerts where kind = 'ALERT_FAILURE'");
  assert.equal(sent?.count, 50);
  assert.equal((await scene.listIncidents()).length, 20);
  while ((await settle(scene)) > 0);
  assert.deepEqual(await scene.listCourses(), Array(50).fill(open));
  fixture.clock.advance(60_000);
  await recordAll(passing);
  while ((await settle(scene)) > 0);
  assert.deepEqual(await scene.listCourses(), Array(50).fill(closed));
  assert.equal(await countOwed(scene), 0);
});

test("an incident whose service was deleted is not opened, and this is logged", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture } = scene;
  await fixture.query("delete from services");
  await record(scene, failing);
  const { log, text } = captureLog();
  await decideOnRuns({ ...fixture.context, log });
  assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE"]);
  assert.deepEqual(await scene.listCourses(), []);
  assert.equal(await countOwed(scene), 0);
  assert.match(text(), /its service was deleted/);
  assert.match(text(), new RegExp(scene.serviceId));
});

const suppressing = { enabled: true, suppressAutoIncidents: true };

test("a window that suppresses incidents does not hold the alert; the incident opens after the window", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check, serviceId } = scene;
  const times = { fromMinutes: -1, toMinutes: 5 };
  await addPlannedWindow(fixture, times, { ...suppressing, serviceIds: [serviceId] });
  await fixture.run(check, failing);
  assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE"]);
  for (let minute = 1; minute < 5; minute += 1) {
    fixture.clock.advance(60_000);
    await fixture.run(check, failing);
    assert.equal(await settle(scene), 1);
    assert.deepEqual(await scene.listCourses(), [], `minute ${minute}`);
  }
  fixture.clock.advance(60_000);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), [open]);
  fixture.clock.advance(60_000);
  await fixture.run(check, passing);
  assert.deepEqual(await scene.listCourses(), [closed]);
});

test("a check that recovers before the window ends opens no incident", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check } = scene;
  const times = { fromMinutes: -1, toMinutes: 5 };
  await addPlannedWindow(fixture, times, { ...suppressing, affectAllServices: true });
  await fixture.run(check, failing);
  assert.equal(await countOwed(scene), 1);
  fixture.clock.advance(60_000);
  await fixture.run(check, passing);
  fixture.clock.advance(600_000);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), []);
  assert.equal(await countOwed(scene), 0);
});

test("a check that was muted meanwhile opens its owed incident when it is unmuted", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check } = scene;
  const times = { fromMinutes: -1, toMinutes: 2 };
  await addPlannedWindow(fixture, times, { ...suppressing, affectAllServices: true });
  await fixture.run(check, failing);
  await fixture.editCheck(check.checkId, { muted: true });
  fixture.clock.advance(180_000);
  assert.equal(await settle(scene), 1);
  assert.deepEqual(await scene.listCourses(), []);
  await fixture.editCheck(check.checkId, { muted: false });
  fixture.clock.advance(60_000);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), [open]);
});

test("a check without a trigger owes no incident", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, check } = scene;
  const times = { fromMinutes: -1, toMinutes: 2 };
  await addPlannedWindow(fixture, times, { ...suppressing, affectAllServices: true });
  await fixture.run(check, failing);
  await fixture.editCheck(check.checkId, { triggerIncident: null });
  fixture.clock.advance(180_000);
  await settle(scene);
  assert.equal(await countOwed(scene), 0);
  assert.deepEqual(await scene.listCourses(), []);
});

test("a window suppresses only incidents of its services, and only while it is open", async (t) => {
  const scene = await createIncidentScene(t);
  const { fixture, serviceId } = scene;
  const other = await addService(fixture, "Other");
  const now = { fromMinutes: -1, toMinutes: 5 };
  const own = { serviceIds: [serviceId] };
  await addPlannedWindow(fixture, now, { ...suppressing, serviceIds: [other] });
  await addPlannedWindow(fixture, now, { ...suppressing, ...own, enabled: false });
  await addPlannedWindow(fixture, now, { ...suppressing, ...own, suppressAutoIncidents: false });
  await addPlannedWindow(fixture, { fromMinutes: -9, toMinutes: 0 }, { ...suppressing, ...own });
  await addPlannedWindow(fixture, { fromMinutes: 1, toMinutes: 9 }, { ...suppressing, ...own });
  await fixture.run(scene.check, failing);
  assert.deepEqual(await scene.listCourses(), [open]);
});
