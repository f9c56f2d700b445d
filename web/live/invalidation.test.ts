import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventName } from "../api/change.ts";
import {
  findRetryMs,
  type Invalidation,
  isAffected,
  isUrgent,
  joinInvalidations,
} from "./invalidation.ts";

const a = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
const b = "8d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
const renew = (...changes: { type: string; ids: string[] | null }[]) =>
  joinInvalidations(new Map(), changes);

const isRenewed = (invalidation: Invalidation, events: readonly EventName[], ...key: unknown[]) =>
  isAffected(invalidation, { queryKey: ["checks", ...key], meta: { events } });

test("a change invalidates queries of its event about the same object and about many", () => {
  const invalidation = renew({ type: "check.state", ids: [a] });
  assert.equal(isRenewed(invalidation, ["check"], a, "series", "24h"), true);
  assert.equal(isRenewed(invalidation, ["check"], b, "series", "24h"), false);
  assert.equal(isRenewed(invalidation, ["incident", "check"], "list", { page: 1 }), true);
  assert.equal(isRenewed(invalidation, ["check.result"], a), false);
  assert.equal(isRenewed(invalidation, []), false);
  assert.equal(isAffected(invalidation, { queryKey: ["about"], meta: undefined }), false);
});

test("a change of many objects invalidates all of them, whatever was named before or after", () => {
  const invalidation = renew(
    { type: "check.result", ids: [a] },
    { type: "check.result", ids: null },
    { type: "check.result", ids: [a] },
  );
  assert.equal(isRenewed(invalidation, ["check.result"], b), true);
  assert.equal(isRenewed(invalidation, ["check"], b), false);
});

test("groups have numeric ids", () => {
  const invalidation = renew({ type: "check-group.changed", ids: ["7"] });
  assert.equal(isRenewed(invalidation, ["check-group"], 7), true);
  assert.equal(isRenewed(invalidation, ["check-group"], 8), false);
});

test("new results alone are not urgent", () => {
  assert.equal(isUrgent([{ type: "check.result", ids: null }]), false);
  assert.equal(
    isUrgent([
      { type: "check.result", ids: null },
      { type: "check.state", ids: [a] },
    ]),
    true,
  );
});

test("retry delays grow with each failure up to a limit, and half of each delay is random", () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 50].map((n) => findRetryMs(n, 1)),
    [1_000, 2_000, 4_000, 8_000, 15_000, 15_000],
  );
  assert.equal(findRetryMs(1, 0), 500);
});

test("an annotation invalidates every check, because its id is not a check id", () => {
  const invalidation = renew({ type: "annotation.changed", ids: [a] });
  assert.equal(isRenewed(invalidation, ["annotation"], b, "timeline"), true);
});
