/** Tests that late results are evaluated as if they had arrived in order. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  createRunsFixture,
  makeResult,
  measure,
  noData,
  type RunsFixture,
} from "../../../test/support/modules/runs.ts";
import type { Result } from "../../contract/result.ts";
import type { Watched } from "../scheduling/watch-list.ts";
import { recordResults } from "./recorder.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

const stepMs = 10_000;
const baseMs = () => fixture.clock.now().getTime() - 6 * stepMs;
const record = (...results: Result[]) => recordResults(fixture.context, results);

const passing = (check: Watched, number: number) =>
  makeResult(check, { dueAtMs: baseMs() + number * stepMs });
const failing = (check: Watched, number: number) =>
  makeResult(check, { dueAtMs: baseMs() + number * stepMs, outcome: measure(10) });
const nothing = (check: Watched, number: number) =>
  makeResult(check, { dueAtMs: baseMs() + number * stepMs, outcome: noData() });

async function listChanges({ checkId }: Watched): Promise<string[]> {
  const rows = await fixture.query(
    "select from_status, to_status, at from state_changes where check_id = $1 order by id",
    checkId,
  );
  const times = rows.map(({ at }) => (at as Date).getTime());
  assert.deepEqual(times, times.toSorted(), "changes are in chronological order");
  return rows.map((row) => `${row.from_status}>${row.to_status}`);
}

async function listNotable({ checkId }: Watched): Promise<string[]> {
  const rows = await fixture.query(
    "select verdict, is_late from notable_runs where check_id = $1 order by id",
    checkId,
  );
  return rows.map(({ verdict, is_late: isLate }) => `${verdict}${isLate ? " late" : ""}`);
}

async function readState({ checkId }: Watched) {
  const [row] = await fixture.query("select * from check_states where check_id = $1", checkId);
  return row ?? assert.fail("there is no state");
}

test("a late failure after a success is a change and a change back", async () => {
  const check = await fixture.addCheck();
  await record(passing(check, 1));
  await record(passing(check, 3));
  await record(failing(check, 2));
  assert.deepEqual(await listChanges(check), [
    "unknown>passing",
    "passing>failing",
    "failing>passing",
  ]);
  assert.deepEqual(await listNotable(check), ["failing late", "passing late"]);
  const state = await readState(check);
  assert.equal(state.status, "passing");
  assert.deepEqual(state.last_due_at, new Date(baseMs() + 3 * stepMs));
});

test("several late results of one outage are one change and one change back", async () => {
  for (const order of [
    [2, 3],
    [3, 2],
  ]) {
    const check = await fixture.addCheck();
    await record(passing(check, 1), passing(check, 4));
    for (const number of order) await record(failing(check, number));
    assert.equal((await listChanges(check)).length, 3, `${order}`);
  }
  const together = await fixture.addCheck();
  await record(passing(together, 1), passing(together, 4));
  await record(failing(together, 3), failing(together, 2));
  assert.equal((await listChanges(together)).length, 3);
});

test("a late result equal to its neighbours changes nothing", async () => {
  const check = await fixture.addCheck();
  await record(passing(check, 1), failing(check, 3), failing(check, 4));
  const before = await listNotable(check);
  await record(failing(check, 2));
  await record(passing(check, 0.5));
  assert.deepEqual(await listChanges(check), ["unknown>passing", "passing>failing"]);
  assert.deepEqual(await listNotable(check), before);
  assert.equal((await readState(check)).status, "failing");
});

test("after runs without data, a late result is the newest verdict", async () => {
  const check = await fixture.addCheck();
  await record(passing(check, 1), nothing(check, 3), nothing(check, 4));
  await record(failing(check, 2));
  assert.deepEqual(await listChanges(check), [
    "unknown>passing",
    "passing>unknown",
    "unknown>failing",
  ]);
  const state = await readState(check);
  assert.deepEqual([state.status, state.consecutive_failures], ["failing", 1]);
  assert.deepEqual(
    state.last_due_at,
    new Date(baseMs() + 4 * stepMs),
    "the newest run is unchanged",
  );
  await record(passing(check, 5));
  assert.equal((await readState(check)).status, "passing");
  assert.deepEqual(await listNotable(check), ["unknown", "unknown", "failing late", "passing"]);
});

test("a late result and the following run may be in one batch", async () => {
  const check = await fixture.addCheck();
  await record(passing(check, 1), nothing(check, 3));
  await record(passing(check, 5), failing(check, 2));
  assert.deepEqual(await listChanges(check), [
    "unknown>passing",
    "passing>unknown",
    "unknown>failing",
    "failing>passing",
  ]);
});

test("a late run without data changes nothing", async () => {
  const check = await fixture.addCheck();
  await record(passing(check, 1), passing(check, 3));
  await record(nothing(check, 2));
  assert.deepEqual(await listChanges(check), ["unknown>passing"]);
  assert.deepEqual(await listNotable(check), []);
});

test("with parallel runs a late result restores the vote of its location", async () => {
  const locations = ["eu-west-1", "us-east-1"];
  const check = await fixture.addCheck({ locations, runParallel: true });
  const at = (result: Result, location: string) =>
    makeResult(check, { dueAtMs: result.dueAtMs, outcome: result.outcome, location });
  for (const location of locations) await record(at(passing(check, 1), location));
  await record(at(passing(check, 3), "eu-west-1"), at(nothing(check, 3), "us-east-1"));
  await record(at(failing(check, 2), "us-east-1"));
  assert.equal((await readState(check)).status, "failing");
  await record(at(failing(check, 2), "eu-west-1"));
  assert.deepEqual(await listChanges(check), ["unknown>passing", "passing>failing"]);
});

test("a run that started after a later run does not end an outage before that run", async () => {
  const startedAfter = (result: Result): Result => ({
    ...result,
    startedAtMs: baseMs() + 3.5 * stepMs,
  });
  const alone = await fixture.addCheck();
  await record(failing(alone, 1));
  await record(failing(alone, 3));
  await record(startedAfter(passing(alone, 2)));
  const together = await fixture.addCheck();
  await record(failing(together, 1), startedAfter(passing(together, 2)), failing(together, 3));
  for (const check of [alone, together]) {
    await record(passing(check, 4));
    const changes = ["unknown>failing", "failing>passing"];
    assert.deepEqual(await listChanges(check), changes);
    assert.deepEqual(await listNotable(check), ["failing", "failing", "passing"]);
    const gaps = await fixture.query("select 1 from run_gaps where check_id = $1", check.checkId);
    assert.deepEqual(gaps, []);
  }
});
