import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type ComparedProbe,
  judgeProbes,
  leastDisagreements,
  type ProbeVote,
} from "./quarantine.ts";

const probe = (id: string, route = "office", isTrusted = true): ComparedProbe => ({
  id,
  route,
  isTrusted,
});
const vote = (checkId: string, probeId: string, side: "up" | "down", route = "office") => ({
  checkId,
  probeId,
  route,
  up: side === "up" ? 4 : 0,
  down: side === "up" ? 0 : 4,
});
const checks = ["one", "two", "three", "four"];
const taken = (votes: readonly ProbeVote[], probes: readonly ComparedProbe[]) =>
  judgeProbes(votes, probes)
    .filter(({ isToBeQuarantined }) => isToBeQuarantined)
    .map(({ probeId }) => probeId);

test("one of three probes that contradicts the other two is quarantined", () => {
  const probes = [probe("a"), probe("b"), probe("liar")];
  const votes = checks.flatMap((check) => [
    vote(check, "a", "up"),
    vote(check, "b", "up"),
    vote(check, "liar", "down"),
  ]);
  assert.deepEqual(taken(votes, probes), ["liar"]);
  const [, , liar] = judgeProbes(votes, probes);
  assert.deepEqual([liar?.compared, liar?.disagreeing], [4, 4]);
});

test("of two probes that contradict each other neither is quarantined, unless another location agrees with one", () => {
  const probes = [probe("a"), probe("b"), probe("far", "eu-west-1")];
  const two = checks.flatMap((check) => [vote(check, "a", "up"), vote(check, "b", "down")]);
  assert.deepEqual(taken(two, probes), []);
  const three = [...two, ...checks.map((check) => vote(check, "far", "up", "eu-west-1"))];
  assert.deepEqual(taken(three, probes), ["b"]);
});

test("the only probe of a location is never quarantined", () => {
  const probes = [probe("only"), probe("x", "eu-west-1"), probe("y", "us-east-1")];
  const votes = checks.flatMap((check) => [
    vote(check, "only", "down"),
    vote(check, "x", "up", "eu-west-1"),
    vote(check, "y", "up", "us-east-1"),
  ]);
  assert.deepEqual(taken(votes, probes), []);
});

test("few disagreements or too few runs quarantine no probe", () => {
  const probes = [probe("a"), probe("b"), probe("c")];
  const differ = (count: number) =>
    checks.flatMap((check, place) => [
      vote(check, "a", "up"),
      vote(check, "b", "up"),
      vote(check, "c", place < count ? "down" : "up"),
    ]);
  assert.deepEqual(taken(differ(leastDisagreements - 1), probes), []);
  assert.deepEqual(taken(differ(leastDisagreements), probes), ["c"]);
  const short = differ(4).map((one) => ({ ...one, up: one.up && 1, down: one.down && 1 }));
  assert.deepEqual(taken(short, probes), []);
});

const routes = ["office", "eu-west-1"];
const scene = fc
  .array(fc.record({ route: fc.constantFrom(...routes), isTrusted: fc.boolean() }), {
    maxLength: 7,
  })
  .map((some) => some.map((one, place) => ({ id: `p${place}`, ...one })))
  .chain((probes) => {
    const anyVote = fc.record({
      checkId: fc.constantFrom(...checks),
      place: fc.nat({ max: Math.max(0, probes.length - 1) }),
      up: fc.nat({ max: 5 }),
      down: fc.nat({ max: 5 }),
    });
    return fc.array(anyVote, { maxLength: 40 }).map((votes) => ({
      probes,
      votes: votes.flatMap(({ place, ...rest }): ProbeVote[] => {
        const by = probes[place];
        return by === undefined ? [] : [{ ...rest, probeId: by.id, route: by.route }];
      }),
    }));
  });

test("for any votes, at least as many trusted probes stay at a location as are quarantined", () => {
  fc.assert(
    fc.property(scene, ({ probes, votes }) => {
      const gone = new Set(taken(votes, probes));
      for (const route of routes) {
        const trusted = probes.filter((one) => one.route === route && one.isTrusted);
        const lost = trusted.filter(({ id }) => gone.has(id)).length;
        assert.ok(lost === 0 || (lost < trusted.length && lost * 2 <= trusted.length));
      }
      for (const { id, isTrusted } of probes) assert.ok(isTrusted || !gone.has(id));
    }),
  );
});

test("the order of the votes does not matter, and agreeing probes are never quarantined", () => {
  fc.assert(
    fc.property(scene, ({ probes, votes }) => {
      assert.deepEqual(judgeProbes([...votes].reverse(), probes), judgeProbes(votes, probes));
      const agreed = votes.map((one) => ({ ...one, down: 0 }));
      assert.deepEqual(taken(agreed, probes), []);
      for (const { compared, disagreeing } of judgeProbes(votes, probes)) {
        assert.ok(disagreeing <= compared);
      }
    }),
  );
});
