import assert from "node:assert/strict";
import { test } from "node:test";
import { kindTargets } from "../../kinds/index.ts";
import { type Fields, setAt } from "../../parts/fields.ts";
import {
  changeKind,
  createValues,
  fromCheck,
  fromCopy,
  toChangeBody,
  toNewBody,
} from "./check-values.ts";

const base: Fields = {
  name: "Shop",
  tags: ["a"],
  request: { url: "https://a.example", headers: [{ key: "x", value: "1", locked: false }] },
  frequency: 10,
};

test("an unchanged check sends nothing, and a changed one only the differences", () => {
  assert.deepEqual(toChangeBody(base, base), {});
  const changed = setAt(base, "request.url", "https://b.example");
  assert.deepEqual(Object.keys(toChangeBody(base, changed)), ["request"]);
});

test("switching the check type keeps the common fields and only the new type's own fields", () => {
  const named = { ...createValues("URL"), name: "Shop", tags: ["a"], frequency: 1 };
  for (const { type } of kindTargets) {
    const changed = changeKind(named, type);
    assert.deepEqual(Object.keys(changed).toSorted(), Object.keys(createValues(type)).toSorted());
    assert.equal(changed.name, "Shop");
    assert.equal(changed.checkType, type);
  }
});

test("a copy has no id and no ping URL", () => {
  const checkType = "HEARTBEAT";
  const heartbeat = { period: 1, pingToken: "t", pingUrl: "u" };
  const check = { id: "1", checkType, name: "Job", heartbeat };
  assert.deepEqual(fromCopy(check), {
    checkType,
    name: "Job (copy)",
    heartbeat: { period: 1 },
  });
  assert.deepEqual(Object.keys(fromCheck(check)), ["checkType", "name", "heartbeat"]);
});

test("a field that the API does not accept is neither sent nor counted as a change", () => {
  const before = createValues("HEARTBEAT");
  const stored = setAt(before, "heartbeat.pingUrl", "https://vedette.example/ping/1");
  assert.deepEqual(toNewBody(stored), before);
  assert.deepEqual(toChangeBody(before, stored), {});
});
