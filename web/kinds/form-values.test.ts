/** The type check (`npm run check`) fails if one of these lines has no error or another one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { getNumber, getText, type PathTo, type ValueAt } from "../parts/fields.ts";
import type { AnyValues, CheckValues } from "./form-values.ts";

test("paths and values of a form have the types of the API", () => {
  const values: CheckValues<"ICMP"> = { request: { hostname: "a.example", pingCount: 3 } };
  assert.equal(getNumber(values, "request.pingCount"), 3);
  // @ts-expect-error: misspelt
  assert.equal(getNumber(values, "request.pingCounts"), null);
  // @ts-expect-error: a field of another check type
  assert.equal(getText(values, "request.url"), "");
  // @ts-expect-error: not a value that the API allows
  const wrong: CheckValues<"ICMP"> = { request: { ipFamily: "IPv5" } };
  assert.equal(getText(wrong, "request.ipFamily"), "IPv5");

  const anyType: AnyValues = { request: { url: "https://a.example" } };
  assert.equal(getText(anyType, "request.url"), "https://a.example");
  // @ts-expect-error: no check type has this field
  assert.equal(getText(anyType, "request.address"), "");
});

test("a field accepts only paths to values of its type", () => {
  const port: PathTo<CheckValues<"TCP">, number> = "request.port";
  // @ts-expect-error: a text
  const host: PathTo<CheckValues<"TCP">, number> = "request.hostname";
  const method: ValueAt<CheckValues<"API">, "request.method"> = "PATCH";
  const key: PathTo<CheckValues<"API">, string> = "request.headers.0.key";
  assert.deepEqual(
    [port, host, method, key],
    ["request.port", "request.hostname", "PATCH", "request.headers.0.key"],
  );
});
