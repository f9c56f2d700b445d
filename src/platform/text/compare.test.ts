import assert from "node:assert/strict";
import { test } from "node:test";
import { compareNames } from "./compare.ts";

test("sorts numbers in names numerically", () => {
  const names = ["host 100", "Host 2", "host 10", "host 1", "eu-10", "eu-9"];
  assert.deepEqual(names.toSorted(compareNames), [
    "eu-9",
    "eu-10",
    "host 1",
    "Host 2",
    "host 10",
    "host 100",
  ]);
});
