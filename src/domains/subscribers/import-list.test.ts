import assert from "node:assert/strict";
import { test } from "node:test";
import { parseImportList } from "./import-list.ts";

const read = (text: string) => {
  const { parsed, faults } = parseImportList(text);
  return { addresses: parsed.map(({ address }) => address), faults };
};

test("addresses are read one per line, with blank lines, names and a byte order mark", () => {
  const { addresses, faults } = read(
    "\uFEFFa@example.com\r\n\r\nAda Lovelace <ada@example.com>\n  b@example.com  \n",
  );
  assert.deepEqual(addresses, ["a@example.com", "ada@example.com", "b@example.com"]);
  assert.deepEqual(faults, []);
});

test("a table has addresses in the column with that heading, or in the first matching one", () => {
  const table = 'name;E-Mail;since\n"Lovelace, Ada";ada@example.com;2024\n;;\n"x";y;z@example.com';
  assert.deepEqual(read(table), {
    addresses: ["ada@example.com"],
    faults: [
      { line: 3, text: ";;", rule: "must be an email address" },
      { line: 4, text: '"x";y;z@example.com', rule: "must be an email address" },
    ],
  });
  assert.deepEqual(read('1,"a@example.com"\n2\tb@example.com').addresses, [
    "a@example.com",
    "b@example.com",
  ]);
});

test("every invalid line is reported with its number, truncated if long", () => {
  const { addresses, faults } = read(
    `a@example.com\nnobody\n"open@example.com\n${"x".repeat(500)}`,
  );
  assert.deepEqual(addresses, ["a@example.com"]);
  assert.deepEqual(
    faults.map(({ line, text }) => [line, text.length]),
    [
      [2, 6],
      [3, 17],
      [4, 120],
    ],
  );
});
