import assert from "node:assert/strict";
import { test } from "node:test";
import { findRetryMs, isAffected, isUrgent, joinInvalidations } from "./invalidation.ts";

const a = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
const b = "8d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
const renew = (...changes: { type: string; ids: string[] | null }[]) =>
  joinInvalidations(new Map(), changes);

test("a change invalidates its own object and every list of the module, but no other object", () => {
  const invalidation = renew({ type: "check.state", ids: [a] });
  assert.equal(isAffected(invalidation, ["checks", a, "series", "24h"]), true);
  assert.equal(isAffected(invalidation, ["checks", b, "series", "24h"]), false);
  assert.equal(isAffected(invalidation, ["checks", "list", { page: 1 }]), true);
  assert.equal(isAffected(invalidation, ["now", "overview"]), true);
  assert.equal(isAffected(invalidation, ["session"]), false);
  assert.equal(isAffected(invalidation, ["editor", "check", a]), false);
});

test("a change of many objects invalidates the whole module, whatever was named before or after", () => {
  const invalidation = renew(
    { type: "check.result", ids: [a] },
    { type: "check.result", ids: null },
    { type: "check.result", ids: [a] },
  );
  assert.equal(isAffected(invalidation, ["checks", b]), true);
  assert.equal(isAffected(invalidation, ["now", "overview"]), false);
});

test("groups have numeric ids, and an unlisted type invalidates the module of its name", () => {
  const invalidation = renew({ type: "check-group.changed", ids: ["7"] });
  assert.equal(isAffected(invalidation, ["groups", 7]), true);
  assert.equal(isAffected(invalidation, ["groups", 8]), false);
  for (const thing of ["dashboard", "view", "client-certificate"]) {
    const own = renew({ type: `${thing}.changed`, ids: ["1"] });
    assert.equal(isAffected(own, [`${thing}s`]), true);
  }
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
  assert.equal(isAffected(invalidation, ["checks", b, "timeline"]), true);
});
