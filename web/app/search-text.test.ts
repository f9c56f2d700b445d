import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseListSearch } from "../checks/list/search.ts";
import { readSearch, writeSearch } from "./search-text.ts";

test("a list becomes a repeated parameter", () => {
  assert.equal(writeSearch({ state: ["failing"] }), "?state=failing");
  assert.equal(
    writeSearch({ q: "shop", state: ["failing", "degraded"], order: undefined }),
    "?q=shop&state=failing&state=degraded",
  );
  assert.equal(writeSearch({}), "");
});

test("every value survives formatting and parsing", () => {
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom("7", "true", '"'),
  );
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.stringMatching(/^[a-z]{1,5}$/),
        fc.oneof(value, fc.array(value, { minLength: 2 })),
      ),
      (search) => assert.deepEqual(readSearch(writeSearch(search)), { ...search }),
    ),
  );
});

test("a filter of the checks list survives formatting and parsing", () => {
  const search = { state: ["failing"], tag: ["a,b", "true", "12"], groupId: ["3"], muted: true };
  assert.deepEqual(parseListSearch(readSearch(writeSearch(search))), search);
});

test("an old link with lists as JSON still works", () => {
  assert.deepEqual(parseListSearch(readSearch("?state=%5B%22failing%22%5D")), {
    state: ["failing"],
  });
});
