import assert from "node:assert/strict";
import { test } from "node:test";
import { isUuid } from "./patterns.ts";

test("a UUID is five groups of hexadecimal digits in either case, with nothing around them", () => {
  const id = "0199a1f0-0000-7000-8000-0000000000ff";
  assert.ok(isUuid(id));
  assert.ok(isUuid(id.toUpperCase()));
  for (const text of ["", `urn:uuid:${id}`, `{${id}}`, ` ${id}`, `${id}\n`, id.replace("f", "g")]) {
    assert.ok(!isUuid(text), JSON.stringify(text));
  }
});
