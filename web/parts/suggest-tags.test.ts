import assert from "node:assert/strict";
import { test } from "node:test";
import { completeTag, suggestTags } from "./suggest-tags.ts";

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
