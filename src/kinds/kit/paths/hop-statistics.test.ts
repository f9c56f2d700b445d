import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addRound, toWireHop } from "./hop-statistics.ts";
import type { HopSamples } from "./path.ts";

const samples = (rttsMs: readonly number[], address: string | null = "10.0.0.1"): HopSamples => ({
  ...{ address, name: null, sent: 3, rttsMs },
});

const roundsOf = (rounds: readonly (readonly HopSamples[])[]) =>
  rounds.reduce<ReturnType<typeof addRound>>(addRound, []).map(toWireHop);

test("statistics of a hop are those of all its probes", () => {
  const rtts = fc.array(fc.double({ min: 0, max: 500, noNaN: true }), { maxLength: 3 });
  fc.assert(
    fc.property(fc.array(rtts, { minLength: 1, maxLength: 20 }), (rounds) => {
      const [hop] = roundsOf(rounds.map((one) => [samples(one)]));
      const all = rounds.flat();
      assert.equal(hop?.sent, 3 * rounds.length);
      assert.equal(hop?.received, all.length);
      if (all.length === 0) return;
      const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
      const squares = all.reduce((sum, one) => sum + (one - mean) ** 2, 0);
      const isClose = (found: number | null, value: number) =>
        assert.ok(Math.abs((found ?? Number.NaN) - value) < 0.001, `${found} is ${value}`);
      isClose(hop.averageMs, mean);
      isClose(hop.bestMs, Math.min(...all));
      isClose(hop.worstMs, Math.max(...all));
      isClose(hop.lastMs, all.at(-1) ?? 0);
      if (all.length > 1) isClose(hop.standardDeviationMs, Math.sqrt(squares / (all.length - 1)));
    }),
  );
});

test("hops of a shorter path stay, and each address of a hop is listed once", () => {
  const hops = roundsOf([
    [samples([1]), samples([], null), samples([9, 9, 9], "10.0.0.3")],
    [samples([1, 1, 1], "10.0.0.2")],
    [samples([1, 1], "10.0.0.1")],
  ]);
  assert.deepEqual(
    hops.map(({ sent, received, lossPercent }) => [sent, received, lossPercent]),
    [
      [9, 6, 33.3],
      [3, 0, 100],
      [3, 3, 0],
    ],
  );
  assert.deepEqual(
    hops.map(({ addresses }) => addresses.map(({ address }) => address)),
    [["10.0.0.1", "10.0.0.2"], [], ["10.0.0.3"]],
  );
  assert.equal(hops[1]?.averageMs, null);
});
