/** What an alert asks of its incident happens once, whatever fails on the way. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Kysely } from "kysely";
import type pg from "pg";
import { captureLog } from "../../../../test/support/apps/log.ts";
import { failing, passing } from "../../../../test/support/rooms/alerting.ts";
import {
  addPlannedWindow,
  addService,
  createIncidentScene,
  type IncidentScene,
  triggerFor,
} from "../../../../test/support/rooms/automatic-incidents.ts";
import { makeResult } from "../../../../test/support/rooms/runs.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import type { Database } from "../../../platform/database.ts";
import { createDialect } from "../../../platform/postgres-driver.ts";
import { recordResults } from "../../runs/recorder.ts";
import { decideOnRuns, settleOwedIncidents } from "../decider.ts";

const open = ["INVESTIGATING"];
const closed = ["INVESTIGATING", "RESOLVED"];

function settle({ world }: IncidentScene): Promise<number> {
  return settleOwedIncidents(world.context);
}

async function record({ world, check }: IncidentScene, outcome: typeof failing): Promise<void> {
  const dueAtMs = world.clock.now().getTime();
  await recordResults(world.context, [makeResult(check, { dueAtMs, outcome })]);
}

const kindsOf = async ({ world, check }: IncidentScene) =>
  (await world.listAlerts(check.checkId)).map(({ kind }) => kind);
const countOwed = async ({ world }: IncidentScene) =>
  (await world.query("select 1 from owed_incidents")).length;

/** In the words of the driver: nothing is wrong with the rows, so nothing is set aside. */
const terminated = "Connection terminated unexpectedly";

/** A database whose connections break when they are asked for a certain statement. */
function breakAt(pool: pg.Pool, statement: RegExp): Database {
  const connect = async () => {
    const client = await pool.connect();
    const broken = Object.create(client) as pg.PoolClient;
    broken.query = ((...parts: [string | { text: string }]) => {
      const [asked] = parts;
      const text = typeof asked === "string" ? asked : asked.text;
      if (statement.test(text)) return Promise.reject(new Error(terminated));
      return (client.query as (...all: unknown[]) => unknown)(...parts);
    }) as pg.PoolClient["query"];
    broken.release = (error) => client.release(error);
    return broken;
  };
  const breaking = { connect } as unknown as pg.Pool;
  return new Kysely<unknown>({ dialect: createDialect(breaking) });
}

/** A connection that broke keeps what it had locked until the database has noticed. */
function untilNobodyDecides({ world }: IncidentScene): Promise<void> {
  return waitUntil("nobody holds the lock of the decider", async () => {
    const held = await world.query(
      `select 1 from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and datname = current_database()`,
    );
    return held.length === 0;
  });
}

for (const [when, statement] of [
  ["before the commit", /^commit$/],
  ["before the run is forgotten", /^delete from notable_runs/],
] as const) {
  test(`a decision that dies ${when} leaves nothing, and made again one incident`, async (t) => {
    const scene = await createIncidentScene(t);
    const { context } = scene.world;
    await record(scene, failing);
    const dying = { ...context, db: breakAt(scene.world.pool, statement) };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assert.rejects(decideOnRuns(dying), new RegExp(terminated));
      await untilNobodyDecides(scene);
      assert.deepEqual(await scene.listCourses(), []);
    }
    await Promise.all([decideOnRuns(context), decideOnRuns(context), decideOnRuns(context)]);
    assert.deepEqual(await scene.listCourses(), [open]);
    assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE"]);
    scene.world.clock.advance(60_000);
    await record(scene, passing);
    await assert.rejects(decideOnRuns(dying), new RegExp(terminated));
    await untilNobodyDecides(scene);
    await decideOnRuns(context);
    assert.deepEqual(await scene.listCourses(), [closed]);
  });
}

test("the same run queued twice opens one incident", async (t) => {
  const scene = await createIncidentScene(t);
  const { world } = scene;
  await record(scene, failing);
  await world.query(
    `insert into notable_runs (account_id, check_id, result_id, location, verdict, due_at,
      recorded_at) select account_id, check_id, result_id, location, verdict, due_at, recorded_at
      from notable_runs`,
  );
  await decideOnRuns(world.context);
  assert.deepEqual(await scene.listCourses(), [open]);
});

test("an incident that cannot be written does not hold the alert, and is opened later", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, check } = scene;
  const channelId = await world.addWebhook();
  await world.subscribe(channelId, { checkId: check.checkId });
  await world.query("alter table incident_updates rename to away");
  await world.run(check, failing);
  assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE"]);
  await world.deliver();
  assert.deepEqual(world.heardAt(), ["ALERT_FAILURE"]);
  assert.deepEqual(await world.query("select id from incidents"), []);
  await world.query("alter table away rename to incident_updates");
  assert.equal(await settle(scene), 0);
  world.clock.advance(60_000);
  assert.equal(await settle(scene), 1);
  assert.deepEqual(await scene.listCourses(), [open]);
  assert.equal(await countOwed(scene), 0);
});

test("a resolution that cannot be written is retried, unless the check fails again", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, check } = scene;
  await world.run(check, failing);
  const breakWriting = () => world.query("alter table incident_updates rename to away");
  const mendWriting = () => world.query("alter table away rename to incident_updates");
  world.clock.advance(60_000);
  await breakWriting();
  await world.run(check, passing);
  await mendWriting();
  world.clock.advance(60_000);
  await world.run(check, failing);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), [open]);
  world.clock.advance(60_000);
  await breakWriting();
  await world.run(check, passing);
  await mendWriting();
  assert.deepEqual(await scene.listCourses(), [open]);
  world.clock.advance(60_000);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), [closed]);
  assert.equal(await countOwed(scene), 0);
});

test("an incident that can never be written is given up", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, check } = scene;
  await world.query("alter table incident_updates rename to away");
  await world.run(check, failing);
  let rounds = 0;
  for (; rounds < 100 && (await countOwed(scene)) > 0; rounds += 1) {
    world.clock.advance(60_000);
    await settle(scene);
  }
  assert.equal(rounds, 59);
});

test("a broken owed incident is set aside, and the others are opened", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, check: poisoned, serviceId } = scene;
  const sound = await world.addCheck({ frequency: 1, triggerIncident: triggerFor(serviceId) });
  await world.query("alter table incident_updates rename to away");
  await world.run(poisoned, failing);
  await world.run(sound, failing);
  await world.query("alter table away rename to incident_updates");
  await world.query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'on purpose'; end $$`);
  await world.query(`create trigger fail before delete on owed_incidents for each row
    when (old.check_id = '${poisoned.checkId}') execute function fail()`);
  world.clock.advance(60_000);
  assert.equal(await settle(scene), 1);
  const followed = (await scene.listIncidents()).map(({ check_id }) => check_id);
  assert.deepEqual(followed, [sound.checkId]);
  assert.deepEqual(await world.query("select work, key, reason, attempts from set_aside"), [
    {
      work: "open and resolve owed incidents",
      key: poisoned.checkId,
      reason: "on purpose",
      attempts: 1,
    },
  ]);
  await world.query("drop trigger fail on owed_incidents");
  world.clock.advance(60_000);
  assert.equal(await settle(scene), 1);
  assert.deepEqual(await scene.listCourses(), [open, open]);
  assert.deepEqual(await world.query("select work from set_aside"), []);
});

test("a broken window does not hold the alert, and the incident is owed", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, check } = scene;
  const times = { fromMinutes: -1, toMinutes: 5 };
  await addPlannedWindow(world, times, suppressing);
  await world.query(
    `update maintenance_windows set visibility = visibility || '{"serviceIds": null}'`,
  );
  await world.run(check, failing);
  assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE"]);
  assert.equal(await countOwed(scene), 1);
});

test("a locked incident does not delay the alert", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, check } = scene;
  await world.run(check, failing);
  world.clock.advance(60_000);
  const holder = await world.pool.connect();
  await holder.query("begin");
  await holder.query("select id from incidents for update");
  await world.run(check, passing);
  await holder.query("commit");
  holder.release();
  assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE", "ALERT_RECOVERY"]);
  assert.deepEqual(await scene.listCourses(), [open]);
  world.clock.advance(60_000);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), [closed]);
});

test("when many checks fail at once, alerts do not wait for all incidents", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, serviceId } = scene;
  const triggerIncident = triggerFor(serviceId);
  const checks = [scene.check];
  while (checks.length < 50) checks.push(await world.addCheck({ frequency: 1, triggerIncident }));
  const recordAll = async (outcome: typeof failing) => {
    const dueAtMs = world.clock.now().getTime();
    const results = checks.map((check) => makeResult(check, { dueAtMs, outcome }));
    await recordResults(world.context, results);
    await decideOnRuns(world.context);
  };
  await recordAll(failing);
  const [sent] = await world.query("select count(*) from alerts where kind = 'ALERT_FAILURE'");
  assert.equal(sent?.count, 50);
  assert.equal((await scene.listIncidents()).length, 20);
  while ((await settle(scene)) > 0);
  assert.deepEqual(await scene.listCourses(), Array(50).fill(open));
  world.clock.advance(60_000);
  await recordAll(passing);
  while ((await settle(scene)) > 0);
  assert.deepEqual(await scene.listCourses(), Array(50).fill(closed));
  assert.equal(await countOwed(scene), 0);
});

test("an incident whose service was deleted is not opened, and this is logged", async (t) => {
  const scene = await createIncidentScene(t);
  const { world } = scene;
  await world.query("delete from services");
  await record(scene, failing);
  const { log, text } = captureLog();
  await decideOnRuns({ ...world.context, log });
  assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE"]);
  assert.deepEqual(await scene.listCourses(), []);
  assert.equal(await countOwed(scene), 0);
  assert.match(text(), /its service was deleted/);
  assert.match(text(), new RegExp(scene.serviceId));
});

const suppressing = { enabled: true, suppressAutoIncidents: true };

test("a window that suppresses incidents lets the alert pass; the incident is opened after it", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, check, serviceId } = scene;
  const times = { fromMinutes: -1, toMinutes: 5 };
  await addPlannedWindow(world, times, { ...suppressing, serviceIds: [serviceId] });
  await world.run(check, failing);
  assert.deepEqual(await kindsOf(scene), ["ALERT_FAILURE"]);
  for (let minute = 1; minute < 5; minute += 1) {
    world.clock.advance(60_000);
    await world.run(check, failing);
    assert.equal(await settle(scene), 1);
    assert.deepEqual(await scene.listCourses(), [], `minute ${minute}`);
  }
  world.clock.advance(60_000);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), [open]);
  world.clock.advance(60_000);
  await world.run(check, passing);
  assert.deepEqual(await scene.listCourses(), [closed]);
});

test("a check that recovers before the window ends opens no incident", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, check } = scene;
  const times = { fromMinutes: -1, toMinutes: 5 };
  await addPlannedWindow(world, times, { ...suppressing, affectAllServices: true });
  await world.run(check, failing);
  assert.equal(await countOwed(scene), 1);
  world.clock.advance(60_000);
  await world.run(check, passing);
  world.clock.advance(600_000);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), []);
  assert.equal(await countOwed(scene), 0);
});

test("a check that was muted meanwhile opens its owed incident when it is unmuted", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, check } = scene;
  const times = { fromMinutes: -1, toMinutes: 2 };
  await addPlannedWindow(world, times, { ...suppressing, affectAllServices: true });
  await world.run(check, failing);
  await world.editCheck(check.checkId, { muted: true });
  world.clock.advance(180_000);
  assert.equal(await settle(scene), 1);
  assert.deepEqual(await scene.listCourses(), []);
  await world.editCheck(check.checkId, { muted: false });
  world.clock.advance(60_000);
  await settle(scene);
  assert.deepEqual(await scene.listCourses(), [open]);
});

test("a check without a trigger owes no incident", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, check } = scene;
  const times = { fromMinutes: -1, toMinutes: 2 };
  await addPlannedWindow(world, times, { ...suppressing, affectAllServices: true });
  await world.run(check, failing);
  await world.editCheck(check.checkId, { triggerIncident: null });
  world.clock.advance(180_000);
  await settle(scene);
  assert.equal(await countOwed(scene), 0);
  assert.deepEqual(await scene.listCourses(), []);
});

test("a window suppresses only incidents of its services, and only while it is open", async (t) => {
  const scene = await createIncidentScene(t);
  const { world, serviceId } = scene;
  const other = await addService(world, "Other");
  const now = { fromMinutes: -1, toMinutes: 5 };
  const own = { serviceIds: [serviceId] };
  await addPlannedWindow(world, now, { ...suppressing, serviceIds: [other] });
  await addPlannedWindow(world, now, { ...suppressing, ...own, enabled: false });
  await addPlannedWindow(world, now, { ...suppressing, ...own, suppressAutoIncidents: false });
  await addPlannedWindow(world, { fromMinutes: -9, toMinutes: 0 }, { ...suppressing, ...own });
  await addPlannedWindow(world, { fromMinutes: 1, toMinutes: 9 }, { ...suppressing, ...own });
  await world.run(scene.check, failing);
  assert.deepEqual(await scene.listCourses(), [open]);
});
