import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Type } from "typebox";
import { describeIgnoredFields } from "./ignored-fields.ts";
import { OrNull } from "./schema.ts";

const Body = Type.Object({
  name: Type.String(),
  frequency: Type.Integer(),
  request: OrNull(Type.Object({ url: Type.String(), headers: Type.Unknown() })),
  rows: Type.Array(Type.Object({ key: Type.String() })),
  anything: Type.Record(Type.String(), Type.String()),
});

const find = (body: unknown) => describeIgnoredFields(Body, body);

test("reports nothing for a body of known fields", () => {
  const request = { url: "http://x", headers: { any: { thing: 1 } } };
  assert.equal(find({ name: "x", request, rows: [{ key: "a" }], anything: { b: "c" } }), null);
  assert.equal(find({ request: null }), null);
});

test("suggests the field that a typo may have meant", () => {
  assert.equal(find({ frequencey: 5 }), "frequencey (did you mean frequency?)");
  assert.equal(find({ Name: "x" }), "Name (did you mean name?)");
  assert.equal(find({ colour: "red" }), "colour");
});

test("names fields inside objects and lists by their path", () => {
  assert.equal(
    find({ request: { ur: "http://x" }, rows: [{ key: "a" }, { kye: "b" }] }),
    "request.ur (did you mean url?), rows.1.kye (did you mean key?)",
  );
});

test("uses only the branch of a union that matches the body's kind", () => {
  const Union = Type.Union([
    Type.Object({ type: Type.Literal("A"), port: Type.Integer() }),
    Type.Object({ type: Type.Literal("B"), url: Type.String() }),
  ]);
  assert.equal(describeIgnoredFields(Union, { type: "A", port: 1 }), null);
  assert.equal(describeIgnoredFields(Union, { type: "A", url: "x" }), "url");
});

test("the header is short and printable, whatever was sent", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 40 }), (body) => {
      assert.match(find(body) ?? "", /^[\x20-\x7e]{0,1500}$/);
    }),
  );
});
