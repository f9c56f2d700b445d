import assert from "node:assert/strict";
import { test } from "node:test";
import { httpSources } from "../http/http-sources.ts";
import { assertionSources as icmpSources } from "../icmp/request.ts";
import { assertionSources as sslSources } from "../ssl/assertion-sources.ts";
import { type Assertion, evaluateAssertion } from "./assertion.ts";
import type { AssertionComparison } from "./comparisons.ts";

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
