import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { createRunsFixture, type RunsFixture } from "../../../../test/support/modules/runs.ts";
import { keepPartitions } from "../../recording/loops.ts";
import { deleteStateChangesBefore } from "../state-change-store.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

const dayMs = 86_400_000;
const agoDays = (days: number) => new Date(fixture.clock.now().getTime() - days * dayMs);

async function addChange(checkId: string, daysAgo: number): Promise<void> {
  await fixture.query(
    `insert into state_changes (account_id, check_id, from_status, to_status, at, result_id)
      values ($1, $2, 'passing', 'failing', $3, $4)`,
    fixture.accountId,
    checkId,
    agoDays(daysAgo),
    randomUUID(),
  );
}

async function listAges(checkId: string): Promise<number[]> {
  const rows = await fixture.query("select at from state_changes where check_id = $1", checkId);
  const now = fixture.clock.now().getTime();
  return rows.map(({ at }) => Math.round((now - (at as Date).getTime()) / dayMs));
}

test("old status changes are deleted with the results, except the newest of a check", async () => {
  const { checkId: busy } = await fixture.addCheck();
  const { checkId: steady } = await fixture.addCheck();
  const gone = randomUUID();
  for (const days of [90, 40, 20]) await addChange(busy, days);
  for (const days of [90, 60]) await addChange(steady, days);
  await addChange(gone, 90);
  const { context } = fixture;
  await keepPartitions({ context, log: context.log, retentionDays: 30 });
  assert.deepEqual(await listAges(busy), [20]);
  assert.deepEqual(await listAges(steady), [60]);
  assert.deepEqual(await listAges(gone), []);
});

test("they are deleted in batches, oldest first", async () => {
  const { checkId } = await fixture.addCheck();
  for (const days of [90, 80, 70, 1]) await addChange(checkId, days);
  const { db } = fixture.context;
  assert.equal(await deleteStateChangesBefore(db, agoDays(30), 2), 2);
  assert.deepEqual(await listAges(checkId), [70, 1]);
  assert.equal(await deleteStateChangesBefore(db, agoDays(30), 2), 1);
  assert.equal(await deleteStateChangesBefore(db, agoDays(30), 2), 0);
});
