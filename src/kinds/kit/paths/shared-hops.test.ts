import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Path } from "./path.ts";
import { countEnded, type FailingPath, findSharedHops, listSuspects } from "./shared-hops.ts";

function makePath(address: string, hops: readonly string[], end: Path["end"]): Path {
  return {
    address,
    protocol: "TCP",
    port: 443,
    end,
    hops: hops.map((one) => ({
      address: one === "" ? null : one,
      name: one === "core" ? "core.example.net" : null,
      roundTripMs: 1,
      error: null,
    })),
  };
}

interface Ended {
  readonly target: string;
  readonly hops: readonly string[];
  readonly good?: readonly string[];
}

function makeFailing(checkId: string, { target, hops, good }: Ended): FailingPath {
  const lastGood =
    good === undefined ? null : { learnedAtMs: 0, path: makePath(target, good, "reached") };
  const failing = { path: makePath(target, hops, "silent") };
  return { checkId, report: { location: "home", tracedAtMs: 0, failing, passing: null, lastGood } };
}

const none = new Set<string>();

test("the first silent hop that all failing checks share is found", () => {
  const failing = ["a", "b", "c"].map((target) =>
    makeFailing(`check ${target}`, {
      target,
      hops: ["gateway", "edge"],
      good: ["gateway", "edge", "core", "exit", target],
    }),
  );
  assert.deepEqual(findSharedHops(failing, new Set(["gateway"])), [
    {
      address: "core",
      name: "core.example.net",
      checkIds: ["check a", "check b", "check c"],
    },
  ]);
  assert.equal(countEnded(failing), 3);
});

test("without a last good path it is the last hop that responded", () => {
  const failing = ["a", "b"].map((target) =>
    makeFailing(target, { target, hops: ["gateway", "edge"] }),
  );
  assert.equal(findSharedHops(failing, none)[0]?.address, "edge");
  assert.deepEqual(findSharedHops(failing, new Set(["gateway", "edge"])), []);
});

test("checks that fail for different reasons are in different groups", () => {
  const failing = ["a", "b", "c", "d", "e"].map((target, index) =>
    makeFailing(target, { target, hops: ["gateway", index < 3 ? "north" : "south"] }),
  );
  assert.deepEqual(
    findSharedHops(failing, new Set(["gateway"])).map(({ address, checkIds }) => [
      address,
      checkIds.length,
    ]),
    [
      ["north", 3],
      ["south", 2],
    ],
  );
});

test("one target alone shares no hop, however many checks it has", () => {
  const same = ["a", "b"].map((id) => makeFailing(id, { target: "t", hops: ["gateway", "edge"] }));
  assert.deepEqual(findSharedHops(same, none), []);
  assert.deepEqual(listSuspects(same), []);
});

test("complete and missing paths do not count, and neither do silent hops", () => {
  const complete = makeFailing("a", { target: "a", hops: ["gateway", "a"] });
  const { report } = complete;
  const reached = { path: makePath("a", ["gateway", "a"], "reached") };
  const failing = [
    { ...complete, report: { ...report, failing: reached } },
    { ...complete, checkId: "b", report: { ...report, failing: { trouble: "no permission" } } },
    makeFailing("c", { target: "c", hops: ["", "gateway"] }),
    makeFailing("d", { target: "d", hops: ["", "other"] }),
  ];
  assert.equal(countEnded(failing), 2);
  assert.deepEqual(findSharedHops(failing, none), []);
});

test("a shared hop is never used by a passing check, and is a hop of each of its checks", () => {
  const address = fc.constantFrom<string>("r1", "r2", "r3", "r4", "r5", "");
  const ended = fc.record({
    target: fc.constantFrom("t1", "t2", "t3"),
    hops: fc.array(address, { maxLength: 5 }),
    good: fc.array(address, { maxLength: 5 }),
  });
  fc.assert(
    fc.property(fc.array(ended, { maxLength: 8 }), fc.uniqueArray(address), (all, passing) => {
      const failing = all.map((one, index) => makeFailing(String(index), one));
      const shared = findSharedHops(failing, new Set(passing));
      const checkIds = shared.flatMap((one) => one.checkIds);
      assert.equal(new Set(checkIds).size, checkIds.length);
      for (const one of shared) {
        assert.ok(!passing.includes(one.address));
        assert.ok(one.checkIds.length >= 2);
        for (const id of one.checkIds) {
          const { hops, good } = all[Number(id)] ?? assert.fail();
          assert.ok([...hops, ...good].includes(one.address));
        }
      }
    }),
  );
});
