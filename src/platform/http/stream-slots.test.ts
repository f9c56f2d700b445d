import assert from "node:assert/strict";
import { test } from "node:test";
import { KnownError } from "../errors.ts";
import { StreamSlots } from "./stream-slots.ts";

const isNamed = (name: string) => (error: unknown) =>
  error instanceof KnownError && error.errorName === name;

test("an account has a limit of concurrent streams, and further ones receive Retry-After", () => {
  const slots = new StreamSlots({ perAccount: 2, total: 10 });
  const first = slots.take("a");
  slots.take("a");
  assert.throws(() => slots.take("a"), isNamed("tooManyRequests"));
  assert.ok(slots.take("b"), "another account is not affected");
  slots.release(first);
  assert.ok(slots.take("a"));
});

test("all accounts together have a limit", () => {
  const slots = new StreamSlots({ perAccount: 2, total: 3 });
  for (const account of ["a", "b", "c"]) slots.take(account);
  assert.throws(() => slots.take("d"), isNamed("tooManyRequests"));
});

test("the limit of an account is divided by the number of live servers", () => {
  let servers = 2;
  const slots = new StreamSlots({ perAccount: 4, total: 10, servers: () => servers });
  slots.take("a");
  slots.take("a");
  assert.throws(() => slots.take("a"));
  servers = 1;
  slots.take("a");
});

test("releasing a slot twice counts once", () => {
  const slots = new StreamSlots({ perAccount: 1, total: 10 });
  const one = slots.take("a");
  slots.release(one);
  slots.release(one);
  slots.take("a");
  assert.equal(slots.size, 1);
  assert.throws(() => slots.take("a"), isNamed("tooManyRequests"));
});

test("close ends open streams and admits no new ones", () => {
  const slots = new StreamSlots({ perAccount: 2, total: 10 });
  const controller = slots.take("a");
  slots.close();
  assert.equal(controller.signal.aborted, true);
  assert.equal(controller.signal.reason, "stopping");
  assert.throws(() => slots.take("a"), isNamed("unavailable"));
});
