import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createDefaultRules,
  decideCode,
  decideUrgency,
  findRulesFault,
  keepKnownSteps,
  planSteps,
} from "./contact-method.ts";

const method = (id: string, change: { isVerified?: boolean; problem?: string } = {}) => ({
  id,
  isVerified: true,
  problem: null,
  ...change,
});
const step = (methodId: string, afterMinutes = 0) => ({ methodId, afterMinutes });

test("failures and missing data are urgent, degraded checks and certificates are not", () => {
  for (const kind of ["ALERT_FAILURE", "ALERT_FAILURE_REMAIN", "ALERT_NO_DATA"] as const) {
    assert.equal(decideUrgency(kind), "HIGH", kind);
  }
  for (const kind of ["ALERT_DEGRADED", "ALERT_SSL", "ALERT_FAILURE_DEGRADED"] as const) {
    assert.equal(decideUrgency(kind), "LOW", kind);
  }
});

test("steps are planned in order of time, without methods that do not work", () => {
  const methods = [
    method("push", { problem: "No device." }),
    method("email"),
    method("ntfy"),
    method("new", { isVerified: false }),
  ];
  const rules = [step("ntfy", 5), step("push"), step("email"), step("new"), step("gone")];
  assert.deepEqual(
    planSteps(rules, methods).map(({ method: { id }, afterMinutes }) => [id, afterMinutes]),
    [
      ["email", 0],
      ["ntfy", 5],
    ],
  );
});

test("if no method of the rules works, every working method is used at once", () => {
  const methods = [method("push", { problem: "No device." }), method("email"), method("ntfy")];
  assert.deepEqual(
    planSteps([step("push")], methods).map(({ method: { id }, afterMinutes }) => [
      id,
      afterMinutes,
    ]),
    [
      ["email", 0],
      ["ntfy", 0],
    ],
  );
  assert.deepEqual(planSteps([step("push")], [method("push", { problem: "No device." })]), []);
});

test("steps of deleted methods are dropped, and an empty list becomes the default", () => {
  const rules = { high: [step("gone"), step("email", 5)], low: [step("gone")] };
  assert.deepEqual(keepKnownSteps(rules, new Set(["push", "email"])), {
    high: [step("email", 5)],
    low: [step("push"), step("email")],
  });
});

test("without rules every verified method is used at once, and text messages after 5 minutes", () => {
  const own = (id: string, change: { type?: "SMS"; isVerified?: boolean } = {}) => ({
    ...{ id, type: "NTFY" as const, isVerified: true },
    ...change,
  });
  const methods = [own("push"), own("email"), own("ntfy"), own("new", { isVerified: false })];
  const steps = [step("push"), step("email"), step("ntfy"), step("sms", 5)];
  const sms = own("sms", { type: "SMS" });
  assert.deepEqual(createDefaultRules([...methods, sms]), { high: steps, low: steps });
  const many = Array.from({ length: 12 }, (_, index) => own(`m${index}`));
  assert.equal(createDefaultRules(many).high.length, 10, "as many as rules may have");
});

test("rules name verified methods, each once at a time", () => {
  const methods = new Map(
    [method("push"), method("email"), method("new", { isVerified: false })].map((one) => [
      one.id,
      one,
    ]),
  );
  const fault = (high: ReturnType<typeof step>[]) =>
    findRulesFault({ high, low: [step("push")] }, methods)?.key;
  assert.equal(fault([step("push"), step("email", 5), step("push", 5)]), undefined);
  assert.equal(fault([step("push"), step("gone")]), "high.1.methodId");
  assert.equal(fault([step("new")]), "high.0.methodId");
  assert.equal(fault([step("push"), step("push")]), "high.1.methodId");
  const low = findRulesFault({ high: [step("push")], low: [step("gone")] }, methods);
  assert.equal(low?.key, "low.0.methodId");
});

test("a code is valid until it expires or five were wrong", () => {
  const now = new Date(1_000_000);
  const pending = { code: "042137", expiresAt: new Date(1_000_001), wrongCodes: 4 };
  assert.equal(decideCode(pending, " 042 137 ", now), "right");
  assert.equal(decideCode(pending, "042138", now), "wrong");
  assert.equal(decideCode({ ...pending, wrongCodes: 5 }, "042137", now), "too-many");
  assert.equal(decideCode({ ...pending, expiresAt: now }, "042137", now), "none-pending");
  assert.equal(decideCode({ ...pending, code: null }, "042137", now), "none-pending");
});
