/** A decision that needed a second connection within its transaction could exhaust the pool. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openTestPool } from "../../../test/support/database/database.ts";
import {
  type AlertingFixture,
  createAlertingFixture,
  failing,
} from "../../../test/support/modules/alerting.ts";
import { addService, triggerFor } from "../../../test/support/modules/automatic-incidents.ts";
import { makeResult } from "../../../test/support/modules/runs.ts";
import { createDatabase } from "../../platform/database-pool.ts";
import { recordResults } from "../../runs/recording/recorder.ts";
import { WatchList } from "../../runs/scheduling/watch-list.ts";
import { decideOnRuns, decideOnTicks, settleOwedIncidents } from "./decider.ts";

async function onOneConnection(
  t: TestContext,
  work: (fixture: AlertingFixture, context: AlertingFixture["context"]) => Promise<void>,
): Promise<void> {
  const fixture = await createAlertingFixture(t);
  // With one connection, a request for a second one fails instead of waiting forever.
  const pool = openTestPool(fixture.databaseUrl, { max: 1, connectionTimeoutMillis: 1_000 });
  const db = createDatabase(pool);
  const watchList = new WatchList(db, "home", () => false);
  try {
    await work(fixture, { ...fixture.context, db, watchList });
  } finally {
    await pool.end();
  }
}

test("a batch with alerts, stages, parents and incidents is decided on one connection", (t) =>
  onOneConnection(t, async (fixture, context) => {
    const serviceId = await addService(fixture);
    const hook = await fixture.addWebhook();
    const late = await fixture.addWebhook("/late");
    await fixture.setSettings({ escalationStages: [{ afterMinutes: 5, alertChannelIds: [late] }] });
    const checks = [];
    for (let index = 0; index < 30; index += 1) {
      const triggerIncident = triggerFor(serviceId);
      const check = await fixture.addCheck({ frequency: 1, triggerIncident });
      await fixture.subscribe(hook, { checkId: check.checkId });
      checks.push(check);
    }
    const dueAtMs = fixture.clock.now().getTime();
    const results = checks.map((check) => makeResult(check, { dueAtMs, outcome: failing }));
    await recordResults(fixture.context, results);
    assert.equal(await decideOnRuns(context), 30);
    const opened = await fixture.query("select count(*)::int as count from incidents");
    assert.deepEqual(opened, [{ count: 20 }], "the others are owed");
    await settleOwedIncidents(context);
    assert.deepEqual(await fixture.query("select count(*)::int as count from incidents"), [
      { count: 30 },
    ]);
    fixture.clock.advance(6 * 60_000);
    await decideOnTicks(context);
    const deliveries = await fixture.listDeliveries();
    const countOf = (id: number) => deliveries.filter((one) => one.alert_channel_id === id).length;
    assert.deepEqual([countOf(hook), countOf(late)], [30, 30]);
  }));

test("a check that fails alone is quarantined on one connection", (t) =>
  onOneConnection(t, async (fixture, context) => {
    const [broken, sound] = [await fixture.addCheck(), await fixture.addCheck()];
    await fixture.query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'on purpose'; end $$`);
    await fixture.query(`create trigger fail before insert on alerts for each row
    when (new.check_id = '${broken.checkId}') execute function fail()`);
    const dueAtMs = fixture.clock.now().getTime();
    const results = [broken, sound].map((check) =>
      makeResult(check, { dueAtMs, outcome: failing }),
    );
    await recordResults(fixture.context, results);
    assert.equal(await decideOnRuns(context), 1);
    assert.deepEqual(await fixture.query("select key, reason from set_aside"), [
      { key: broken.checkId, reason: "on purpose" },
    ]);
  }));
