import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fillAlike, fillVariables, hasVariables } from "./template.ts";

const values = new Map([
  ["HOST", "example.com"],
  ["_x1", "$& $1 {{HOST}}"],
  ["EMPTY", ""],
]);
const fill = (text: string) => fillVariables(text, (name) => values.get(name));

test("names are filled in, with two or three braces, with spaces or without", () => {
  assert.equal(
    fill("https://{{HOST}}/{{ HOST }}/{{{HOST}}}"),
    "https://example.com/example.com/example.com",
  );
  assert.equal(fill("a{{EMPTY}}b"), "ab");
});

test("a value is inserted literally, without further substitution", () => {
  assert.equal(fill("{{_x1}}"), "$& $1 {{HOST}}");
});

test("unknown names stay unchanged", () => {
  for (const text of [
    "{{OTHER}}",
    "{{host}}",
    "{HOST}",
    "{{HO ST}}",
    "{{}}",
    "{{1}}",
    "{{#if x}}",
  ]) {
    assert.equal(fill(text), text);
  }
  assert.equal(fill("{{{{HOST}}}}"), "{example.com}");
  assert.equal(fill('{"a":{"b":"{{HOST}}"}}'), '{"a":{"b":"example.com"}}');
});

test("a text has variables if it contains a name", () => {
  assert.equal(hasVariables("a {{ B }}"), true);
  assert.equal(hasVariables("a {{ }} b {{1}}"), false);
  assert.equal(fillAlike("{{A}}.{{B}}", "x"), "x.x");
});

test("a text without names is unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("{", "}", " ", "1", "-", "é") }), (text) => {
      assert.equal(fill(text), text);
    }),
  );
});

test("many braces and spaces are cheap to parse", () => {
  const hostile = `${"{{".repeat(50_000)}${" ".repeat(100_000)}${"{{a".repeat(50_000)}`;
  assert.equal(fill(hostile), hostile);
});
