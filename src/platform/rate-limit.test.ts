import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { TestClock } from "../../test/support/time/clock.ts";
import { RateLimit } from "./rate-limit.ts";

const minuteMs = 60_000;

function createLimit(limit: number, maxKeys?: number) {
  const clock = new TestClock();
  const options = {
    limit,
    windowMs: minuteMs,
    clock,
    ...(maxKeys === undefined ? {} : { maxKeys }),
  };
  return { clock, rateLimit: new RateLimit(options) };
}

describe("a rate limit", () => {
  it("allows exactly the limit in a window and reports what remains", () => {
    const { rateLimit } = createLimit(3);
    const answers = [1, 2, 3, 4, 5].map(() => rateLimit.take("a"));
    assert.deepEqual(
      answers.map(({ allowed, remaining }) => ({ allowed, remaining })),
      [
        { allowed: true, remaining: 2 },
        { allowed: true, remaining: 1 },
        { allowed: true, remaining: 0 },
        { allowed: false, remaining: 0 },
        { allowed: false, remaining: 0 },
      ],
    );
    assert.equal(answers[0]?.limit, 3);
  });

  it("counts down the seconds to the end of the window and then resets", () => {
    const { clock, rateLimit } = createLimit(1);
    assert.equal(rateLimit.take("a").resetSeconds, 60);
    clock.advance(minuteMs - 1_500);
    assert.deepEqual(rateLimit.take("a"), {
      allowed: false,
      limit: 1,
      remaining: 0,
      resetSeconds: 2,
    });
    clock.advance(1_499);
    assert.equal(rateLimit.take("a").allowed, false);
    clock.advance(1);
    assert.equal(rateLimit.take("a").allowed, true);
  });

  it("counts keys separately", () => {
    const { rateLimit } = createLimit(1);
    assert.equal(rateLimit.take("a").allowed, true);
    assert.equal(rateLimit.take("b").allowed, true);
    assert.equal(rateLimit.take("a").allowed, false);
  });

  it("allows everything if it is off", () => {
    const { rateLimit } = createLimit(0);
    assert.equal(rateLimit.isOff, true);
    for (let use = 0; use < 100; use += 1) assert.equal(rateLimit.take("a").allowed, true);
  });

  it("all servers together never exceed the limit while servers join and leave", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 8, max: 100 }),
        (count, limit) => {
          const clock = new TestClock();
          const servers = () => count;
          const limits = Array.from(
            { length: count },
            () => new RateLimit({ limit, windowMs: minuteMs, clock, servers }),
          );
          let allowed = 0;
          for (const one of limits) {
            for (let use = 0; use <= limit; use += 1) allowed += one.take("a").allowed ? 1 : 0;
          }
          assert.ok(allowed <= limit && allowed > limit - count, `${allowed} of ${limit}`);
        },
      ),
    );
  });

  it("drops the key with the oldest window above the limit of keys", () => {
    const { clock, rateLimit } = createLimit(1, 2);
    rateLimit.take("a");
    rateLimit.take("b");
    clock.advance(minuteMs);
    rateLimit.take("a");
    rateLimit.take("c");
    assert.equal(rateLimit.take("a").allowed, false, "a has a newer window and is retained");
    assert.equal(rateLimit.take("c").allowed, false);
    assert.equal(rateLimit.take("b").allowed, true, "b was the oldest and is dropped");
  });

  it("blocks nobody for longer than a window when the clock is set back", () => {
    const { clock, rateLimit } = createLimit(1);
    rateLimit.take("a");
    clock.advance(-24 * 60 * minuteMs);
    assert.equal(rateLimit.peek("a").allowed, true);
    assert.equal(rateLimit.take("a").allowed, true);
    assert.equal(rateLimit.take("a").resetSeconds, 60);
  });

  it("behaves like a plain count per window, and peek predicts take", () => {
    const step = fc.record({ key: fc.constantFrom("a", "b", "c"), ms: fc.nat(minuteMs) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step), (limit, steps) => {
        const { clock, rateLimit } = createLimit(limit);
        const model = new Map<string, { used: number; endsAtMs: number }>();
        for (const { key, ms } of steps) {
          clock.advance(ms);
          const nowMs = clock.now().getTime();
          const before = model.get(key);
          const isOpen = before !== undefined && before.endsAtMs > nowMs;
          const window = isOpen ? before : { used: 0, endsAtMs: nowMs + minuteMs };
          window.used += 1;
          model.set(key, window);
          const foretold = rateLimit.peek(key);
          assert.deepEqual(rateLimit.take(key), foretold);
          assert.equal(foretold.allowed, window.used <= limit);
          assert.equal(foretold.remaining, Math.max(0, limit - window.used));
          assert.equal(foretold.resetSeconds, Math.ceil((window.endsAtMs - nowMs) / 1000));
        }
      }),
    );
  });
});
