/** Tests that a retry that starts too late does not count for its run. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  answerOrder,
  createRunsFixture,
  makeResult,
  measure,
  type RunsFixture,
  unresolved,
} from "../../../test/support/modules/runs.ts";
import type { CheckInput } from "../../checks/checks/index.ts";
import type { Order } from "../../contract/order.ts";
import type { Result } from "../../contract/result.ts";
import { recordResults } from "./recorder.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

const now = () => fixture.clock.now().getTime();
const record = (...results: Result[]) => recordResults(fixture.context, results);
const ofCheck = (sql: string, checkId: string) => fixture.query(sql, checkId);
const retryOf = async (checkId: string) =>
  (await ofCheck("select * from pending_retries where check_id = $1", checkId)).map((row) => ({
    order: row.retry_order as Order,
  }));
const finalsOf = async (checkId: string) =>
  (
    await ofCheck(
      "select attempt, is_final from results where check_id = $1 order by attempt",
      checkId,
    )
  ).map((row) => `${row.attempt} ${row.is_final ? "FINAL" : "ATTEMPT"}`);
const changesOf = async (checkId: string) =>
  (await ofCheck("select * from state_changes where check_id = $1 order by id", checkId)).map(
    (row) => `${row.from_status}>${row.to_status}`,
  );
const stateOf = async (checkId: string) =>
  (await ofCheck("select * from check_states where check_id = $1", checkId))[0] ?? {};

const strategy = {
  type: "FIXED" as const,
  baseBackoffSeconds: 5,
  sameRegion: true,
  maxRetries: 2,
  maxDurationSeconds: 600,
  onlyOn: [] as "NETWORK_ERROR"[],
};

/** Records a failing run and its retry, which starts the given time after it was planned. */
async function retryAfter(lateMs: number, more: Partial<CheckInput> = {}) {
  const check = await fixture.addCheck({ retryStrategy: strategy, frequency: 1, ...more });
  const dueAtMs = now();
  await record(makeResult(check, { dueAtMs, outcome: unresolved }));
  const [retry] = await retryOf(check.checkId);
  assert.ok(retry !== undefined);
  fixture.clock.advance(5_000 + lateMs);
  const startAtMs = retry.order.startAtMs + lateMs;
  return { check, dueAtMs, late: { ...retry.order, startAtMs } };
}

test("a late retry is ignored, and the previous attempt is final", async () => {
  const { check, dueAtMs, late } = await retryAfter(30_000);
  await record(answerOrder(late, measure(0)));
  assert.deepEqual(await finalsOf(check.checkId), ["1 FINAL", "2 ATTEMPT"]);
  assert.deepEqual(await retryOf(check.checkId), []);
  assert.deepEqual(await changesOf(check.checkId), ["unknown>failing"]);
  const state = await stateOf(check.checkId);
  const [first] = await fixture.query(
    "select id from results where check_id = $1 and attempt = 1",
    check.checkId,
  );
  assert.equal(state.last_result_id, first?.id);
  assert.equal(state.consecutive_failures, 1);
  // The retry is delivered twice, then the next run follows: one outage has one start and one end.
  await record(answerOrder(late, measure(0)));
  await record(makeResult(check, { dueAtMs: dueAtMs + 60_000 }));
  assert.deepEqual(await changesOf(check.checkId), ["unknown>failing", "failing>passing"]);
});

test("a late failing retry creates no further retry, also at another location", async () => {
  const locations = ["eu-west-1", "us-east-1"];
  const strategyElsewhere = { ...strategy, sameRegion: false };
  const { check, late } = await retryAfter(30_000, {
    locations,
    retryStrategy: strategyElsewhere,
  });
  await record(answerOrder(late, unresolved));
  assert.deepEqual(await finalsOf(check.checkId), ["1 FINAL", "2 ATTEMPT"]);
  assert.deepEqual(await retryOf(check.checkId), []);
  assert.deepEqual(await changesOf(check.checkId), ["unknown>failing"]);
});

test("a retry within its time still decides for its run", async () => {
  const { check, late } = await retryAfter(1_500);
  await record(answerOrder(late, measure(0)));
  assert.deepEqual(await finalsOf(check.checkId), ["1 ATTEMPT", "2 FINAL"]);
  assert.deepEqual(await changesOf(check.checkId), ["unknown>passing"]);
});
