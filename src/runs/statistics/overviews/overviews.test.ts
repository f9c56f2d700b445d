import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type pg from "pg";
import { createChance, createRunsOverTime } from "../../../../test/support/modules/analytics.ts";
import {
  createRunsFixture,
  type RunsFixture,
  readMeasurement,
} from "../../../../test/support/modules/runs.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { createDatabase } from "../../../platform/database-pool.ts";
import {
  createPartition,
  insertNewResults,
  type JudgedResult,
} from "../../results/result-write-store.ts";
import type { Watched } from "../../scheduling/watch-list.ts";
import { listCheckOverviews } from "../../states/check-state-store.ts";
import { summariseChecks } from "../analytics/actions.ts";
import { rollUpClosedHours } from "../rollups/rollup-builder.ts";
import { dayMs, hourMs, startOf } from "../window.ts";
import { FigureReader } from "./figures.ts";
import { firstStepMs, readFirstSteps, readPlaceFigures } from "./place-figures.ts";

let fixture: RunsFixture;
let checks: Watched[];
let ids: string[];
let all: JudgedResult[];

before(async () => {
  fixture = await createRunsFixture();
  // Half past, so that there is an open hour.
  fixture.clock.advance(30 * 60_000);
  const nowMs = fixture.clock.now().getTime();
  const fromMs = startOf(nowMs - 3 * dayMs, dayMs);
  for (let at = fromMs; at < nowMs - dayMs; at += dayMs) {
    await createPartition(fixture.context.db, at);
  }
  checks = [await fixture.addCheck(), await fixture.addCheck(), await fixture.addCheck()];
  ids = checks.map(({ checkId }) => checkId);
  // The third check never ran.
  all = createRunsOverTime(checks.slice(0, 2), { fromMs, toMs: nowMs }, createChance(7));
  for (let at = 0; at < all.length; at += 500) {
    await insertNewResults(fixture.context.db, all.slice(at, at + 500));
  }
});
after(() => fixture.stop());

function finalsOf(checkId: string, span: { readonly fromMs: number; readonly toMs: number }) {
  return all.filter(
    ({ result, isFinal }) =>
      isFinal &&
      result.checkId === checkId &&
      result.dueAtMs >= span.fromMs &&
      result.dueAtMs < span.toMs,
  );
}

function rttsOf(runs: readonly JudgedResult[]): number[] {
  return runs.flatMap(({ result: { outcome } }) =>
    (readMeasurement(outcome)?.packets ?? []).flatMap(({ rttMs }) => rttMs ?? []),
  );
}

function assertNear(actual: number | null, values: readonly number[], what: string): void {
  if (values.length === 0) {
    assert.equal(actual, null, what);
    return;
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  assert.ok(Math.abs((actual ?? 0) - mean) <= 0.011 * mean, `${what}: ${actual} is not ${mean}`);
}

const countOf = (runs: readonly JudgedResult[], verdict: string) =>
  runs.filter((run) => run.verdict === verdict).length;

async function assertFigures(reader: FigureReader): Promise<void> {
  const { context, clock } = fixture;
  const nowMs = clock.now().getTime();
  const figures = await reader.read(ids);
  for (const [name, days] of [
    ["day", 1],
    ["week", 7],
  ] as const) {
    const window = { fromMs: nowMs - days * dayMs, toMs: nowMs };
    const wanted = await summariseChecks(context, ids, window);
    assert.deepEqual(
      ids.map((id) => figures.get(id)?.[name]),
      // Other figures of a kind are not part of a list.
      wanted.map((one) => ({ ...one, parts: {}, averages: {} })),
      name,
    );
  }
  for (const id of ids) {
    const hours = figures.get(id)?.hours ?? [];
    assert.equal(hours.length, 25);
    assert.equal(hours[0]?.startsMs, startOf(nowMs - dayMs, hourMs));
    for (const { startsMs, avgMs, runs, degraded, failing } of hours) {
      const finals = finalsOf(id, { fromMs: startsMs, toMs: startsMs + hourMs });
      const known = finals.length - countOf(finals, "unknown");
      const counts = [known, countOf(finals, "degraded"), countOf(finals, "failing")];
      assert.deepEqual([runs, degraded, failing], counts);
      assertNear(avgMs, rttsOf(finals), new Date(startsMs).toISOString());
    }
  }
}

async function assertPlaces(): Promise<void> {
  const nowMs = fixture.clock.now().getTime();
  const window = { fromMs: startOf(nowMs - dayMs, hourMs), toMs: nowMs };
  const places = await readPlaceFigures(fixture.context, ids);
  assert.deepEqual(places.get(ids[2] ?? ""), []);
  for (const id of ids.slice(0, 2)) {
    const found = places.get(id) ?? [];
    assert.deepEqual(
      found.map(({ location }) => location),
      ["eu-west-1", "us-east-1"],
    );
    for (const { location, availability, avgMs, p95Ms } of found) {
      const finals = finalsOf(id, window).filter(({ result }) => result.location === location);
      const up = countOf(finals, "passing") + countOf(finals, "degraded");
      const known = up + countOf(finals, "failing");
      assert.ok(Math.abs((availability ?? 0) - up / known) < 1e-12);
      const rtts = rttsOf(finals).sort((one, other) => one - other);
      assertNear(avgMs, rtts, location);
      assertNear(p95Ms, [rtts[Math.floor(0.95 * (rtts.length - 1))] ?? 0], location);
    }
  }
}

async function assertFirstSteps(): Promise<void> {
  const nowMs = fixture.clock.now().getTime();
  for (const [id, steps] of await readFirstSteps(fixture.context, ids)) {
    assert.equal(steps[0]?.startsMs, startOf(nowMs, hourMs) - hourMs);
    for (const { startsMs, avgMs, runs, failing } of steps) {
      const toMs = Math.min(startsMs + firstStepMs, nowMs);
      const finals = finalsOf(id, { fromMs: startsMs, toMs });
      const known = finals.length - countOf(finals, "unknown");
      assert.deepEqual([runs, failing], [known, countOf(finals, "failing")]);
      assertNear(avgMs, rttsOf(finals), new Date(startsMs).toISOString());
    }
  }
}

test("figures of day, week, hours and locations equal those of the single results", async () => {
  await assertFigures(new FigureReader(fixture.context));
  await assertPlaces();
  await assertFirstSteps();
});

test("figures of day, week, hours and locations are the same after the roll-up", async () => {
  while ((await rollUpClosedHours(fixture.context))?.hours) {}
  const [{ count }] = (await fixture.query("select count(*) from rollup_progress")) as [
    { count: number },
  ];
  assert.ok(count > 24);
  const reader = new FigureReader(fixture.context);
  await assertFigures(reader);
  // Cached closed hours are neither changed by a read nor used for another hour.
  await assertFigures(reader);
  await assertPlaces();
});

test("new results appear in the next read, and late results soon after", async () => {
  const reader = new FigureReader(fixture.context);
  await assertFigures(reader);
  const insert = async (fromMs: number, toMs: number, seed: number) => {
    const more = createRunsOverTime(checks.slice(0, 2), { fromMs, toMs }, createChance(seed));
    const added = await insertNewResults(fixture.context.db, more);
    assert.ok(added.size > 0);
    all.push(...more);
  };
  for (const minutes of [1, 3, 7]) {
    const fromMs = fixture.clock.now().getTime();
    fixture.clock.advance(minutes * 60_000);
    await insert(fromMs, fixture.clock.now().getTime(), minutes);
    await assertFigures(reader);
  }
  // Twelve minutes late: already settled, and included when settled results are next summed.
  const lateMs = fixture.clock.now().getTime() - 12 * 60_000 + 1;
  await insert(lateMs, lateMs + 60_000, 99);
  fixture.clock.advance(5 * 60_000);
  await assertFigures(reader);
});

test("a slow read counts nothing twice while others continue", async () => {
  const { pool, clock } = fixture;
  const recentMs = clock.now().getTime() - 8 * 60_000;
  const span = { fromMs: recentMs, toMs: recentMs + 60_000 };
  const more = createRunsOverTime(checks.slice(0, 2), span, createChance(5));
  assert.ok((await insertNewResults(fixture.context.db, more)).size > 0);
  all.push(...more);
  let held: Promise<void> | null = null;
  let asked = 0;
  const connect = async () => {
    const client = await pool.connect();
    const query = async (question: pg.QueryConfig) => {
      const gate = held;
      asked += 1;
      const answer = await client.query(question);
      await gate;
      return answer;
    };
    return { query, release: () => client.release() };
  };
  // The handle only requests connections from a pool.
  const db = createDatabase({ connect } as unknown as pg.Pool);
  const reader = new FigureReader({ db, clock });
  const before = await reader.read(ids);
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  asked = 0;
  const slow = reader.read(ids);
  // Three queries come before the data: two for its windows and one for its kinds.
  await waitUntil("it plans", () => asked === 3);
  held = null;
  resolve();
  const { promise: reads, resolve: goOn } = Promise.withResolvers<void>();
  held = reads;
  await waitUntil("it reads", () => asked > 3);
  held = null;
  fixture.clock.advance(10 * 60_000);
  await reader.read(ids);
  goOn();
  const slowly = await slow;
  for (const id of ids) assert.deepEqual(slowly.get(id)?.week, before.get(id)?.week, id);
});

test("an empty request sends no query", async () => {
  assert.equal((await new FigureReader(fixture.context).read([])).size, 0);
  assert.equal((await readPlaceFigures(fixture.context, [])).size, 0);
});

test("checks are selected by all or any of the tags, ordered by name", async () => {
  const { addCheck, accountId, context } = fixture;
  await addCheck({ name: "b", tags: ["x", "y"] });
  await addCheck({ name: "A", tags: ["x"] });
  await addCheck({ name: "c", tags: ["y", "z"] });
  await addCheck({ name: "off", tags: ["x", "y"], activated: false });
  const list = async (tags: string[], isEveryTag: boolean, limit = 100) => {
    const found = await listCheckOverviews(context.db, accountId, { tags, isEveryTag, limit });
    return { names: found.list.map(({ name }) => name), total: found.total };
  };
  assert.deepEqual((await list(["x", "y"], false)).names, ["A", "b", "c"]);
  assert.deepEqual((await list(["x", "y"], true)).names, ["b"]);
  assert.deepEqual((await list(["nothing"], false)).names, []);
  assert.equal((await list([], false)).names.includes("off"), false);
  assert.deepEqual(await list(["x", "y"], false, 2), { names: ["A", "b"], total: 3 });
  assert.equal((await list(["x' or true --"], false)).total, 0);
});

test("tags are returned once each in their original order, on every read", async () => {
  const tags = ["team:z", "prod", "eu", "a", "m", "b", "prod"];
  await fixture.addCheck({ name: "tagged", tags });
  const query = { tags: ["team:z"], isEveryTag: false, limit: 10 };
  const { list } = await listCheckOverviews(fixture.context.db, fixture.accountId, query);
  assert.deepEqual(list[0]?.tags, ["team:z", "prod", "eu", "a", "m", "b"]);
});
