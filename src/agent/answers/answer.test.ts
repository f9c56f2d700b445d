import assert from "node:assert/strict";
import { test } from "node:test";
import { Answer } from "./answer.ts";

function writeUpTo(count: number, most: number): string {
  const answer = new Answer();
  const items = Array.from({ length: count }, (_, index) => `item ${index}`);
  for (const one of answer.upTo(items, most)) answer.item(one);
  return answer.toText();
}

test("a list that is cut says how many items are missing", () => {
  assert.equal(writeUpTo(2, 2), "- item 0\n- item 1");
  assert.equal(writeUpTo(5, 2), "- item 0\n- item 1\nAnd 3 more.");
});
