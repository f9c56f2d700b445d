/** Tests that hours are marked if a result arrives when they may already be rolled up. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  createRunsFixture,
  makeResult,
  type RunsFixture,
} from "../../../test/support/modules/runs.ts";
import type { Result } from "../../contract/result.ts";
import type { Database } from "../../platform/database.ts";
import { recordResults } from "./recorder.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());
const now = () => fixture.clock.now().getTime();
const record = (...results: Result[]) => recordResults(fixture.context, results);

test("a result of an hour that may be rolled up marks the hour once", async () => {
  const check = await fixture.addCheck();
  const hourMs = 3_600_000;
  const lastHourMs = Math.floor(now() / hourMs) * hourMs - hourMs;
  const repairs = async () =>
    (await fixture.query("select hour from late_hours where check_id = $1", check.checkId)).map(
      (row) => row.hour,
    );
  await record(makeResult(check, { dueAtMs: lastHourMs + 60_000 }));
  assert.deepEqual(await repairs(), [], "the hour is open for five minutes after its end");
  fixture.clock.advance(300_000);
  const late = makeResult(check, { dueAtMs: lastHourMs + 120_000 });
  await record(late, makeResult(check, { dueAtMs: now() }));
  await record(late);
  assert.deepEqual(await repairs(), [new Date(lastHourMs)]);
});

test("a result that waited for the database marks the hour that was rolled up meanwhile", async () => {
  const check = await fixture.addCheck();
  const hourMs = 3_600_000;
  const lastHourMs = Math.floor(now() / hourMs) * hourMs;
  fixture.clock.advance(lastHourMs + hourMs + 299_000 - now());
  const { db } = fixture.context;
  const slow: Database = {
    ...{ isTransaction: false, run: (statement) => db.run(statement) },
    connection: (work) => db.connection(work),
    transaction: (work) => {
      fixture.clock.advance(1_000);
      return db.transaction(work);
    },
  };
  await recordResults({ ...fixture.context, db: slow }, [
    makeResult(check, { dueAtMs: lastHourMs + 60_000 }),
  ]);
  const marks = await fixture.query(
    "select hour from late_hours where check_id = $1",
    check.checkId,
  );
  assert.deepEqual(marks, [{ hour: new Date(lastHourMs) }]);
});
