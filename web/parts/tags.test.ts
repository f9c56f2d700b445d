import assert from "node:assert/strict";
import { test } from "node:test";
import { completeTag, parseTags, suggestTags, toggleTag } from "./tags.ts";

const known = ["production", "shop", "web", "eu-prod"];

test("existing tags are suggested for the text after the last comma", () => {
  assert.deepEqual(suggestTags("", known), known);
  assert.deepEqual(suggestTags("PROD", known), ["production", "eu-prod"]);
  assert.deepEqual(suggestTags("shop, ", known), ["production", "web", "eu-prod"]);
  assert.deepEqual(suggestTags("shop, web", known), []);
  assert.deepEqual(suggestTags("nothing", known), []);
});

test("a selected tag completes the last one and appends a comma", () => {
  assert.equal(completeTag("", "web"), "web, ");
  assert.equal(completeTag("shop, w", "web"), "shop, web, ");
});

test("tags are split at commas and deduplicated, and a click adds or removes one", () => {
  assert.deepEqual(parseTags(" sea , north,,sea "), ["sea", "north"]);
  assert.deepEqual(parseTags(""), []);
  assert.equal(toggleTag("", "sea"), "sea");
  assert.equal(toggleTag("sea, north", "land"), "sea, north, land");
  assert.equal(toggleTag("sea, north", "sea"), "north");
});
