import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTags, toggleTag } from "./dashboard-values.ts";

test("tags are split at commas and deduplicated, and a click adds or removes one", () => {
  assert.deepEqual(parseTags(" sea , north,,sea "), ["sea", "north"]);
  assert.deepEqual(parseTags(""), []);
  assert.equal(toggleTag("", "sea"), "sea");
  assert.equal(toggleTag("sea, north", "land"), "sea, north, land");
  assert.equal(toggleTag("sea, north", "sea"), "north");
});
