import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { allKinds, checkTypes, gatherFields, kinds } from "./index.ts";
import { findAssertionFault } from "./kit/assertions/assertion.ts";
import type { Kind } from "./kit/kind.ts";
import { readFields, readResult, schemasOf, type ToolFields } from "./kit/tool-fields.ts";
import { describeReason, explainVerdict, judgeRun } from "./kit/verdict.ts";
import { probers } from "./probers.ts";

/** Values that kinds share must not collide. */
function assertUnique(what: string, read: (kind: Kind) => readonly string[]): void {
  const all = allKinds.flatMap(read);
  assert.equal(new Set(all).size, all.length, `${what}: ${all.join(", ")}`);
}

test("each kind is in the map under its type, with unique paths and names", () => {
  for (const type of checkTypes) assert.equal(kinds[type].type, type);
  assertUnique("paths", ({ path }) => [path]);
  assertUnique("paths of analytics", ({ analyticsPath }) => [analyticsPath]);
  assertUnique("documents", ({ documentField }) => [documentField]);
  assertUnique("names of operations", ({ operations }) => [operations.name]);
});

test("exactly the kinds that receive orders have a prober", () => {
  const ordered = allKinds.filter(({ isOrdered }) => isOrdered).map(({ type }) => type);
  assert.deepEqual(Object.keys(probers).sort(), ordered.sort());
});

test("figures have unique names", () => {
  for (const { type, parts, samples, counters, ownFieldNames } of allKinds) {
    const names = parts.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length, type);
    for (const name of names) assert.match(name, /^[a-z][a-z_]*$/);
    const ofSamples = samples.label === null ? [] : [samples.metric];
    const metrics = [...parts.map(({ metric }) => metric), ...ofSamples];
    assert.equal(new Set(metrics).size, metrics.length, type);
    assert.equal(new Set(counters.map(({ name }) => name)).size, counters.length, type);
    assert.ok(ownFieldNames.length > 0, `${type} names no own field`);
  }
});

test("the examples of a kind are valid checks", () => {
  const machine = { hasIpv6: true, serviceUrl: "http://127.0.0.1:8080" };
  for (const kind of allKinds) {
    for (const { name, ...own } of kind.listExamples(machine)) {
      assert.ok(Value.Check(Type.Object(kind.fields.target.create), own), name);
      const settings = { ...common, ...kind.mergeSettings(null, own) };
      assert.deepEqual(kind.findFaults(settings), [], name);
      assert.notEqual(kind.target(settings), "", name);
      assert.ok(kind.deadlineMs(settings) > 0, name);
      assert.match(kind.describeLimits(settings), /^is /);
      for (const assertion of kind.listAssertions(settings)) {
        assert.equal(findAssertionFault(kind.assertionSources, assertion), null);
      }
    }
  }
});

const common = { shouldFail: false, degradedResponseTime: null, maxResponseTime: null };

test("an explanation contains only the first line of a probe's message", () => {
  const outcome = { kind: "no-answer", message: "It cannot run.\nType this:\n  sudo" } as const;
  for (const kind of allKinds) {
    const settings = { ...common, ...kind.mergeSettings(null, {}) };
    const run = { request: kind.toRequest(settings), startedAtMs: 1_700_000_000_000, outcome };
    const { reasons } = judgeRun(kind, settings, run);
    assert.equal(explainVerdict(kind, reasons), "There was no measurement: It cannot run.");
  }
});

test("every kind can store, return and explain a run without a measurement", () => {
  const outcome = { kind: "no-answer", message: "The probe did not answer." } as const;
  for (const kind of allKinds) {
    const settings = { ...common, ...kind.mergeSettings(null, {}) };
    const run = { request: kind.toRequest(settings), startedAtMs: 1_700_000_000_000, outcome };
    const { startedAtMs } = run;
    assert.deepEqual(kind.decode(kind.encode(run), { startedAtMs, trouble: outcome }), run);
    assert.ok(Value.Check(kind.DocumentSchema, kind.document(run)), kind.type);
    const explained = Value.Check(Type.Object(kind.explainingFields), kind.explainingFigures(null));
    assert.ok(explained, kind.type);
    assert.ok(kind.listFacts(null).every(({ value }) => value === null));
    const { verdict, reasons } = judgeRun(kind, { ...settings, shouldFail: true }, run);
    assert.equal(verdict, "unknown");
    assert.equal(
      explainVerdict(kind, reasons),
      "There was no measurement: The probe did not answer.",
    );
    assert.equal(
      describeReason(kind, { name: "all-within-limits" }),
      "everything was within its limits",
    );
    const { checkFields, resultFields, runFields } = kind.agent;
    const check = (fields: ToolFields<never>, data: object) =>
      assert.ok(Value.Check(Type.Object(schemasOf(fields)), data), kind.type);
    check(checkFields, readFields(checkFields, settings));
    check(resultFields, readResult(resultFields, null));
    check(runFields, readFields(runFields, run));
  }
});

test("fields of all kinds are merged", () => {
  const gathered = Object.keys(gatherFields(({ limitFields }) => limitFields));
  const each = allKinds.flatMap(({ limitFields }) => Object.keys(limitFields));
  assert.deepEqual(gathered, [...new Set(each)]);
});
