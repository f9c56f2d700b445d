import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../../test/support/properties.ts";
import type { BackTestAlert } from "../../../response/alerting/index.ts";
import { type Interval, listProblems, matchEpisodes, within } from "./episodes.ts";

const span = (fromMs: number, toMs: number | null): Interval => ({ fromMs, toMs });
const seen = (here: Interval[], there: Interval[], toleranceMs = 0) =>
  matchEpisodes(here, there, toleranceMs).map((one) => [one.seen, one.fromMs, one.toMs]);

test("outages that overlap are one event that both saw", () => {
  assert.deepEqual(seen([span(10, 20)], [span(15, 30)]), [["both", 10, 30]]);
  assert.deepEqual(seen([span(10, 100)], [span(20, 30), span(50, 60)]), [["both", 10, 100]]);
  assert.deepEqual(seen([span(10, null)], [span(5_000, null)]), [["both", 10, null]]);
});

test("outages apart are seen by one monitor only, unless the distance is within the tolerance", () => {
  const apart = [
    ["here", 10, 20],
    ["there", 25, 30],
  ];
  assert.deepEqual(seen([span(10, 20)], [span(25, 30)]), apart);
  assert.deepEqual(seen([span(10, 20)], [span(25, 30)], 5), [["both", 10, 30]]);
  // Two outages of the same monitor are two events, however close.
  assert.deepEqual(seen([span(10, 20), span(21, 30)], [], 100), [
    ["here", 10, 20],
    ["here", 21, 30],
  ]);
});

test("every outage is in one event, by overlap, and swapping the monitors swaps the events", () => {
  const interval = fc
    .tuple(fc.nat(200), fc.option(fc.nat(40)))
    .map(([fromMs, length]) => span(fromMs, length === null ? null : fromMs + length));
  const side = fc.array(interval, { maxLength: 12 });
  const end = ({ toMs }: Interval) => toMs ?? Number.POSITIVE_INFINITY;
  fc.assert(
    fc.property(side, side, fc.nat(10), (here, there, tolerance) => {
      const episodes = matchEpisodes(here, there, tolerance);
      const touch = (a: Interval, b: Interval) =>
        a.fromMs <= end(b) + tolerance && b.fromMs <= end(a) + tolerance;
      const all = (list: readonly Interval[]) => [...list].sort(compare);
      assert.deepEqual(all(episodes.flatMap((one) => one.here)), all(here));
      assert.deepEqual(all(episodes.flatMap((one) => one.there)), all(there));
      for (const { seen: by, here: ours, there: theirs } of episodes) {
        const others = by === "here" ? there : here;
        if (by === "both") assert.ok(ours.some((one) => theirs.some((other) => touch(one, other))));
        else assert.ok(![...ours, ...theirs].some((a) => others.some((b) => touch(a, b))));
        if (by !== "both") assert.equal(ours.length + theirs.length, 1);
      }
      const count = (list: typeof episodes, by: string) =>
        list.filter((one) => one.seen === by).length;
      const swapped = matchEpisodes(there, here, tolerance);
      assert.deepEqual(
        [count(swapped, "both"), count(swapped, "here"), count(swapped, "there")],
        [count(episodes, "both"), count(episodes, "there"), count(episodes, "here")],
      );
    }),
    { numRuns: propertyRuns },
  );
});

const compare = (a: Interval, b: Interval) =>
  a.fromMs - b.fromMs ||
  Math.min(a.toMs ?? Number.MAX_VALUE, Number.MAX_VALUE) -
    Math.min(b.toMs ?? Number.MAX_VALUE, Number.MAX_VALUE);

test("alerts become problems from the first failing run to the recovery", () => {
  const alert = (kind: BackTestAlert["kind"], minutes: number, detected: number | null) => ({
    ...{ kind, atMs: minutes * 60_000, minutesToDetect: detected },
    ...{ resultId: null, alertNumber: 1, isReminder: false },
    reason: "run-threshold-reached" as BackTestAlert["reason"],
  });
  const problems = listProblems([
    alert("ALERT_FAILURE", 10, 2),
    alert("ALERT_FAILURE_REMAIN", 15, null),
    alert("ALERT_RECOVERY", 20, null),
    alert("ALERT_DEGRADED", 30, 0),
    alert("ALERT_DEGRADED_FAILURE", 32, 0),
  ]);
  assert.deepEqual(problems, [span(8 * 60_000, 20 * 60_000), span(30 * 60_000, null)]);
});

test("only outages of the compared time count", () => {
  const range = { fromMs: 100, toMs: 200 };
  const some = [span(10, 100), span(10, 101), span(150, null), span(200, 300)];
  assert.deepEqual(within(some, range), [span(10, 101), span(150, null)]);
});
