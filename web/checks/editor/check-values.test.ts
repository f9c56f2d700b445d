import assert from "node:assert/strict";
import { test } from "node:test";
import { readCheckKinds } from "../../../test/support/modules/check-kinds.ts";
import type { AnyValues, Check, CheckKind } from "../../kinds/form-values.ts";
import { kindTargets } from "../../kinds/index.ts";
import { setAt } from "../../parts/fields.ts";
import {
  changeKind,
  createValues,
  fromCheck,
  fromCopy,
  toChangeBody,
  toNewBody,
} from "./check-values.ts";

const kinds: readonly CheckKind[] = readCheckKinds();

function findKind(type: string): CheckKind {
  const found = kinds.find((kind) => kind.type === type);
  assert.ok(found, type);
  return found;
}

const base: AnyValues = {
  name: "Shop",
  tags: ["a"],
  request: { url: "https://a.example", headers: [{ key: "x", value: "1", locked: false }] },
  frequency: 10,
};

test("an unchanged check sends nothing, and a changed one only the differences", () => {
  const kind = findKind("API");
  assert.deepEqual(toChangeBody(base, base, kind), {});
  const changed = setAt(base, "request.url", "https://b.example");
  assert.deepEqual(Object.keys(toChangeBody(base, changed, kind)), ["request"]);
});

test("a new check of every type has the API's defaults, an empty target and a short interval", () => {
  for (const { type, target, isOrdered, proposed } of kindTargets) {
    const kind = findKind(type);
    const values = createValues(kind);
    assert.equal(values.checkType, type);
    assert.equal(values.frequency, isOrdered ? (proposed?.frequency ?? 1) : undefined);
    assert.equal(values.degradedResponseTime, kind.defaults.degradedResponseTime);
    for (const path of target?.paths ?? []) assert.ok(kind.limits[path], path);
    assert.doesNotMatch(target?.write(values) ?? "", /null|undefined/);
  }
  assert.equal(createValues(findKind("HEARTBEAT")).heartbeat?.period, 1);
});

test("switching the check type keeps the common fields and only the new type's own fields", () => {
  const named: AnyValues = {
    ...createValues(findKind("URL")),
    name: "Shop",
    tags: ["a"],
    frequency: 1,
  };
  for (const { type } of kindTargets) {
    const changed = changeKind(named, findKind(type));
    assert.deepEqual(
      Object.keys(changed).toSorted(),
      Object.keys(createValues(findKind(type))).toSorted(),
    );
    assert.equal(changed.name, "Shop");
    assert.equal(changed.checkType, type);
  }
});

test("switching the check type keeps an interval below a minute", () => {
  const often: AnyValues = {
    ...createValues(findKind("URL")),
    frequency: 0,
    frequencyOffset: 20,
  };
  const changed = changeKind(often, findKind("ICMP"));
  assert.deepEqual([changed.frequency, changed.frequencyOffset], [0, 20]);
});

test("a copy has no id and no ping URL", () => {
  const checkType = "HEARTBEAT";
  const heartbeat = { period: 1, pingToken: "t", pingUrl: "u" };
  const check = { id: "1", checkType, name: "Job", heartbeat } as Check;
  assert.deepEqual(fromCopy(check, findKind(checkType)), {
    checkType,
    name: "Job (copy)",
    heartbeat: { period: 1 },
  });
  assert.deepEqual(Object.keys(fromCheck(check)), ["checkType", "name", "heartbeat"]);
});

test("a field that the API does not accept is neither sent nor counted as a change", () => {
  const kind = findKind("HEARTBEAT");
  const before = createValues(kind);
  const stored = setAt(before, "heartbeat.pingUrl", "https://vedette.example/ping/1");
  assert.deepEqual(toNewBody(stored, kind), before);
  assert.deepEqual(toChangeBody(before, stored, kind), {});
});
