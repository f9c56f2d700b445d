import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import {
  answerOrder,
  createRunsFixture,
  makeResult,
  measure,
  noData,
  type RunsFixture,
  unresolved,
} from "../../../test/support/modules/runs.ts";
import type { CheckInput } from "../../checks/checks/index.ts";
import type { Order } from "../../contract/order.ts";
import { subjects } from "../../contract/protocol.ts";
import type { Result } from "../../contract/result.ts";
import type { IcmpMeasurement, Packet } from "../../kinds/of/icmp/measurement.ts";
import { createInProcessBus } from "../../platform/bus.ts";
import { inTransaction } from "../../platform/database.ts";
import { listResults, readRun } from "../results/result-store.ts";
import { startRecorder } from "./loops.ts";
import { recordBatchSize, recordResults } from "./recorder.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());
const now = () => fixture.clock.now().getTime();
const record = (...results: Result[]) => recordResults(fixture.context, results);
const count = async (table: string, checkId: string) =>
  (await fixture.query(`select count(*) from ${table} where check_id = $1`, checkId))[0]?.count;
const changesSql = "select * from state_changes where check_id = $1 order by id";
const changesOf = async (checkId: string) =>
  (await fixture.query(changesSql, checkId)).map((row) => `${row.from_status}>${row.to_status}`);
const stateOf = async (checkId: string) =>
  (await fixture.query("select * from check_states where check_id = $1", checkId))[0] ?? {};
const statusOf = async (checkId: string) =>
  (await fixture.query("select status from checks where id = $1", checkId))[0]?.status;

test("a batch that is delivered twice is recorded once", async () => {
  const check = await fixture.addCheck();
  const batch = [
    makeResult(check, { dueAtMs: now() - 2_000 }),
    makeResult(check, { dueAtMs: now() - 1_000, outcome: measure(10) }),
  ];
  await record(...batch);
  const state = await stateOf(check.checkId);
  fixture.clock.advance(1_000);
  await record(...batch);
  assert.equal(await count("results", check.checkId), 2);
  assert.deepEqual(await changesOf(check.checkId), ["unknown>passing", "passing>failing"]);
  assert.deepEqual(await stateOf(check.checkId), state, "the update time is unchanged");
});

test("a duplicate run in one batch is recorded once, and the duplicate is counted", async () => {
  const check = await fixture.addCheck();
  const result = makeResult(check, { dueAtMs: now() });
  const before = await fixture.countIgnored("duplicate");
  await record(result, { ...result, outcome: measure(10) });
  assert.equal(await count("results", check.checkId), 1);
  assert.equal((await stateOf(check.checkId)).status, "passing");
  assert.equal((await fixture.countIgnored("duplicate")) - before, 1);
});

test("the first verdict is a change from unknown, and a first run without one is not", async () => {
  const passing = await fixture.addCheck();
  const silent = await fixture.addCheck();
  await record(
    makeResult(passing, { dueAtMs: now() }),
    makeResult(silent, { dueAtMs: now(), outcome: noData() }),
  );
  const [change] = await fixture.query(
    "select * from state_changes where check_id = $1",
    passing.checkId,
  );
  assert.equal(change?.account_id, fixture.accountId);
  assert.deepEqual([change?.from_status, change?.to_status], ["unknown", "passing"]);
  assert.deepEqual(change?.at, fixture.clock.now());
  assert.equal(change?.result_id, (await stateOf(passing.checkId)).last_result_id);
  assert.equal(await statusOf(passing.checkId), "passing");
  assert.deepEqual(await changesOf(silent.checkId), []);
  assert.equal((await stateOf(silent.checkId)).status, "unknown");
});

test("a full batch is one transaction, and an error in it stores nothing", async () => {
  const stored = await fixture.addCheck();
  const doomed = await fixture.addCheck();
  const batch = Array.from({ length: recordBatchSize }, (_, index) =>
    makeResult(index === 250 ? doomed : stored, { dueAtMs: now() - index * 1_000 }),
  );
  await fixture.deleteCheck(doomed.checkId);
  await assert.rejects(record(...batch), /violates foreign key constraint/);
  assert.equal(await count("results", stored.checkId), 0);
  assert.equal(await count("results", doomed.checkId), 0);
  assert.equal(await count("check_states", stored.checkId), 0);
  assert.deepEqual(await changesOf(stored.checkId), []);
  const ignored = await fixture.countIgnored("unknown-check");
  fixture.context.watchList.forget(doomed.checkId);
  await record(...batch);
  const text = "select count(*), count(distinct xmin::text) as by from results where check_id = $1";
  assert.deepEqual(await fixture.query(text, stored.checkId), [
    { count: recordBatchSize - 1, by: 1 },
  ]);
  assert.equal(await count("results", doomed.checkId), 0);
  assert.equal((await fixture.countIgnored("unknown-check")) - ignored, 1);
});

test("a late result is evaluated, but the newest decides the state", async () => {
  const check = await fixture.addCheck();
  const newest = makeResult(check, { dueAtMs: now(), outcome: measure(0, 4) });
  await record(newest);
  await record(makeResult(check, { dueAtMs: now() - 10_000, outcome: measure(9) }));
  await record(makeResult(check, { dueAtMs: now() - 20_000, outcome: measure(0, 20) }));
  assert.equal(await count("results", check.checkId), 3);
  assert.equal((await changesOf(check.checkId)).at(-1), "failing>passing");
  const state = await stateOf(check.checkId);
  assert.equal(state.last_result_id, newest.runId);
  assert.deepEqual(state.last_due_at, new Date(newest.dueAtMs));
  assert.equal(state.last_response_ms, 2.5, "the response time is that of the last run");
  assert.deepEqual([state.shortest_run_ms, state.longest_run_ms], [1, 10.5]);
});

test("results of one batch are folded in due order", async () => {
  const check = await fixture.addCheck();
  await record(
    makeResult(check, { dueAtMs: now(), outcome: measure(0, 3) }),
    makeResult(check, { dueAtMs: now() - 20_000, outcome: measure(0, 9) }),
    makeResult(check, { dueAtMs: now() - 10_000, outcome: measure(10) }),
  );
  assert.deepEqual(await changesOf(check.checkId), [
    "unknown>passing",
    "passing>failing",
    "failing>passing",
  ]);
  const state = await stateOf(check.checkId);
  assert.deepEqual([state.last_response_ms, state.longest_run_ms], [2, 5]);
});

test("a run without a verdict makes a passing check unknown and stores the reason", async () => {
  const check = await fixture.addCheck();
  await record(makeResult(check, { dueAtMs: now() - 10_000 }));
  await record(makeResult(check, { dueAtMs: now(), outcome: noData("cannot-check") }));
  assert.deepEqual(await changesOf(check.checkId), ["unknown>passing", "passing>unknown"]);
  assert.equal(await statusOf(check.checkId), "unknown");
  const [row] = await fixture.query(
    "select response_ms, samples, trouble from results where check_id = $1 " +
      "order by id desc limit 1",
    check.checkId,
  );
  const trouble = { kind: "cannot-check", message: "nothing was learned" };
  assert.deepEqual(row, { response_ms: null, samples: Buffer.alloc(0), trouble });
});

test("loss, assertions and an expected failure decide the verdict end to end", async () => {
  const slow = { source: "LATENCY", property: "avg", comparison: "LESS_THAN", target: "3" };
  const assertions = [{ ...slow, comparison: "LESS_THAN" as const, source: "LATENCY" as const }];
  const hostname = "192.0.2.1";
  const asExpected = ["packet-loss-at-or-above-max", "failed-as-expected"] as const;
  const cases = [
    [{}, measure(1), "degraded", ["packet-loss-at-or-above-degraded"]],
    [{}, measure(2), "failing", ["packet-loss-at-or-above-max"]],
    [{ request: { hostname, assertions } }, measure(0), "failing", ["assertion-failed"]],
    [{ request: { hostname, assertions } }, measure(0, 3), "passing", null],
    [{ shouldFail: true }, measure(10), "passing", asExpected],
    [
      { shouldFail: true },
      measure(0),
      "failing",
      ["all-within-limits", "passed-against-expectation"],
    ],
    [{ shouldFail: true }, measure(1), "degraded", ["packet-loss-at-or-above-degraded"]],
    [{ maxResponseTime: 5 }, measure(0), "failing", ["response-time-above-max"]],
    [{}, unresolved, "failing", ["name-not-resolved"]],
  ] as const;
  for (const [input, outcome, verdict, reasons] of cases) {
    const check = await fixture.addCheck(structuredClone(input) as CheckInput);
    await record(makeResult(check, { dueAtMs: now(), outcome }));
    assert.equal(await statusOf(check.checkId), verdict, JSON.stringify(input));
    const [row] = await fixture.query(
      "select reasons from results where check_id = $1",
      check.checkId,
    );
    const names = (row?.reasons as { name: string }[] | null)?.map(({ name }) => name) ?? null;
    assert.deepEqual(names, reasons, JSON.stringify(input));
  }
});

test("forged, future, ancient and unknown results are ignored and counted", async () => {
  const check = await fixture.addCheck();
  const stranger = { ...check, checkId: randomUUID() };
  const hourMs = 3_600_000;
  const good = makeResult(check, { dueAtMs: now() });
  const cases: [string, Result][] = [
    ["unknown-check", makeResult(stranger, { dueAtMs: now() })],
    ["unknown-check", { ...good, checkId: "not a uuid" }],
    ["unknown-check", { ...good, checkId: check.checkId.toUpperCase() }],
    ["unbelievable-time", makeResult(check, { dueAtMs: now() + hourMs })],
    ["unbelievable-time", makeResult(check, { dueAtMs: now() + 5_000 * 24 * hourMs })],
    ["unbelievable-time", makeResult(check, { dueAtMs: now() - 23 * hourMs })],
    ["unbelievable-time", { ...good, dueAtMs: Number.NaN }],
    ["forged-run", { ...good, runId: randomUUID() }],
    ["forged-run", { ...good, dueAtMs: now() + 0.5 }],
    ["forged-run", { ...good, location: "elsewhere" }],
    ["forged-run", { ...good, attempt: 2 }],
    ["forged-run", makeResult(check, { dueAtMs: now(), attempt: 70_000 })],
    ["forged-run", makeResult(check, { dueAtMs: now(), attempt: 0 })],
    ["forged-run", makeResult(check, { dueAtMs: now(), attempt: 1.5 })],
  ];
  for (const [reason, result] of cases) {
    const before = await fixture.countIgnored(reason);
    await record(result);
    assert.equal((await fixture.countIgnored(reason)) - before, 1, JSON.stringify(result));
  }
  assert.equal(await count("results", check.checkId), 0);
  assert.equal(await count("check_states", check.checkId), 0);
  await record(...cases.map(([, result]) => result), good);
  assert.equal(await count("results", check.checkId), 1, "the valid one is recorded");
});

test("a value that the database rejects drops only its own result", async () => {
  const check = await fixture.addCheck();
  const good = [1, 2, 3, 4].map((age) => makeResult(check, { dueAtMs: now() - age * 1_000 }));
  const [first, second, ...others] = good;
  assert.ok(first !== undefined && second !== undefined);
  const bad = { ...makeResult(check, { dueAtMs: now() }), probeId: "nul \0 nul" };
  await record(first, second, bad, ...others);
  assert.equal(await count("results", check.checkId), 4);
  assert.equal((await stateOf(check.checkId)).last_result_id, first.runId);
  assert.equal(await fixture.countIgnored("unstorable"), 1);
});

test("within a transaction, a value that the database rejects ends the transaction", async () => {
  const check = await fixture.addCheck();
  const good = makeResult(check, { dueAtMs: now() - 1_000 });
  const bad = { ...makeResult(check, { dueAtMs: now() }), probeId: "nul \0 nul" };
  const recorded = inTransaction(fixture.context.db, (db) =>
    recordResults({ ...fixture.context, db }, [good, bad]),
  );
  await assert.rejects(recorded, { code: "22021" });
  assert.equal(await count("results", check.checkId), 0);
});

test("packets are stored and read back exactly", async () => {
  const check = await fixture.addCheck();
  const dueAtMs = now();
  const packets: Packet[] = [
    { sequence: 0, sentAtMs: dueAtMs + 2.125, rttMs: 0.1 + 0.2, ttl: 255, type: 0, code: 0 },
    { sequence: 1, sentAtMs: dueAtMs + 502, rttMs: null, ttl: null, type: 3, code: 13 },
    { sequence: 2, sentAtMs: null, rttMs: null, ttl: null, type: null, code: null },
    { sequence: 3, sentAtMs: dueAtMs + 1_502, rttMs: 2_999.999, ttl: 0, type: 129, code: 0 },
  ];
  const measurement = { ...measure(0).measurement, packets };
  const other = await fixture.addCheck();
  await record(
    makeResult(other, { dueAtMs, outcome: measure(3, 7) }),
    makeResult(check, { dueAtMs, outcome: { kind: "measured", measurement } }),
    makeResult(other, { dueAtMs: dueAtMs - 1, outcome: unresolved }),
  );
  const span = { fromMs: dueAtMs - 1, toMs: dueAtMs + 1, limit: 1, resultType: "ALL" } as const;
  const [row] = await listResults(fixture.context.db, check.checkId, span);
  assert.deepEqual(row?.started_at, new Date(dueAtMs + 2));
  const { outcome } = readRun(check.kind, row);
  const found = outcome.kind === "measured" ? (outcome.measurement as IcmpMeasurement) : null;
  assert.deepEqual(found?.packets, packets);
});

test("two concurrent recorders create one state for a check's first results", async () => {
  for (let round = 0; round < 10; round += 1) {
    const check = await fixture.addCheck();
    const ages = [3, 1, 0, 2];
    await Promise.all(
      ages.map((age) => record(makeResult(check, { dueAtMs: now() - age * 1_000 }))),
    );
    assert.deepEqual(await changesOf(check.checkId), ["unknown>passing"]);
    assert.deepEqual((await stateOf(check.checkId)).last_due_at, fixture.clock.now());
  }
});

test("a stopping recorder records the queued results", async () => {
  const check = await fixture.addCheck();
  const bus = createInProcessBus(fixture.context.log);
  const results = Array.from({ length: 2 * recordBatchSize + 1 }, (_, index) =>
    makeResult(check, { dueAtMs: now() - index * 1_000 }),
  );
  const recorder = startRecorder({ ...fixture.context, bus });
  await bus.publish(subjects.results, results);
  await recorder.stop();
  assert.equal(await count("results", check.checkId), results.length);
});

const strategy = {
  type: "FIXED" as const,
  baseBackoffSeconds: 5,
  sameRegion: true,
  maxRetries: 2,
  maxDurationSeconds: 600,
  onlyOn: [] as "NETWORK_ERROR"[],
};
const retryOf = async (checkId: string) =>
  (await fixture.query("select * from pending_retries where check_id = $1", checkId)).map(
    (row) => ({
      startAt: row.start_at as Date,
      order: row.retry_order as Order,
    }),
  );
const finalsOf = async (checkId: string) =>
  (
    await fixture.query(
      "select attempt, is_final from results where check_id = $1 order by attempt",
      checkId,
    )
  ).map((row) => `${row.attempt} ${row.is_final ? "FINAL" : "ATTEMPT"}`);

test("a failing attempt is stored with its retry, and only the last one counts", async () => {
  const check = await fixture.addCheck({ retryStrategy: strategy });
  const dueAtMs = now();
  await record(makeResult(check, { dueAtMs, outcome: measure(10) }));
  assert.deepEqual(await finalsOf(check.checkId), ["1 ATTEMPT"]);
  assert.equal(await count("check_states", check.checkId), 0, "an attempt decides nothing");
  const [first] = await retryOf(check.checkId);
  assert.deepEqual(first?.startAt, new Date(dueAtMs + 5_000));
  const text = `select count(distinct xmin::text) from
    (select xmin from results where check_id = $1
      union all select xmin from pending_retries where check_id = $1) as written`;
  const [written] = await fixture.query(text, check.checkId);
  assert.equal(written?.count, 1, "the retry is stored in the transaction of its attempt");

  fixture.clock.advance(6_000);
  assert.ok(first !== undefined);
  await record(answerOrder(first.order, measure(10)));
  const [second, ...more] = await retryOf(check.checkId);
  assert.deepEqual([second?.order.attempt, more.length], [3, 0]);
  assert.equal(second?.order.dueAtMs, dueAtMs, "all attempts belong to the run that was due");
  assert.ok(second !== undefined);
  await record(answerOrder(second.order, measure(10)));
  assert.deepEqual(await finalsOf(check.checkId), ["1 ATTEMPT", "2 ATTEMPT", "3 FINAL"]);
  assert.deepEqual(await retryOf(check.checkId), []);
  assert.deepEqual(await changesOf(check.checkId), ["unknown>failing"]);
  assert.equal((await stateOf(check.checkId)).consecutive_failures, 1);
});

test("a retry that passes is final, and its row is deleted even if it is delivered twice", async () => {
  const check = await fixture.addCheck({ retryStrategy: strategy });
  await record(makeResult(check, { dueAtMs: now(), outcome: unresolved }));
  const [retry] = await retryOf(check.checkId);
  assert.ok(retry !== undefined);
  const passed = answerOrder(retry.order, measure(0));
  await record(passed);
  await record(passed);
  await record(makeResult(check, { dueAtMs: now(), outcome: unresolved }));
  assert.deepEqual(await finalsOf(check.checkId), ["1 ATTEMPT", "2 FINAL"]);
  assert.deepEqual(await retryOf(check.checkId), [], "a repeated attempt creates no retry");
  assert.deepEqual(await changesOf(check.checkId), ["unknown>passing"]);
});

test("only network errors are retried if configured", async () => {
  const assertions = [
    { source: "LATENCY", property: "avg", comparison: "LESS_THAN", target: "1" } as const,
  ];
  const check = await fixture.addCheck({
    retryStrategy: { ...strategy, onlyOn: ["NETWORK_ERROR"] },
    request: { hostname: "192.0.2.1", assertions },
  });
  await record(makeResult(check, { dueAtMs: now() - 20_000, outcome: measure(0) }));
  assert.deepEqual(await retryOf(check.checkId), [], "a failed assertion is not a network error");
  assert.deepEqual(await changesOf(check.checkId), ["unknown>failing"]);
  for (const [index, outcome] of [measure(9), unresolved].entries()) {
    await record(makeResult(check, { dueAtMs: now() + index, outcome }));
    assert.equal((await retryOf(check.checkId)).length, index + 1);
  }
});

test("neither degraded nor unknown runs are retried", async () => {
  const check = await fixture.addCheck({ retryStrategy: strategy });
  await record(makeResult(check, { dueAtMs: now() - 10_000, outcome: measure(1) }));
  await record(makeResult(check, { dueAtMs: now(), outcome: noData("overloaded") }));
  assert.deepEqual(await finalsOf(check.checkId), ["1 FINAL", "1 FINAL"]);
  assert.deepEqual(await retryOf(check.checkId), []);
});

test("a retry runs at the same or another location, depending on the strategy", async () => {
  const locations = ["eu-west-1", "us-east-1"];
  for (const [sameRegion, place] of [
    [true, "eu-west-1"],
    [false, "us-east-1"],
  ] as const) {
    const check = await fixture.addCheck({ locations, retryStrategy: { ...strategy, sameRegion } });
    await record(
      makeResult(check, { dueAtMs: now(), location: "eu-west-1", outcome: measure(10) }),
    );
    const [retry] = await retryOf(check.checkId);
    assert.equal(retry?.order.location, place);
  }
});
