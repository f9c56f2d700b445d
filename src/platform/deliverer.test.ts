import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SendOutcome } from "./deliverer.ts";
import { decideAfterAttempt, maxAttempts } from "./deliverer.ts";

const failed = (more: Partial<Extract<SendOutcome, { kind: "failed" }>> = {}): SendOutcome => ({
  kind: "failed",
  isPermanent: false,
  statusCode: 503,
  retryAfterSeconds: null,
  reason: "It answered 503.",
  ...more,
});

test("a sent message needs no further attempt", () => {
  const sent = { kind: "sent", statusCode: 200 } as const;
  assert.deepEqual(decideAfterAttempt(sent, maxAttempts, 0), { kind: "sent" });
});

test("a permanent failure is dead after the first attempt", () => {
  const decision = decideAfterAttempt(failed({ isPermanent: true, reason: "Gone." }), 1, 0.5);
  assert.deepEqual(decision, { kind: "dead", reason: "Gone." });
});

test("delays double from five seconds to an hour", () => {
  const waits = [1, 2, 3, 10, 11, 29].map((attempts) => {
    const decision = decideAfterAttempt(failed(), attempts, 0.5);
    return decision.kind === "again" ? decision.afterMs : null;
  });
  assert.deepEqual(waits, [5_000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000]);
});

test("a failure is retried within bounds, or dead after the last attempt", () => {
  const attempts = fc.integer({ min: 1, max: 100 });
  const chance = fc.double({ min: 0, max: 1, noNaN: true });
  const retryAfter = fc.option(fc.integer({ min: 0, max: 10_000_000 }));
  fc.assert(
    fc.property(attempts, chance, retryAfter, (count, random, retryAfterSeconds) => {
      const decision = decideAfterAttempt(failed({ retryAfterSeconds }), count, random);
      assert.equal(decision.kind, count >= maxAttempts ? "dead" : "again");
      if (decision.kind !== "again") return;
      const baseMs = Math.min(5_000 * 2 ** (count - 1), 3_600_000);
      const askedMs = Math.min((retryAfterSeconds ?? 0) * 1_000, 3_600_000);
      assert.ok(decision.afterMs >= Math.max(0.75 * baseMs, askedMs));
      assert.ok(decision.afterMs <= Math.max(1.25 * baseMs, askedMs));
    }),
  );
});
