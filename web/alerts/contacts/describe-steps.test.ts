import assert from "node:assert/strict";
import { test } from "node:test";
import { describeSteps, proposeStep } from "./describe-steps.ts";

const methods = [
  { id: "push", name: "All of your devices", isVerified: true },
  { id: "email", name: "ada@example.com", isVerified: true },
  { id: "a", name: "ntfy ada at ntfy.sh", isVerified: true },
  { id: "b", name: "Ada (+31 6)", isVerified: false },
];
const step = (methodId: string, afterMinutes: number) => ({ methodId, afterMinutes });

test("steps read as sentences in order of time", () => {
  const steps = [step("a", 5), step("push", 0), step("email", 0), step("gone", 1)];
  assert.deepEqual(describeSteps(steps, methods), [
    "At once: Push to all of your devices, Email to ada@example.com.",
    "After 1 minute without acknowledgement: a deleted method.",
    "After 5 minutes without acknowledgement: ntfy ada at ntfy.sh.",
  ]);
});

test("a new step uses a verified method that has none yet, five minutes after the last", () => {
  const steps = [step("push", 0), step("email", 10)];
  assert.deepEqual(proposeStep(steps, methods), step("a", 15));
  assert.deepEqual(proposeStep([...steps, step("a", 1_440)], methods), step("push", 1_440));
});
