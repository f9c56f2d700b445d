import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../test/support/properties.ts";
import { readJsonRows, readRows, splitFields } from "./read-rows.ts";

test("comments, bullets, numbers and empty lines are removed, and lines keep their numbers", () => {
  const text = "\ufeff# hosts\n\n- one.test\r\n2) two.test # main\n// no\nthree.test/#top\n;\n";
  const rows = readRows(text).map(({ line, text: shown }) => [line, shown]);
  assert.deepEqual(rows, [
    [3, "one.test"],
    [4, "two.test"],
    [6, "three.test/#top"],
  ]);
});

test("a tab separates before a semicolon, and a semicolon before a comma", () => {
  assert.deepEqual(readRows("a;b,c\td")[0]?.fields, ["a;b,c", "d"]);
  assert.deepEqual(readRows("a;b,c")[0]?.fields, ["a", "b,c"]);
  assert.deepEqual(readRows("a,b")[0]?.fields, ["a", "b"]);
});

test("a header names the fields of the rows below it", () => {
  const [row, ...others] = readRows("Name,URL,Other\nShop,https://shop.test/,x");
  assert.deepEqual(others, []);
  assert.equal(row?.line, 2);
  assert.deepEqual(Object.fromEntries(row?.named ?? []), {
    name: "Shop",
    url: "https://shop.test/",
    other: "x",
  });
  assert.equal(readRows("shop,search")[0]?.named, null, "no known column");
  assert.equal(readRows("host.test,name")[0]?.named, null, "a target");
});

test("quoted fields contain separators and doubled quotation marks", () => {
  assert.deepEqual(splitFields('"a, ""b""",c, d ', ","), ['a, "b"', "c", "d"]);
  assert.deepEqual(splitFields('5" pipe,x', ","), ['5" pipe', "x"]);
});

test("a quoted line is split into the fields that it was built from", () => {
  const field = fc
    .string({ unit: "grapheme" })
    .map((text) => text.replaceAll(/[\r\n]/g, "").trim());
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 6 }), (fields) => {
      const line = fields.map((one) => `"${one.replaceAll('"', '""')}"`).join(",");
      assert.deepEqual(splitFields(line, ","), fields);
    }),
    { numRuns: propertyRuns },
  );
});

test("JSON exports are lists of objects or strings, on the top or one level below", () => {
  const list = readJsonRows('{"version": 1, "monitors": [{"Name": "A", "port": 5, "x": {}}, "b"]}');
  assert.deepEqual(
    list?.map(({ named }) => named && Object.fromEntries(named)),
    [{ name: "A", port: "5" }, null],
  );
  assert.deepEqual(
    list?.map(({ fields }) => fields),
    [[], ["b"]],
  );
  for (const text of ["host.test", "{broken", '{"a": 1}', "null"]) {
    assert.equal(readJsonRows(text), null, text);
  }
});
