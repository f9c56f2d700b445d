import assert from "node:assert/strict";
import { test } from "node:test";
import { type GroupedCheck, type Grouping, groupTroubles } from "./trouble-groups.ts";

const refused = { key: "connection-failed ECONNREFUSED", explanation: "It was refused." };
const check = (name: string, changes: Partial<GroupedCheck> = {}): GroupedCheck => ({
  checkId: name,
  name,
  status: "failing",
  since: new Date(0),
  isAlerted: true,
  isAcknowledged: false,
  cause: refused,
  groupName: null,
  tags: [],
  places: [],
  ...changes,
});
const shape = (checks: readonly GroupedCheck[], by: Grouping) =>
  groupTroubles(checks, by).map((one) => [one.label, one.checks.map(({ name }) => name).join("")]);

test("checks that fail for one reason are one group with the common explanation", () => {
  const slow = { key: "response-time-above-max", explanation: "It took 2 s." };
  const slower = { ...slow, explanation: "It took 3 s." };
  const checks = [check("a"), check("b"), check("c"), check("d", { cause: slow })];
  assert.deepEqual(shape(checks, "cause"), [
    ["It was refused.", "abc"],
    ["It took 2 s.", "d"],
  ]);
  const differing = [check("d", { cause: slow }), check("e", { cause: slower })];
  assert.deepEqual(shape(differing, "cause"), [["Response time above max", "de"]]);
  const codes = [check("a"), check("b", { cause: { ...refused, explanation: "Otherwise." } })];
  assert.deepEqual(shape(codes, "cause"), [["Connection failed (ECONNREFUSED)", "ab"]]);
});

test("by tag and location a check is in each of its groups, and checks without one come last", () => {
  const checks = [
    check("a", { tags: ["x", "y", "x"], places: ["home"] }),
    check("b", { tags: ["y"], groupName: "Core" }),
    check("c"),
  ];
  assert.deepEqual(shape(checks, "tag"), [
    ["y", "ab"],
    ["x", "a"],
    [null, "c"],
  ]);
  assert.deepEqual(shape(checks, "location"), [
    ["home", "a"],
    [null, "bc"],
  ]);
  assert.deepEqual(shape(checks, "group"), [
    ["Core", "b"],
    [null, "ac"],
  ]);
});
