import assert from "node:assert/strict";
import { test } from "node:test";
import { readCode } from "./error-code.ts";

test("reads the code of an error, and only if it is a string", () => {
  assert.equal(readCode(Object.assign(new Error("x"), { code: "ECONNREFUSED" })), "ECONNREFUSED");
  assert.equal(readCode({ code: "23503" }), "23503");
  for (const error of [new Error("x"), { code: 7 }, "ENOENT", null, undefined]) {
    assert.equal(readCode(error), "EUNKNOWN");
  }
});
