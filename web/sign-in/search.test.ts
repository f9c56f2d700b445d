import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSignInSearch } from "./search.ts";

test("the return address is a path of this application, never another site", () => {
  assert.deepEqual(parseSignInSearch({ return: "/checks?tag=a" }), { return: "/checks?tag=a" });
  const found = { return: "/checks?search=https://a.example" };
  assert.deepEqual(parseSignInSearch(found), found);
  const foreign = ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:1", 7];
  const dots = [
    "/.//evil.example",
    "/x/..//evil.example",
    "/%2e//evil.example",
    "/\t/evil.example",
  ];
  for (const back of [...foreign, ...dots])
    assert.deepEqual(parseSignInSearch({ return: back }), {});
});

test("an unknown step is ignored", () => {
  assert.deepEqual(parseSignInSearch({ step: "forgotten" }), { step: "forgotten" });
  assert.deepEqual(parseSignInSearch({ step: "other" }), {});
});
