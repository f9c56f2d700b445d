import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry } from "../accounts/index.ts";
import type { StateChangeRecord } from "../states/index.ts";
import { joinActivities } from "./activity.ts";

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

test("an edit names its object by name, header or key", () => {
  const named = [
    edit(3, { changes: { name: "Pager" }, target: { type: "alert-channel", id: "1" } }),
    edit(2, { changes: { header: "Wall" }, target: { type: "dashboard", id: "2" } }),
    edit(1, { target: { type: "variable", id: "API_TOKEN" } }),
  ];
  assert.deepEqual(
    join([], named, 10).map(({ name }) => name),
    ["Pager", "Wall", "API_TOKEN"],
  );
});
