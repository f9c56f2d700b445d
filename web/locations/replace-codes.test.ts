import assert from "node:assert/strict";
import { test } from "node:test";
import { replaceCodes } from "./replace-codes.ts";

const names = [
  ["eu-central-1", "Frankfurt"],
  ["eu-west-1", "Ireland"],
  ["lab", "The lab"],
] as const;

test("location codes in a sentence are replaced by names, and other words stay", () => {
  assert.equal(
    replaceCodes("Failing from eu-central-1, lab; passing from eu-west-1.", names),
    "Failing from Frankfurt, The lab; passing from Ireland.",
  );
  const other = "Nothing answers at eu-west-1.example.com or x.eu-west-12; the laboratory is fine.";
  assert.equal(replaceCodes(other, names), other);
});
