import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FollowingClock } from "./clock.ts";

test("a clock that agrees with the database is not corrected", () => {
  fc.assert(
    fc.property(fc.integer({ min: -100, max: 100 }), fc.nat(1_000), (aheadMs, roundTripMs) => {
      const clock = new FollowingClock(() => 5_000_000);
      clock.follow(aheadMs, roundTripMs);
      assert.equal(clock.nowMs(), 5_000_000);
    }),
  );
});

test("a wrong clock is corrected to within the round trip, and listeners are notified", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -600_000, max: 600_000 }),
      fc.nat(400),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (aheadMs, roundTripMs, share) => {
        const right = 5_000_000;
        const clock = new FollowingClock(() => right + aheadMs);
        let moves = 0;
        clock.onMove(() => {
          moves += 1;
        });
        // The database read its clock at an unknown time between request and response.
        const measuredMs = aheadMs + (share - 0.5) * roundTripMs;
        clock.follow(measuredMs, roundTripMs);
        assert.ok(Math.abs(clock.nowMs() - right) <= 100 + roundTripMs + 1);
        clock.follow(measuredMs, roundTripMs);
        assert.ok(moves <= 1, "an equal measurement changes nothing");
      },
    ),
  );
});

test("a clock that was set correctly is used unchanged", () => {
  let ownMs = 1_000_000 + 300_000;
  const clock = new FollowingClock(() => ownMs);
  clock.follow(300_000, 2);
  assert.equal(clock.nowMs(), 1_000_000);
  ownMs = 1_000_000;
  clock.follow(30, 2);
  assert.equal(clock.nowMs(), 1_000_000);
  assert.equal(clock.now().getTime(), 1_000_000);
});
