import assert from "node:assert/strict";
import { test } from "node:test";
import { KnownError } from "../errors.ts";
import { StreamSlots } from "./stream-slots.ts";

const isNamed = (name: string) => (error: unknown) =>
  error instanceof KnownError && error.errorName === name;

test("an account gets so many at once and is told to wait for more", () => {
  const slots = new StreamSlots({ perAccount: 2, total: 10 });
  const first = slots.take("a");
  slots.take("a");
  assert.throws(() => slots.take("a"), isNamed("tooManyRequests"));
  assert.ok(slots.take("b"), "another account is not held up");
  slots.release(first);
  assert.ok(slots.take("a"));
});

test("all accounts together get so many", () => {
  const slots = new StreamSlots({ perAccount: 2, total: 3 });
  for (const account of ["a", "b", "c"]) slots.take(account);
  assert.throws(() => slots.take("d"), isNamed("tooManyRequests"));
});

test("an account's streams are shared among the servers that live", () => {
  let servers = 2;
  const slots = new StreamSlots({ perAccount: 4, total: 10, servers: () => servers });
  slots.take("a");
  slots.take("a");
  assert.throws(() => slots.take("a"));
  servers = 1;
  slots.take("a");
});

test("what is given back twice counts once", () => {
  const slots = new StreamSlots({ perAccount: 1, total: 10 });
  const one = slots.take("a");
  slots.release(one);
  slots.release(one);
  slots.take("a");
  assert.equal(slots.size, 1);
  assert.throws(() => slots.take("a"), isNamed("tooManyRequests"));
});

test("closing ends what is under way and lets nothing new begin", () => {
  const slots = new StreamSlots({ perAccount: 2, total: 10 });
  const controller = slots.take("a");
  slots.close();
  assert.equal(controller.signal.aborted, true);
  assert.equal(controller.signal.reason, "stopping");
  assert.throws(() => slots.take("a"), isNamed("unavailable"));
});
