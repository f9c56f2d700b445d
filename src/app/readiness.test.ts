import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Registry } from "prom-client";
import { addProgressMetrics, Progress } from "../platform/progress.ts";
import { createScheduleMetrics } from "../runs/scheduling/index.ts";
import { RunLoad } from "../runs/scheduling/overload/run-load.ts";
import { explainOverload, ReadinessWatch } from "./readiness.ts";

const answers = async () => {};

/** Work with a clock controlled by the test. */
function createProgress(more: { isEssential?: boolean } = {}) {
  const clock = { ms: Date.parse("2026-11-15T12:00:00Z") };
  const progress = new Progress({ name: "decide on runs", nowMs: () => clock.ms, ...more });
  return { clock, progress };
}

describe("readiness", () => {
  it("is ready while the database responds and every loop makes progress", async () => {
    const watch = new ReadinessWatch({ queryDatabase: answers });
    const { progress } = createProgress();
    progress.begin();
    progress.succeed();
    watch.watch(() => [progress.state()]);
    assert.deepEqual(await watch.check(), { isReady: true, problems: [] });
  });

  it("does not wait for a database that never responds", async () => {
    let queries = 0;
    const queryDatabase = () => {
      queries += 1;
      return new Promise(() => {});
    };
    const watch = new ReadinessWatch({ queryDatabase, timeoutMs: 5 });
    const looks = await Promise.all([watch.check(), watch.check(), watch.check()]);
    for (const { isReady, problems } of looks) {
      assert.equal(isReady, false);
      assert.deepEqual(problems, ["the database does not respond"]);
    }
    assert.equal(queries, 1, "concurrent callers share one query");
  });

  it("names a failing loop and since when, but ignores transient faults", async () => {
    const { clock, progress } = createProgress();
    const watch = new ReadinessWatch({ queryDatabase: answers });
    watch.watch(() => [progress.state()]);
    progress.begin();
    progress.fail();
    assert.equal((await watch.check()).isReady, true);
    clock.ms += 20_000;
    progress.begin();
    progress.fail();
    assert.deepEqual(await watch.check(), {
      isReady: false,
      problems: ['the loop "decide on runs" has made no progress since 2026-11-15T12:00:00.000Z'],
    });
    progress.begin();
    progress.succeed();
    assert.equal((await watch.check()).isReady, true);
  });

  it("names a loop whose turn does not end", async () => {
    const { clock, progress } = createProgress();
    const watch = new ReadinessWatch({ queryDatabase: answers });
    watch.watch(() => [progress.state()]);
    progress.begin();
    clock.ms += 61_000;
    assert.match(
      (await watch.check()).problems.join(),
      /"decide on runs" has made no progress since/,
    );
  });

  it("stays ready and names the problem while a non-essential loop fails", async () => {
    const { clock, progress } = createProgress({ isEssential: false });
    const watch = new ReadinessWatch({ queryDatabase: answers });
    watch.watch(() => [progress.state()]);
    progress.fail();
    clock.ms += 20_000;
    const { isReady, problems } = await watch.check();
    assert.equal(isReady, true);
    assert.equal(problems.length, 1);
  });

  it("reports an overload with instructions and stays ready", async () => {
    const skipped = new RunLoad(createScheduleMetrics(new Registry()));
    const runs = { load: skipped, clock: { now: () => new Date(5_000), nowMs: () => 5_000 } };
    const watch = new ReadinessWatch({
      queryDatabase: answers,
      findOverload: () => explainOverload(runs),
    });
    skipped.skipped.noteDue(100, 4_000);
    assert.deepEqual(await watch.check(), { isReady: true, problems: [] });
    skipped.skip({ checkId: "check", dueAtMs: 0, count: 34 }, "overloaded", 4_000);
    const { isReady, problems } = await watch.check();
    assert.equal(isReady, true);
    assert.match(problems[0] ?? "", /^overloaded: 34 % of runs are skipped\. Give the server more/);
  });

  it("is not ready while the server stops", async () => {
    const watch = new ReadinessWatch({ queryDatabase: answers });
    watch.noteStop();
    assert.deepEqual(await watch.check(), {
      isReady: false,
      problems: ["the server is stopping"],
    });
  });
});

it("the metrics of a loop include its last success, its errors and its lag", async () => {
  const { clock, progress } = createProgress();
  const registry = new Registry();
  addProgressMetrics(registry, () => [progress.state()]);
  progress.begin();
  progress.succeed();
  progress.fail();
  clock.ms += 16_000;
  const text = await registry.metrics();
  const label = '{loop="decide on runs"}';
  assert.ok(text.includes(`vedette_loop_last_success_timestamp_seconds${label} 1794744000`), text);
  assert.ok(text.includes(`vedette_loop_errors_total${label} 1`));
  assert.ok(text.includes("# TYPE vedette_loop_errors_total counter"));
  assert.doesNotMatch(text, /^# TYPE \S+_total gauge$/m);
  assert.ok(text.includes(`vedette_loop_lag_seconds${label} 16`));
  assert.ok(text.includes(`vedette_loop_stuck${label} 1`));
});
