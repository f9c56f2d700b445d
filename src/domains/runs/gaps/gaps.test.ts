import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  createRunsFixture,
  makeResult,
  type RunsFixture,
} from "../../../../test/support/modules/runs.ts";
import type { Result } from "../../../contract/result.ts";
import type { CheckInput } from "../../checks/index.ts";
import { recordResults } from "../recorder.ts";
import { nextDueAtMs } from "../schedule.ts";
import type { Watched } from "../watch-list.ts";
import { deleteGapsBefore, listMissedRuns } from "./gap-store.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

const every10s = { frequency: 0, frequencyOffset: 10 };
const periodMs = 10_000;

/** A check, and the first time at which one of its runs is due. */
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

test("runs that come one after the other leave no gap", async () => {
  const { check, firstMs } = await addCheck();
  await record(makeResult(check, { dueAtMs: firstMs }));
  await record(makeResult(check, { dueAtMs: firstMs + periodMs }));
  assert.deepEqual(await listMissed(check), []);
});

test("runs that nobody made are counted, from the very first on", async () => {
  const { check, firstMs } = await addCheck();
  await record(makeResult(check, { dueAtMs: firstMs + 2 * periodMs }));
  await record(makeResult(check, { dueAtMs: firstMs + 6 * periodMs }));
  assert.deepEqual(await listMissed(check), [
    [firstMs + 2 * periodMs, firstMs + 6 * periodMs, null, 3],
    [check.sinceMs, firstMs + 2 * periodMs, null, 2],
  ]);
});

test("what comes late is no longer missed, and changes no count of a later gap", async () => {
  const { check, firstMs } = await addCheck();
  await record(makeResult(check, { dueAtMs: firstMs }));
  await record(makeResult(check, { dueAtMs: firstMs + 3 * periodMs }));
  await record(makeResult(check, { dueAtMs: firstMs + periodMs }));
  assert.deepEqual(await listMissed(check), [[firstMs, firstMs + 3 * periodMs, null, 1]]);
  await record(makeResult(check, { dueAtMs: firstMs + 2 * periodMs }));
  assert.deepEqual(await listMissed(check), []);
});

test("in parallel every place has gaps of its own", async () => {
  const locations = ["eu-west-1", "us-east-1"];
  const { check, firstMs } = await addCheck({ locations, runParallel: true });
  for (const location of locations) await record(makeResult(check, { dueAtMs: firstMs, location }));
  const lastMs = firstMs + 2 * periodMs;
  await record(makeResult(check, { dueAtMs: firstMs + periodMs, location: "eu-west-1" }));
  for (const location of locations) await record(makeResult(check, { dueAtMs: lastMs, location }));
  assert.deepEqual(await listMissed(check), [[firstMs, lastMs, "us-east-1", 1]]);
});

test("a run that was asked for by hand between two others leaves no gap", async () => {
  const { check, firstMs } = await addCheck();
  await record(makeResult(check, { dueAtMs: firstMs }));
  await record(makeResult(check, { dueAtMs: firstMs + 4_000 }));
  await record(makeResult(check, { dueAtMs: firstMs + periodMs }));
  assert.deepEqual(await listMissed(check), []);
});

test("gaps are forgotten with the results", async () => {
  const { check, firstMs } = await addCheck();
  await record(makeResult(check, { dueAtMs: firstMs + periodMs }));
  await deleteGapsBefore(fixture.context.db, new Date(firstMs + periodMs));
  assert.equal((await listMissed(check)).length, 1);
  await deleteGapsBefore(fixture.context.db, new Date(firstMs + periodMs + 1));
  assert.deepEqual(await listMissed(check), []);
});
