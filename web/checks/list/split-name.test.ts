import assert from "node:assert/strict";
import { test } from "node:test";
import { splitName } from "./split-name.ts";

test("a long name keeps its end apart, a short one stays whole", () => {
  assert.deepEqual(splitName("Shop"), ["Shop", ""]);
  const name = "production-eu-central-1-storefront-checkout-payment-17";
  assert.deepEqual(splitName(name), [name.slice(0, -12), name.slice(-12)]);
});

test("a sign of several characters is never torn apart", () => {
  const family = "👨‍👩‍👧";
  const [head, tail] = splitName(family.repeat(20));
  assert.equal(tail, family.repeat(12));
  assert.equal(head, family.repeat(8));
});
