import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type ClaimedDelivery,
  Deliverer,
  decideAfterAttempt,
  maxAttempts,
  type SendOutcome,
} from "./deliverer.ts";
import { createLog } from "./log.ts";

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

test("a message that waits for another to end is claimed in the same turn", async () => {
  const first = Promise.withResolvers<SendOutcome>();
  const sent: string[] = [];
  const isUnderWay = (underWay: ReadonlyMap<string, number>) => (underWay.get("hook") ?? 0) > 0;
  const waiting: ClaimedDelivery[] = ["one", "two"].map((id) => {
    return { id, lane: "hook", attempts: 1 };
  });
  const queue = {
    claim: async ({ underWay }: { underWay: ReadonlyMap<string, number> }) => {
      if (!isUnderWay(underWay)) return waiting.splice(0, 1);
      // Nothing can be claimed now, but the message of this turn is still being sent.
      first.resolve({ kind: "sent", statusCode: 200 });
      return [];
    },
    send: ({ id }: ClaimedDelivery): Promise<SendOutcome> =>
      id === "one" ? first.promise : Promise.resolve({ kind: "sent", statusCode: 200 }),
    finish: async ({ id }: ClaimedDelivery) => void sent.push(id),
    observe: () => {},
  };
  const clock = { now: () => new Date(0), nowMs: () => 0 };
  const deliverer = new Deliverer(queue, { clock, log: createLog("silent"), chance: () => 0.5 });
  await deliverer.deliverWhileDue();
  assert.deepEqual(sent, ["one", "two"]);
});
