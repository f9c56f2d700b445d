import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAudienceSearch } from "./audience-search.ts";

const subscriber = "01a1ec6f-ef45-7cb0-b0b7-25564ae7440d";

test("the filters of the address are kept, and invalid ones ignored", () => {
  const given = {
    view: "messages",
    search: "ada",
    status: "VERIFIED",
    outcome: "DEAD",
    subscriber,
  };
  assert.deepEqual(parseAudienceSearch(given), given);
  const invalid = { view: "people", search: "", status: "LOST", outcome: "x", subscriber: "7" };
  assert.deepEqual(parseAudienceSearch(invalid), {});
  assert.deepEqual(parseAudienceSearch({ search: 42 }), { search: "42" });
  assert.deepEqual(parseAudienceSearch({ search: "x".repeat(255) }), {});
});
