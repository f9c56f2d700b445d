import assert from "node:assert/strict";
import { test } from "node:test";
import { formatYaml, listLines, parseYaml } from "./yaml.ts";

test("every key and list item has its line", () => {
  const text = [
    "# comment",
    "checks:",
    '  "a.b": { tags: [x,',
    "    y] }",
    "  text: |",
    "    - no item",
    "  c: &c",
    "    - 1",
    "",
    "    - d: 2",
    "  e: *c",
    "? [complex]",
    ": value",
    "empty:",
    "last: true",
  ].join("\n");
  assert.deepEqual(
    [...listLines(text)].filter(([path]) => path !== ""),
    [
      ["checks", 2],
      ["checks.a.b", 3],
      ["checks.a.b.tags", 3],
      ["checks.a.b.tags.0", 3],
      ["checks.a.b.tags.1", 4],
      ["checks.text", 5],
      ["checks.c", 7],
      ["checks.c.0", 8],
      ["checks.c.1", 10],
      ["checks.c.1.d", 10],
      ["checks.e", 11],
      ["0", 12],
      ["empty", 14],
      ["last", 15],
    ],
  );
});

test("JSON has lines too, also with a byte order mark", () => {
  const lines = listLines(`\ufeff${JSON.stringify({ a: { b: [1, 2] } }, null, 2)}`);
  assert.deepEqual([lines.get("a"), lines.get("a.b"), lines.get("a.b.1")], [2, 3, 5]);
});

test("what is written is read again, with a line for every key", () => {
  const value = { a: { b: ["x: y", "- z", "#"], "c d": null, e: "two\nlines" }, f: [] };
  const text = formatYaml(value);
  assert.deepEqual(parseYaml(text), value);
  for (const path of ["a", "a.b.2", "a.c d", "a.e", "f"]) {
    assert.equal(typeof listLines(text).get(path), "number", path);
  }
});
