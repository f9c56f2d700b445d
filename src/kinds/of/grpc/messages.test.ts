/** Messages encoded by descriptors, compared with the encoder of protobufjs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import protobuf from "protobufjs";
import { propertyRuns } from "../../../../test/support/properties.ts";
import {
  decodeMessage,
  encodeMessage,
  findMethod,
  ProtoFault,
  readProtoFile,
  toJsonName,
} from "./messages.ts";

const content = `
  // syntax = "proto2" in a comment
  syntax = "proto3";
  package shop.v1;
  enum Size { SIZE_UNKNOWN = 0; SIZE_SMALL = 1; SIZE_LARGE = 7; }
  message Item {
    enum Kind { KIND_NONE = 0; KIND_BOOK = 2; }
    message Part { string label = 1; }
    string item_name = 1;
    int32 count = 2;
    sint64 balance = 3;
    double price = 4;
    bool in_stock = 5;
    bytes photo = 6;
    repeated string tags = 7;
    repeated fixed32 codes = 8;
    map<string, int32> line_counts = 9;
    map<int32, Part> parts_by_place = 10;
    Kind kind = 11;
    Size size = 12;
    Part main_part = 13;
    oneof owner { string owner_name = 14; uint64 owner_id = 15; }
    optional int32 rank = 16;
  }
  message Empty {}
  service Cart {
    rpc Get(Item) returns (Item);
    rpc Clear(Empty) returns (Empty);
    rpc Watch(Empty) returns (stream Item);
    rpc Send(stream Item) returns (Empty);
  }
`;

const registry = readProtoFile(content);
const get = findMethod(registry, "shop.v1.Cart/Get");
const itemType = protobuf.parse(content, new protobuf.Root()).root.lookupType("shop.v1.Item");

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const text = fc.string({ unit: "grapheme", maxLength: 12 });
const keys = fc.string({ unit: fc.constantFrom("a", "b", "ä", "-"), maxLength: 3 });
const part = fc.record({ label: text });

/** Items as JSON, of which any field may be missing. */
const items = fc
  .record(
    {
      itemName: text,
      count: int32,
      balance: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
      price: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      inStock: fc.boolean(),
      photo: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("base64")),
      tags: fc.array(text, { maxLength: 3 }),
      codes: fc.array(uint32, { maxLength: 3 }),
      lineCounts: fc.dictionary(keys, int32, { maxKeys: 3, noNullPrototype: true }),
      partsByPlace: fc.dictionary(int32.map(String), part, { maxKeys: 2, noNullPrototype: true }),
      kind: fc.constantFrom("KIND_NONE", "KIND_BOOK"),
      size: fc.constantFrom("SIZE_UNKNOWN", "SIZE_SMALL", "SIZE_LARGE"),
      mainPart: part,
      ownerId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
      rank: int32,
    },
    { requiredKeys: [] },
  )
  .map((item) => structuredClone(item));

const write = (item: object) => encodeMessage(get, JSON.stringify(item));

/** Decodes with protobufjs, whose map keys and 64-bit numbers are texts too. */
const decodeElsewhere = (bytes: Uint8Array) =>
  itemType.toObject(itemType.decode(bytes), {
    longs: String,
    enums: String,
    bytes: String,
    defaults: true,
    arrays: true,
    objects: true,
  }) as Record<string, unknown>;

/** The item with the default of every field that it does not have. */
const complete = (item: Record<string, unknown>) => ({
  itemName: "",
  count: 0,
  balance: "0",
  price: 0,
  inStock: false,
  photo: "",
  tags: [],
  codes: [],
  lineCounts: {},
  partsByPlace: {},
  kind: "KIND_NONE",
  size: "SIZE_UNKNOWN",
  ...item,
});

test("another implementation reads the message that was written", () => {
  fc.assert(
    fc.property(items, (item) => {
      const expected = complete(item);
      const found = decodeElsewhere(write(item));
      for (const [name, value] of Object.entries(expected)) {
        assert.deepEqual(structuredClone(found[name]), value, name);
      }
    }),
    { numRuns: propertyRuns },
  );
});

test("a decoded message has all of its fields, also those with their default value", () => {
  fc.assert(
    fc.property(items, (item) => {
      const decoded = decodeMessage(get, write(item)) ?? "null";
      assert.deepEqual(JSON.parse(decoded), complete(item));
    }),
    { numRuns: propertyRuns },
  );
});

test("fields have their names in JSON, and those of the file are accepted too", () => {
  assert.deepEqual(write({ item_name: "a" }), write({ itemName: "a" }));
  for (const [name, expected] of [
    ["line_counts", "lineCounts"],
    ["a__b", "aB"],
    ["trailing_", "trailing"],
    ["plain", "plain"],
    ["x_1", "x1"],
  ] as const) {
    assert.equal(toJsonName(name), expected);
  }
});

test("a oneof has at most one value, and an optional field may be absent", () => {
  assert.throws(() => write({ ownerName: "a", ownerId: "1" }), ProtoFault);
  assert.equal("rank" in JSON.parse(decodeMessage(get, write({})) ?? ""), false);
  assert.equal(JSON.parse(decodeMessage(get, write({ rank: 0 })) ?? "").rank, 0);
});

test("an empty text is the empty message", () => {
  assert.equal(encodeMessage(get, "  ").length, 0);
  assert.equal(findMethod(registry, "/shop.v1.Cart/Clear").path, "/shop.v1.Cart/Clear");
});

test("a message that does not fit its type names the type", () => {
  for (const json of ['{"count": "many"}', '{"unknown": 1}', '{"size": "HUGE"}', "[]", "{"]) {
    assert.throws(
      () => encodeMessage(get, json),
      (error) => error instanceof ProtoFault && error.message.includes("shop.v1.Item"),
      json,
    );
  }
});

test("bytes that are no such message are null", () => {
  assert.equal(decodeMessage(get, Uint8Array.from([0x0a, 0x05, 0x61])), null);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const decoded = decodeMessage(get, bytes);
      assert.ok(decoded === null || typeof JSON.parse(decoded) === "object");
    }),
    { numRuns: propertyRuns },
  );
});

test("only unary methods are found", () => {
  const find = (name: string) => () => findMethod(registry, name);
  assert.throws(find("shop.v1.Cart/Watch"), /is a stream/);
  assert.throws(find("shop.v1.Cart/Send"), /is a stream/);
  assert.throws(find("shop.v1.Cart/Pay"), /has no method Pay/);
  assert.throws(find("shop.v1.Basket/Get"), /no service shop.v1.Basket/);
  assert.throws(find(""), ProtoFault);
});

test("without a syntax, a file is proto2, whose fields may be required", () => {
  const old = readProtoFile(`
    message Ask { required string name = 1; optional int32 age = 2; }
    service Old { rpc Get(Ask) returns (Ask); }
  `);
  const method = findMethod(old, "Old/Get");
  assert.throws(() => encodeMessage(method, "{}"), ProtoFault);
  const bytes = encodeMessage(method, '{"name": "a"}');
  assert.deepEqual(JSON.parse(decodeMessage(method, bytes) ?? ""), { name: "a" });
});

test("well-known types are imported, and other files have to be pasted", () => {
  const timed = readProtoFile(`
    syntax = "proto3";
    import "google/protobuf/timestamp.proto";
    message At { google.protobuf.Timestamp at = 1; }
    service Clock { rpc Get(At) returns (At); }
  `);
  const method = findMethod(timed, "Clock/Get");
  const json = '{"at":"2026-11-19T12:00:00Z"}';
  assert.equal(decodeMessage(method, encodeMessage(method, json)), json);
  const foreign = 'syntax = "proto3"; import "shop/item.proto";';
  assert.throws(() => readProtoFile(foreign), /it imports shop\/item\.proto; paste/);
});

test("a file that cannot be read has a short reason", () => {
  for (const text of [
    "message {",
    'syntax = "proto3"; message A { Missing b = 1; }',
    "{".repeat(9),
  ]) {
    assert.throws(
      () => readProtoFile(text),
      (error) => error instanceof ProtoFault && error.message.length <= 250,
      text,
    );
  }
});
