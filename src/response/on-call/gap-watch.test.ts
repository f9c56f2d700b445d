import assert from "node:assert/strict";
import { test } from "node:test";
import { TestClock } from "../../../test/support/time/clock.ts";
import { keepRead } from "./gap-watch.ts";

test("a slow read is repeated after a minute, or after nine times its duration", async () => {
  const clock = new TestClock();
  let count = 0;
  let durationMs = 0;
  const read = keepRead({ clock }, async () => {
    count += 1;
    clock.advance(durationMs);
    return [count];
  });
  assert.deepEqual(await read(), [1]);
  clock.advance(59_999);
  assert.deepEqual(await read(), [1]);
  clock.advance(1);
  durationMs = 20_000;
  assert.deepEqual(await read(), [2]);
  clock.advance(179_999);
  assert.deepEqual(await read(), [2]);
  clock.advance(1);
  assert.deepEqual(await read(), [3]);
});

test("a failed read is empty", async () => {
  const read = keepRead({ clock: new TestClock() }, () => Promise.reject(new Error("no database")));
  assert.deepEqual(await read(), []);
});
