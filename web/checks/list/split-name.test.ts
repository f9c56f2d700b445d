import assert from "node:assert/strict";
import { test } from "node:test";
import { splitName } from "./split-name.ts";

test("the end of a long name is split off, and a short name stays whole", () => {
  assert.deepEqual(splitName("Shop"), ["Shop", ""]);
  const name = "production-eu-central-1-storefront-checkout-payment-17";
  assert.deepEqual(splitName(name), [name.slice(0, -12), name.slice(-12)]);
});

test("a surrogate pair or combined character is never split", () => {
  const family = "👨‍👩‍👧";
  const [head, tail] = splitName(family.repeat(20));
  assert.equal(tail, family.repeat(12));
  assert.equal(head, family.repeat(8));
});
