/** The type check (`npm run check`) fails if one of these lines has no error or another one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { getNumber, getText, type PathTo, type ValueAt } from "../parts/fields.ts";
import {
  type AnyValues,
  type CheckValues,
  completeName,
  findOpenName,
  listUndefinedNames,
  listUsedNames,
  offerNames,
} from "./form-values.ts";

test("variable names are found in every string of the settings", () => {
  const request = {
    url: "https://{{HOST}}/{{ PATH }}?again={{HOST}}",
    headers: [{ key: "authorization", value: "Bearer {{{TOKEN}}}" }],
    body: '{"a":{"b":1}} {{ two words }} {{9}} {{}}',
    timeoutMs: 5,
  };
  assert.deepEqual(listUsedNames(request), ["HOST", "PATH", "TOKEN"]);
  assert.deepEqual(listUndefinedNames(request, ["HOST", "TOKEN"]), ["PATH"]);
});

test("an unfinished name starts at its braces and ends at the caret", () => {
  const openAt = (marked: string) => {
    const caret = marked.indexOf("|");
    return findOpenName(marked.replace("|", ""), caret)?.typed ?? null;
  };
  assert.equal(openAt("https://{{|"), "");
  assert.equal(openAt("https://{{HO|/x"), "HO");
  assert.equal(openAt("{{ HO|ST }}"), "HO");
  assert.equal(openAt("{{HOST}}|"), null);
  assert.equal(openAt("{HO|"), null);
  assert.equal(openAt("{{two words|"), null);
});

test("completing a name adds the braces once and keeps the surrounding text", () => {
  const complete = (marked: string, name: string) => {
    const caret = marked.indexOf("|");
    const text = marked.replace("|", "");
    const open = findOpenName(text, caret);
    assert.ok(open, marked);
    const { text: after, caret: at } = completeName(text, open, name);
    return `${after.slice(0, at)}|${after.slice(at)}`;
  };
  assert.equal(complete("https://{{|", "HOST"), "https://{{HOST}}|");
  assert.equal(complete("https://{{HO|/x", "HOST"), "https://{{HOST}}|/x");
  assert.equal(complete("{{HO|ST}}/x", "HOME"), "{{HOME}}|/x");
  assert.equal(complete("{{{T|", "TOKEN"), "{{{TOKEN}}}|");
  const part = fc.stringMatching(/^[a-z/:.]{0,8}$/);
  fc.assert(
    fc.property(part, part, (before, after) => {
      const done = complete(`${before}{{N|/${after}`, "NAME");
      assert.equal(done, `${before}{{NAME}}|/${after}`);
    }),
  );
});

test("names that start with the typed text come before names that contain it", () => {
  const names = ["API_HOST", "HOST", "HOST_B", "TOKEN"];
  assert.deepEqual(offerNames(names, "ho"), ["HOST", "HOST_B", "API_HOST"]);
  assert.deepEqual(offerNames(names, ""), names);
  assert.deepEqual(offerNames(names, "x"), []);
});

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
