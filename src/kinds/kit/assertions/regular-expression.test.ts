import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../../test/support/properties.ts";
import { findRegexFault, matchRegex, RegexBudget } from "./regular-expression.ts";

const match = (pattern: string, text: string) => matchRegex(pattern, text, new RegexBudget());

test("common expressions match like JavaScript's own engine", () => {
  const patterns = [
    "\\d{3}-(\\w+)",
    "^v(\\d+)\\.(\\d+)$",
    "[^,]+",
    "(?:a|b)+c?",
    "\\bfoo\\b",
    "(?<name>[a-z]+)=",
    "\\u0041+",
    "\\/api\\/(\\d+)",
    "a.c",
    "x*",
  ];
  const alphabet = fc.constantFrom("a", "b", "c", "foo", " ", "1", "234-", "A", "=", "/api/", "\n");
  const texts = fc.array(alphabet).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.constantFrom(...patterns), texts, (pattern, text) => {
      const wanted = new RegExp(pattern).exec(text);
      const found = match(pattern, text);
      if (wanted === null) assert.deepEqual(found, { kind: "no-match" });
      else assert.deepEqual(found, { kind: "match", text: wanted[1] ?? wanted[0] });
    }),
  );
});

test("an expression that needs more than linear time is rejected with the reason", () => {
  for (const pattern of ["(a)\\1", "(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b"]) {
    const rule = findRegexFault(pattern);
    assert.match(rule ?? "", /^must be a regular expression in RE2 syntax, without look-ahead/);
  }
  for (const pattern of ["(", "[", "*a", "a{2,1}", "\\"]) {
    assert.match(findRegexFault(pattern) ?? "", /^must be a regular expression/, pattern);
  }
});

test("an expression that compiles to a large program is rejected quickly", () => {
  const large = [
    `(?:${"a".repeat(480)}){1000}`,
    "[a-z]{1000}".repeat(40),
    "(?:(?:a{10}){10}){10}".repeat(20),
    "((a{100}){100}){100}",
    "a{1001}",
  ];
  for (const pattern of large) assert.match(findRegexFault(pattern) ?? "", /^must /, pattern);
  assert.match(findRegexFault("a".repeat(501)) ?? "", /at most 500 characters/);
  assert.equal(findRegexFault("a".repeat(500)), null);
  const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
  assert.equal(findRegexFault(uuid), null);
});

test("the expressions of one run share a budget", () => {
  const budget = new RegexBudget(1_000);
  assert.equal(matchRegex("abc", "abc", budget).kind, "match");
  assert.deepEqual(matchRegex("abc", "x".repeat(1_000), budget), {
    kind: "fault",
    fault: "too-much-work",
  });
  assert.equal(matchRegex("abc", "abc", budget).kind, "match");
});

test("matching never throws for any text", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: anyCharacter }), (pattern, text) => {
      const found = match(pattern, text);
      assert.equal(found.kind === "fault", findRegexFault(pattern) !== null);
    }),
  );
});
