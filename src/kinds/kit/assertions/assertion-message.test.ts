import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../../test/support/properties.ts";
import { assertionSources as icmpSources } from "../../of/icmp/request.ts";
import { assertionSources as sslSources } from "../../of/ssl/request.ts";
import { httpSources } from "../../wire/http/http-sources.ts";
import { type Assertion, evaluateAssertion } from "./assertion.ts";
import { clipValue } from "./assertion-message.ts";
import type { AssertionComparison } from "./comparisons.ts";

test("small values are unchanged", () => {
  for (const value of [null, true, 1.5, "text", [1, [2]], { a: { b: [null] } }]) {
    assert.deepEqual(clipValue(value), value);
  }
});

test("the output is bounded for any input", () => {
  const texts = fc.string({ maxLength: 2_000, size: "max" });
  const values = fc.oneof(fc.jsonValue({ maxDepth: 8 }), fc.array(fc.array(texts)));
  fc.assert(
    fc.property(values, (value) => {
      assert.ok(JSON.stringify(clipValue(value)).length <= 200_000);
    }),
    { numRuns: propertyRuns / 4 },
  );
});

test("long texts, long lists and deep nesting are visibly truncated", () => {
  assert.equal(clipValue("x".repeat(600)), `${"x".repeat(500)}…`);
  const list = clipValue(new Array(1_000).fill(0));
  assert.ok(Array.isArray(list) && list.length <= 101 && list.at(-1) === "…");
  const record = clipValue(Object.fromEntries(Array.from({ length: 300 }, (_, key) => [key, 0])));
  assert.ok(Object.keys(record ?? {}).length <= 101 && JSON.stringify(record).includes("…"));
  let deep: unknown = 1;
  for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
  assert.equal(JSON.stringify(clipValue(deep)), '[[[[[["…"]]]]]]');
});

test("values that JSON cannot represent become null", () => {
  assert.deepEqual(clipValue([undefined, Symbol("s"), () => 1]), [null, null, null]);
});

test("NUL characters, which PostgreSQL rejects, are replaced", () => {
  assert.deepEqual(clipValue({ "a\0": ["\0b"] }), { "a␀": ["␀b"] });
});

const sources = { ...icmpSources, ...sslSources, ...httpSources };
const document = {
  status: 401,
  responseTime: 512,
  headers: { "content-type": "text/html" },
  text: '{"name":"Bob","tags":[]} v3',
  isCut: false,
  latency: { avg: 12.5, stdDev: null },
  certificate: { daysUntilExpiry: 3, selfSigned: true },
};

type Row = readonly [
  assertion: readonly [
    source: string,
    comparison: AssertionComparison,
    target: string,
    rest?: Partial<Assertion>,
  ],
  message: string,
];

const rows: readonly Row[] = [
  [["STATUS_CODE", "EQUALS", "200"], "Status code is 401, expected 200"],
  [["STATUS_CODE", "NOT_EQUALS", "401"], "Status code is 401, expected any value except 401"],
  [["RESPONSE_TIME", "LESS_THAN", "300"], "Response time is 512 ms, expected less than 300 ms"],
  [
    ["HEADERS", "CONTAINS", "text", { property: "x-none" }],
    "Header x-none is missing, expected to contain text",
  ],
  [
    ["HEADERS", "EQUALS", "", { property: "content-type" }],
    'Header content-type is "text/html", expected ""',
  ],
  [
    ["HEADERS", "HAS_KEY", "etag"],
    'Header list is {"content-type":"text/html"}, expected to have the key etag',
  ],
  [
    ["TEXT_BODY", "EQUALS", "v4", { property: "v\\d" }],
    'Match of /v\\d/ in body is "v3", expected "v4"',
  ],
  [
    ["HEADERS", "EQUALS", "json", { property: "content-type", regex: "/(\\w+)$" }],
    'Match of //(\\w+)$/ in header content-type is "html", expected "json"',
  ],
  [["JSON_BODY", "NOT_NULL", ""], "JSON body is not JSON, expected not null"],
  [
    ["LATENCY", "GREATER_THAN", "20", { property: "avg" }],
    "Average latency is 12.5 ms, expected greater than 20 ms",
  ],
  [
    ["LATENCY", "LESS_THAN", "1", { property: "stdDev" }],
    "Standard deviation of the latency is missing, expected less than 1 ms",
  ],
  [
    ["CERTIFICATE", "GREATER_THAN", "14", { property: "daysUntilExpiry" }],
    "Number of days until the certificate expires is 3, expected greater than 14",
  ],
  [
    ["CERTIFICATE", "EQUALS", "false", { property: "selfSigned" }],
    "Certificate property selfSigned is true, expected false",
  ],
];

for (const [[source, comparison, target, rest], message] of rows) {
  test(`message: ${message}`, () => {
    const assertion = { source, property: "", comparison, target, ...rest };
    const result = evaluateAssertion(sources, assertion, document);
    assert.deepEqual([result.passed, result.message], [false, message]);
  });
}
