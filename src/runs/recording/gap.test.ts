import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  createRunsFixture,
  makeResult,
  type RunsFixture,
} from "../../../test/support/modules/runs.ts";
import type { CheckInput } from "../../checks/checks/index.ts";
import type { Result } from "../../contract/result.ts";
import { deleteGapsBefore, listMissedRuns } from "../results/result-store.ts";
import { nextDueAtMs } from "../scheduling/schedule.ts";
import type { Watched } from "../scheduling/watch-list.ts";
import { recordResults } from "./recorder.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

const every10s = { frequency: 0, frequencyOffset: 10 };
const periodMs = 10_000;

/** Creates a check and returns the due time of its first run. */
async function addCheck(input: CheckInput = {}) {
  const check = await fixture.addCheck({ ...every10s, ...input });
  return { check, firstMs: nextDueAtMs(check.plan, check.sinceMs) };
}

const record = (...results: Result[]) => recordResults(fixture.context, results);
const day = 86_400_000;

async function listMissed({ checkId, sinceMs }: Watched) {
  const span = { from: new Date(sinceMs - day), to: new Date(sinceMs + day), limit: 10 };
  const missed = await listMissedRuns(fixture.context.db, checkId, span);
  return missed.map(({ from, to, location, count }) => [
    from.getTime(),
    to.getTime(),
    location,
    count,
  ]);
}

test("consecutive runs leave no gap", async () => {
  const { check, firstMs } = await addCheck();
  await record(makeResult(check, { dueAtMs: firstMs }));
  await record(makeResult(check, { dueAtMs: firstMs + periodMs }));
  assert.deepEqual(await listMissed(check), []);
});

test("missing runs are counted, including the first one", async () => {
  const { check, firstMs } = await addCheck();
  await record(makeResult(check, { dueAtMs: firstMs + 2 * periodMs }));
  await record(makeResult(check, { dueAtMs: firstMs + 6 * periodMs }));
  assert.deepEqual(await listMissed(check), [
    [firstMs + 2 * periodMs, firstMs + 6 * periodMs, null, 3],
    [check.sinceMs, firstMs + 2 * periodMs, null, 2],
  ]);
});

test("a late result reduces only the count of its gap", async () => {
  const { check, firstMs } = await addCheck();
  await record(makeResult(check, { dueAtMs: firstMs }));
  await record(makeResult(check, { dueAtMs: firstMs + 3 * periodMs }));
  await record(makeResult(check, { dueAtMs: firstMs + periodMs }));
  assert.deepEqual(await listMissed(check), [[firstMs, firstMs + 3 * periodMs, null, 1]]);
  await record(makeResult(check, { dueAtMs: firstMs + 2 * periodMs }));
  assert.deepEqual(await listMissed(check), []);
});

test("with parallel runs every location has separate gaps", async () => {
  const locations = ["eu-west-1", "us-east-1"];
  const { check, firstMs } = await addCheck({ locations, runParallel: true });
  for (const location of locations) await record(makeResult(check, { dueAtMs: firstMs, location }));
  const lastMs = firstMs + 2 * periodMs;
  await record(makeResult(check, { dueAtMs: firstMs + periodMs, location: "eu-west-1" }));
  for (const location of locations) await record(makeResult(check, { dueAtMs: lastMs, location }));
  assert.deepEqual(await listMissed(check), [[firstMs, lastMs, "us-east-1", 1]]);
});

test("a manually triggered run leaves no gap", async () => {
  const { check, firstMs } = await addCheck();
  await record(makeResult(check, { dueAtMs: firstMs }));
  await record(makeResult(check, { dueAtMs: firstMs + 4_000 }));
  await record(makeResult(check, { dueAtMs: firstMs + periodMs }));
  assert.deepEqual(await listMissed(check), []);
});

test("gaps are deleted with the results", async () => {
  const { check, firstMs } = await addCheck();
  await record(makeResult(check, { dueAtMs: firstMs + periodMs }));
  await deleteGapsBefore(fixture.context.db, new Date(firstMs + periodMs));
  assert.equal((await listMissed(check)).length, 1);
  await deleteGapsBefore(fixture.context.db, new Date(firstMs + periodMs + 1));
  assert.deepEqual(await listMissed(check), []);
});
