import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findJsonPathFault, readJsonPath } from "./json-path.ts";

const document = {
  packetLoss: 10,
  resolvedIp: null,
  latency: { avg: 12.5 },
  pingResults: Array.from({ length: 50 }, (_, sequence) => ({ sequence, rtt: sequence / 2 })),
};

test("a singular path returns its value, including null, or missing", () => {
  assert.deepEqual(readJsonPath("$.packetLoss", document), { kind: "value", value: 10 });
  assert.deepEqual(readJsonPath("$['latency']['avg']", document), { kind: "value", value: 12.5 });
  assert.deepEqual(readJsonPath("$.resolvedIp", document), { kind: "value", value: null });
  assert.deepEqual(readJsonPath("$.pingResults[-1].sequence", document), {
    kind: "value",
    value: 49,
  });
  assert.deepEqual(readJsonPath("$.nothing", document), { kind: "missing" });
  assert.deepEqual(readJsonPath("$.packetLoss.more", document), { kind: "missing" });
});

test("a path with several matches returns a list, even of one or none", () => {
  const slow = readJsonPath("$.pingResults[?@.rtt > 24].sequence", document);
  assert.deepEqual(slow, { kind: "list", values: [49] });
  assert.deepEqual(readJsonPath("$.pingResults[?@.rtt > 99]", document), {
    kind: "list",
    values: [],
  });
  const counted = readJsonPath("$[?count(@.*) == 50]", document);
  assert.deepEqual(counted, { kind: "list", values: [document.pingResults] });
});

test("values are those of the document itself, and frozen documents can be read", () => {
  const frozen = Object.freeze({ latency: Object.freeze({ avg: 1 }) });
  const found = readJsonPath("$.latency", frozen);
  assert.ok(found.kind === "value" && found.value === frozen.latency);
});

test("inherited properties are not found", () => {
  for (const name of ["constructor", "__proto__", "toString", "at"]) {
    assert.deepEqual(readJsonPath(`$.${name}`, document), { kind: "missing" });
    assert.deepEqual(readJsonPath(`$.pingResults.${name}`, document), { kind: "missing" });
  }
  assert.deepEqual(readJsonPath("$.length", document), { kind: "missing" });
});

test("a path that RFC 9535 does not allow is rejected", () => {
  const bad = ["", "packetLoss", "$.", "$[", "$..", "$.a b", "$[?]", "$[?(@.a]", "$.a[?@.b=1]"];
  for (const path of [...bad, "$[?nosuch(@.a)]", " $.a", "$.a ", "$[?@.a =~ /b/]", "$(alert)"]) {
    assert.equal(findJsonPathFault(path), "not-a-json-path", path);
    assert.deepEqual(readJsonPath(path, document), { kind: "fault", fault: "not-a-json-path" });
  }
});

test("match() and search() are rejected, because their cost is unbounded", () => {
  const patterns = [
    "$[?match(@.a, '(a+)+b')]",
    "$[?search(@.a, 'a')]",
    "$..[?@.b == 1 && search(@.a,'x')]",
  ];
  for (const path of patterns) assert.equal(findJsonPathFault(path), "regex-function", path);
});

test("the name of a pattern function is allowed elsewhere", () => {
  assert.deepEqual(readJsonPath("$.match", { match: 1 }), { kind: "value", value: 1 });
});

test("a path that is too expensive is stopped", () => {
  const stars = `[${Array.from({ length: 100 }, () => "*").join(",")}]`;
  for (const path of [`$${stars}${stars}`, "$..[?count($..*[?count($..*) > 1]) > 1]"]) {
    assert.deepEqual(readJsonPath(path, document), { kind: "fault", fault: "too-much-work" });
  }
});

test("an extremely nested document is stopped", () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
  assert.deepEqual(readJsonPath("$..*", deep), { kind: "fault", fault: "too-much-work" });
});

test("reading never throws for any path", () => {
  const pieces = fc.constantFrom(
    "$",
    ".",
    "..",
    "[",
    "]",
    "?",
    "@",
    "*",
    "a",
    "'",
    "(",
    ")",
    "0",
    ":",
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(pieces).map((parts) => `$${parts.join("")}`),
  );
  fc.assert(
    fc.property(texts, fc.jsonValue(), (path, value) => {
      const isFault = readJsonPath(path, value).kind === "fault";
      if (findJsonPathFault(path) !== null) assert.ok(isFault);
    }),
  );
});

test(".length is the length of a list unless a field has that name", () => {
  const document = { items: [1, 2, 3], none: [], text: "abc", named: { length: 7 }, deep: [[1]] };
  const lengthOf = (path: string) => readJsonPath(`${path}.length`, document);
  assert.deepEqual(lengthOf("$.items"), { kind: "value", value: 3 });
  assert.deepEqual(lengthOf("$.none"), { kind: "value", value: 0 });
  assert.deepEqual(lengthOf("$.deep[0]"), { kind: "value", value: 1 });
  assert.deepEqual(lengthOf("$.named"), { kind: "value", value: 7 });
  for (const path of ["$", "$.text", "$.gone", "$.named.length", "$.items.length"]) {
    assert.deepEqual(lengthOf(path), { kind: "missing" }, path);
  }
  assert.deepEqual(readJsonPath("$.length", [1, 2]), { kind: "value", value: 2 });
  assert.deepEqual(readJsonPath(`$${".length".repeat(70)}`, []), { kind: "missing" });
});
