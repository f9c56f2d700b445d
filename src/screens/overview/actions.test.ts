import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry } from "../../access/accounts/index.ts";
import type { StateChangeRecord } from "../../runs/states/index.ts";
import { type GroupedCheck, type Grouping, groupTroubles, joinActivities } from "./actions.ts";

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

const startMs = Date.UTC(2026, 10, 17);

/** Contains only the fields that a list entry needs. */
const edit = (second: number, more: object = {}) =>
  ({
    action: "check.updated",
    target: { type: "check", id: "a" },
    changes: {},
    at: new Date(startMs + second * 1_000),
    actor: { name: "ada" },
    ...more,
  }) as unknown as AuditEntry;
const state = (second: number) =>
  ({
    checkId: "a",
    name: "Shop",
    from: "passing",
    to: "failing",
    at: new Date(startMs + second * 1_000),
  }) as unknown as StateChangeRecord;

function join(states: StateChangeRecord[], edits: AuditEntry[], limit: number) {
  const span = { fromMs: startMs, toMs: startMs + 86_400_000 };
  return joinActivities({ states, edits, moments: [], names: new Map(), span }, limit);
}

const many = <Entry>(count: number, create: (second: number) => Entry, from: number) =>
  Array.from({ length: count }, (_, index) => create(from - index));

test("many edits do not displace older state changes, and vice versa", () => {
  const typesOf = (states: number, edits: number) => {
    const list = join(many(states, state, 100), many(edits, edit, 1_000), 10);
    return list.map(({ type }) => type).join(" ");
  };
  assert.equal(typesOf(7, 50), `${"edit ".repeat(5)}state state state state state`);
  assert.equal(typesOf(2, 50), `${"edit ".repeat(8)}state state`);
  assert.equal(typesOf(50, 1), `edit${" state".repeat(9)}`);
  assert.equal(typesOf(50, 0), "state ".repeat(10).trim());
});

test("all types of activity are sorted newest first", () => {
  const list = join([state(10), state(30)], [edit(20), edit(40)], 10);
  assert.deepEqual(
    list.map(({ at }) => (at.getTime() - startMs) / 1_000),
    [40, 30, 20, 10],
  );
});

test("an edit of several objects counts them", () => {
  const items = [{ id: "a" }, { id: "b" }, { id: "c" }];
  const list = join([state(3)], [edit(2, { changes: { items } }), edit(1)], 10);
  assert.deepEqual(
    list.map(({ count }) => count),
    [1, 3, 1],
  );
});

test("an edit names its object by name, header, key or what the audit log calls it", () => {
  const named = [
    edit(3, { changes: { name: "Pager" }, target: { type: "alert-channel", id: "1" } }),
    edit(2, { changes: { header: "Wall" }, target: { type: "dashboard", id: "2" } }),
    edit(1, { target: { type: "variable", id: "API_TOKEN" } }),
    edit(0, {
      changes: { fields: ["cards"] },
      target: { type: "status-page", id: "3", name: "Acme" },
    }),
  ];
  assert.deepEqual(
    join([], named, 10).map(({ name }) => name),
    ["Pager", "Wall", "API_TOKEN", "Acme"],
  );
});
