import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { State } from "../../pages/states.ts";
import type { FollowedCheck } from "../states/index.ts";
import type { Follow } from "../status-pages/index.ts";
import { combineFollowed, decideServiceState } from "./service-state.ts";
import type { CheckTrouble } from "./trouble-store.ts";

const minute = 60_000;

function createCheck(id: string, changes: Partial<FollowedCheck> = {}): FollowedCheck {
  return { id, tags: [], isActive: true, hasRun: true, ...changes };
}

function follow(what: { checkId?: string; tag?: string }, sinceMs = 0): Follow {
  const { checkId = null, tag = null } = what;
  return { serviceId: "shop", checkId, tag, since: new Date(sinceMs) };
}

function createTrouble(checkId: string, changes: Partial<CheckTrouble> = {}): CheckTrouble {
  return { checkId, status: "failing", startedAtMs: 10 * minute, endedAtMs: null, ...changes };
}

function combine(follows: Follow[], checks: FollowedCheck[], troubles: CheckTrouble[] = []) {
  return combineFollowed(
    follows,
    checks,
    Map.groupBy(troubles, ({ checkId }) => checkId),
  );
}

describe("the state of followed checks", () => {
  test("is null for a service that follows nothing", () => {
    const { state, troubles } = combine([], [createCheck("a")], [createTrouble("a")]);
    assert.deepEqual([state, troubles], [null, []]);
  });

  test("is the worst state of the checks followed by id or tag", () => {
    const checks = [createCheck("a"), createCheck("b", { tags: ["web"] }), createCheck("c")];
    const follows = [follow({ checkId: "a" }), follow({ tag: "web" })];
    const cases: readonly (readonly [CheckTrouble[], State])[] = [
      [[], "passing"],
      [[createTrouble("b", { status: "unknown" })], "unknown"],
      [[createTrouble("a", { status: "degraded" })], "degraded"],
      [[createTrouble("a", { status: "degraded" }), createTrouble("b")], "failing"],
      [[createTrouble("c")], "passing"],
      [[createTrouble("a", { endedAtMs: 20 * minute })], "passing"],
    ];
    for (const [troubles, status] of cases) {
      assert.equal(combine(follows, checks, troubles).state?.status, status);
    }
  });

  test("includes the start of the current state", () => {
    const checks = [createCheck("a"), createCheck("b")];
    const follows = [follow({ checkId: "a" }), follow({ checkId: "b" })];
    const degraded = createTrouble("a", { status: "degraded", startedAtMs: minute });
    const { state } = combine(follows, checks, [degraded, createTrouble("b")]);
    assert.equal(state?.since?.getTime(), 10 * minute);
  });

  test("ignores paused checks, and is unknown if all are paused", () => {
    const paused = createCheck("a", { isActive: false });
    const follows = [follow({ checkId: "a" }), follow({ checkId: "b" })];
    const troubles = [createTrouble("a")];
    assert.equal(combine(follows, [paused, createCheck("b")], troubles).state?.status, "passing");
    assert.equal(combine(follows, [paused], troubles).state?.status, "unknown");
  });

  test("has no data before the first run, or if no check has the tag", () => {
    const fresh = createCheck("a", { hasRun: false });
    const { state, troubles } = combine([follow({ checkId: "a" }, 5 * minute)], [fresh]);
    assert.equal(state?.status, "unknown");
    assert.deepEqual(troubles, [{ status: "unknown", startedAtMs: 5 * minute, endedAtMs: null }]);
    assert.equal(combine([follow({ tag: "nowhere" })], []).state?.status, "unknown");
  });

  test("ignores failures before the check was followed", () => {
    const follows = [follow({ checkId: "a" }, 15 * minute)];
    const over = createTrouble("a", { startedAtMs: minute, endedAtMs: 2 * minute });
    const { troubles } = combine(follows, [createCheck("a")], [over, createTrouble("a")]);
    assert.deepEqual(troubles, [{ status: "failing", startedAtMs: 15 * minute, endedAtMs: null }]);
  });
});

test("the state of a service is the worse of its incidents and its checks", () => {
  const checks = (status: State) => ({ status, since: null, checkIds: [] });
  assert.equal(decideServiceState(undefined, null), "passing");
  assert.equal(decideServiceState(undefined, checks("unknown")), "unknown");
  assert.equal(decideServiceState("MINOR", checks("passing")), "degraded");
  assert.equal(decideServiceState("MINOR", checks("failing")), "failing");
  assert.equal(decideServiceState("CRITICAL", checks("unknown")), "failing");
});
