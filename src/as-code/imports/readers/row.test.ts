import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../../test/support/properties.ts";
import { hideCredentials, Row, toAddressPart, toLogicalPart, trimHost } from "./row.ts";

const row = new Row({
  name: "Web",
  blank: "  ",
  half: "a\ud800b",
  seven: 7,
  sevenText: "7",
  large: 9_007_199_254_740_993n,
  float: "2.9",
  minus: -2.9,
  words: "seven",
  nothing: null,
  yes: true,
  no: false,
  one: 1,
  list: [1, "two"],
  record: { inner: "x" },
  json: '{"a":[1]}',
  broken: "{",
});

test("text is a string or a number, and never empty", () => {
  const rows: Readonly<Record<string, string | null>> = {
    name: "Web",
    blank: null,
    half: "a\ufffdb",
    seven: "7",
    large: "9007199254740993",
    nothing: null,
    yes: null,
    list: null,
    record: null,
    missing: null,
  };
  for (const [key, expected] of Object.entries(rows)) assert.equal(row.text(key), expected, key);
});

test("numbers are read from text, and only if they are finite", () => {
  const rows: Readonly<Record<string, readonly [number | null, number | null]>> = {
    seven: [7, 7],
    sevenText: [7, 7],
    float: [2.9, 2],
    minus: [-2.9, -2],
    large: [9_007_199_254_740_992, null],
    words: [null, null],
    blank: [null, null],
    yes: [null, null],
    list: [null, null],
    nothing: [null, null],
    missing: [null, null],
  };
  for (const [key, [number, integer]] of Object.entries(rows)) {
    assert.deepEqual([row.number(key), row.integer(key)], [number, integer], key);
  }
  const infinite = new Row({ a: "Infinity", b: Number.NaN, c: "1e999" });
  for (const key of ["a", "b", "c"]) assert.equal(infinite.number(key), null, key);
});

test("flags of SQLite and of JSON are the same, and a missing one is as usual", () => {
  const flags = new Row({ a: true, b: 1, c: "1", d: "true", e: false, f: 0, g: "false", h: "no" });
  for (const key of ["a", "b", "c", "d"]) assert.equal(flags.flag(key), true, key);
  for (const key of ["e", "f", "g", "h"]) assert.equal(flags.flag(key, true), false, key);
  for (const key of ["missing", "nothing"]) {
    assert.equal(row.flag(key), false);
    assert.equal(row.flag(key, true), true);
  }
});

test("lists, records and JSON of another type are empty", () => {
  assert.deepEqual(row.list("list"), [1, "two"]);
  assert.deepEqual([row.list("record"), row.list("name"), row.list("missing")], [[], [], []]);
  assert.equal(row.row("record").text("inner"), "x");
  assert.deepEqual([row.row("list").keys(), row.row("name").keys()], [[], []]);
  assert.deepEqual([row.json("json"), row.json("list")], [{ a: [1] }, [1, "two"]]);
  assert.equal(row.json("broken"), undefined);
});

test("what a record inherits is not part of it", () => {
  for (const key of ["constructor", "toString", "__proto__"]) {
    assert.equal(row.get(key), undefined, key);
    assert.equal(row.text(key), null, key);
  }
  for (const value of [null, undefined, "text", 5, ["a"]]) {
    assert.deepEqual(new Row(value).keys(), []);
    assert.equal(new Row(value).text("length"), null);
  }
});

test("an identifier has only the characters that one may have", () => {
  assert.equal(toLogicalPart("Web shop/eu.1_a-b"), "Web-shop/eu.1_a-b");
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      assert.match(toLogicalPart(text), /^[A-Za-z0-9_\-/.]*$/);
      assert.match(toAddressPart(text), /^[A-Za-z0-9_\-/.#]*$/);
      assert.ok(toAddressPart(text).length <= 161);
    }),
  );
});

test("an address becomes a readable identifier", () => {
  const rows: Readonly<Record<string, string>> = {
    "https://a.example:8443/x": "https/a.example#8443/x",
    "a.example:22": "a.example#22",
    "192.0.2.1": "192.0.2.1",
    "http://a.example/": "http/a.example/",
  };
  for (const [address, expected] of Object.entries(rows)) {
    assert.equal(toAddressPart(address), expected);
  }
});

test("different addresses have different identifiers, which contain no secrets", () => {
  const addresses = [
    "https://a.example/x",
    "https://a.example/x?id=1",
    "https://a.example/x?id=2",
    "https://a.example/x#top",
    "https://ada:secret@a.example/x",
    "https://bob:secret@a.example/x",
    "[2001:db8::1]:80",
    "[2001:db8::2]:80",
    `https://a.example/${"x".repeat(200)}`,
    `https://a.example/${"x".repeat(201)}`,
    "https://ä.example/x",
    "https://ö.example/x",
  ];
  const parts = addresses.map(toAddressPart);
  assert.equal(new Set(parts).size, addresses.length);
  assert.ok(parts.every((part) => !/secret|ada|bob|id=/.test(part)));
});

test("credentials of a URL are removed, and an at sign elsewhere is kept", () => {
  const rows: Readonly<Record<string, string>> = {
    "https://ada:p@ss@a.example/x": "https://a.example/x",
    "https://a.example/@ada": "https://a.example/@ada",
    "https://a.example?to=a@b": "https://a.example?to=a@b",
    "ada@a.example": "ada@a.example",
  };
  for (const [url, expected] of Object.entries(rows)) assert.equal(hideCredentials(url), expected);
  assert.deepEqual(
    [trimHost("[2001:db8::1]"), trimHost("a.example")],
    ["2001:db8::1", "a.example"],
  );
});
