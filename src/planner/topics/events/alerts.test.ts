import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { listOutages } from "./alerts.ts";

const statuses = ["passing", "degraded", "failing", "unknown"] as const;
type Status = (typeof statuses)[number];

function change(minute: number, toStatus: Status, checkId = "a") {
  const at = new Date(minute * 60_000).toISOString();
  return { checkId, name: checkId, at, fromStatus: "unknown" as const, toStatus, resultId: "" };
}

test("an outage lasts until the check recovers; missing data does not end it", () => {
  const changes = [
    change(50, "failing"),
    change(30, "degraded"),
    change(20, "unknown"),
    change(10, "failing"),
  ];
  assert.deepEqual(
    listOutages(changes).map(({ fromMs, toMs }) => [fromMs / 60_000, toMs && toMs / 60_000]),
    [
      [10, 30],
      [50, null],
    ],
  );
});

test("a check that was failing before the window has no outage in it", () => {
  assert.deepEqual(listOutages([change(10, "passing")]), []);
});

test("outages of a check never overlap, and only the last one may be ongoing", () => {
  const step = fc.record({
    toStatus: fc.constantFrom(...statuses),
    checkId: fc.constantFrom("a", "b"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const changes = steps.map(({ toStatus, checkId }, at) => change(at, toStatus, checkId));
      for (const checkId of ["a", "b"]) {
        const own = listOutages(changes.toReversed()).filter((one) => one.checkId === checkId);
        for (const [index, { toMs }] of own.entries()) {
          const next = own[index + 1];
          if (next === undefined) continue;
          assert.ok(toMs !== null && toMs <= next.fromMs);
        }
      }
    }),
  );
});
