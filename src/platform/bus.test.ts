import assert from "node:assert/strict";
import { test } from "node:test";
import { captureLog } from "../../test/support/apps/log.ts";
import { capacity, testBusContract } from "../../test/support/bus/bus-contract.ts";
import { createInProcessBus, doesSubjectMatch } from "./bus.ts";

const { log, text } = captureLog();
const bus = createInProcessBus(log, { maxQueued: capacity });

testBusContract(() => ({ bus, other: bus }));

test("a failure is logged with its reason", () => {
  assert.match(text(), /the database is away/);
  assert.match(text(), /handed over again/);
});

test("subjects match themselves, and patterns what is below them", () => {
  const matches = ["results.a", "results.a.b"];
  for (const subject of matches) assert.ok(doesSubjectMatch("results.>", subject));
  for (const subject of ["results", "resultsa", "other.results.a"]) {
    assert.ok(!doesSubjectMatch("results.>", subject));
  }
  assert.ok(doesSubjectMatch("results.a", "results.a"));
  assert.ok(!doesSubjectMatch("results.a", "results.a.b"));
});
