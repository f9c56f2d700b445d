import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Assertion, evaluateAssertion, findAssertionFault } from "./assertion.ts";
import { type AssertionComparison, assertionComparisons } from "./comparisons.ts";
import { createJsonSource, createNumberSource } from "./sources.ts";

const latencyText = {
  label: "latency",
  properties: { avg: "average latency", min: "minimum", max: "maximum", stdDev: "deviation" },
};
const sources = {
  LATENCY: createNumberSource("LATENCY", latencyText, (found) => found.latency),
  JSON_RESPONSE: createJsonSource("JSON response", "$.packetLoss"),
};

const document = {
  hostname: "example.org",
  resolvedIp: null,
  packetLoss: 10,
  reachable: true,
  latency: { avg: 12.5, min: 10, max: 20, stdDev: 0 },
  tags: ["a", "7", 7],
  empty: { text: "", list: [], record: {} },
  pingResults: [
    { sequence: 0, success: true, rtt: 10 },
    { sequence: 1, success: false, rtt: null },
  ],
};

function latency(property: string, comparison: AssertionComparison, target: string): Assertion {
  return { source: "LATENCY", property, comparison, target };
}

function json(property: string, comparison: AssertionComparison, target = ""): Assertion {
  return { source: "JSON_RESPONSE", property, comparison, target };
}

function holds(assertion: Assertion): boolean {
  return evaluateAssertion(sources, assertion, document).passed;
}

test("latency is compared in milliseconds", () => {
  assert.ok(holds(latency("avg", "LESS_THAN", "13")));
  assert.ok(!holds(latency("avg", "LESS_THAN", "12.5")));
  assert.ok(holds(latency("max", "GREATER_THAN", "19.999")));
  assert.ok(holds(latency("min", "EQUALS", "10.0")));
  assert.ok(holds(latency("stdDev", "EQUALS", "0")));
  assert.ok(holds(latency("min", "NOT_EQUALS", "11")));
});

test("without a reply every latency assertion fails", () => {
  const silent = { latency: { avg: null, min: null, max: null, stdDev: null } };
  for (const comparison of ["EQUALS", "NOT_EQUALS", "GREATER_THAN", "LESS_THAN"] as const) {
    const result = evaluateAssertion(sources, latency("avg", comparison, "0"), silent);
    assert.equal(result.passed, false);
    assert.match(result.message, /^Average latency is missing, expected/);
  }
});

const truths: [string, AssertionComparison, string?][] = [
  ["$.packetLoss", "EQUALS", "10"],
  ["$.packetLoss", "EQUALS", " 1e1 "],
  ["$.packetLoss", "NOT_EQUALS", "11"],
  ["$.packetLoss", "GREATER_THAN", "9.5"],
  ["$.packetLoss", "LESS_THAN", "+11"],
  ["$.hostname", "EQUALS", "example.org"],
  ["$.hostname", "CONTAINS", "ple."],
  ["$.hostname", "NOT_CONTAINS", "com"],
  ["$.reachable", "EQUALS", "true"],
  ["$.resolvedIp", "EQUALS", "null"],
  ["$.resolvedIp", "IS_NULL"],
  ["$.resolvedIp", "IS_EMPTY"],
  ["$.hostname", "NOT_NULL"],
  ["$.empty.text", "IS_EMPTY"],
  ["$.empty.list", "IS_EMPTY"],
  ["$.empty.record", "IS_EMPTY"],
  ["$.latency.stdDev", "NOT_EMPTY"],
  ["$.latency", "HAS_KEY", "avg"],
  ["$.latency", "NOT_HAS_KEY", "constructor"],
  ["$.latency", "HAS_VALUE", "12.5"],
  ["$.latency", "NOT_HAS_VALUE", "13"],
  ["$.tags", "CONTAINS", "a"],
  ["$.tags", "HAS_VALUE", "7"],
  ["$.tags", "EQUALS", '["a", "7", 7]'],
  ["$.latency", "EQUALS", '{"max":20,"avg":12.5,"min":10,"stdDev":0}'],
  ["", "HAS_KEY", "latency"],
  ["$.pingResults[*].rtt", "CONTAINS", "10"],
  ["$.pingResults[*].sequence", "LESS_THAN", "2"],
  ["$.pingResults[*]", "HAS_KEY", "rtt"],
  ["$.pingResults[?@.success == false]", "NOT_EMPTY"],
  ["$.pingResults[?@.rtt > 1000]", "IS_EMPTY"],
];

test("each comparison passes where it should, and its opposite fails", () => {
  for (const [property, comparison, target] of truths) {
    assert.ok(holds(json(property, comparison, target)), `${property} ${comparison} ${target}`);
  }
  const opposites: [AssertionComparison, AssertionComparison][] = [
    ["EQUALS", "NOT_EQUALS"],
    ["IS_EMPTY", "NOT_EMPTY"],
    ["CONTAINS", "NOT_CONTAINS"],
    ["IS_NULL", "NOT_NULL"],
    ["HAS_KEY", "NOT_HAS_KEY"],
    ["HAS_VALUE", "NOT_HAS_VALUE"],
  ];
  const paths = fc.constantFrom(
    "$.packetLoss",
    "$.hostname",
    "$.resolvedIp",
    "$.tags",
    "$.latency",
  );
  const targets = fc.oneof(fc.constantFrom("10", "null", "a", "avg", "12.5", "[]"), fc.string());
  fc.assert(
    fc.property(paths, targets, fc.constantFrom(...opposites), (path, target, [one, other]) => {
      assert.notEqual(holds(json(path, one, target)), holds(json(path, other, target)));
    }),
  );
});

test("every one of several matches must satisfy the comparison", () => {
  assert.ok(!holds(json("$.pingResults[*].success", "EQUALS", "true")));
  assert.ok(!holds(json("$.pingResults[*].rtt", "NOT_NULL")));
  assert.ok(!holds(json("$.pingResults[*].rtt", "LESS_THAN", "100")));
});

test("only numbers compare as greater or less", () => {
  for (const path of ["$.hostname", "$.resolvedIp", "$.reachable", "$.latency", "$.tags"]) {
    assert.ok(!holds(json(path, "GREATER_THAN", "-1000000")), path);
    assert.ok(!holds(json(path, "LESS_THAN", "1000000")), path);
  }
});

test("a missing value passes only comparisons that assert absence", () => {
  const passing = assertionComparisons.filter((comparison) => holds(json("$.no", comparison, "1")));
  const absent = ["IS_EMPTY", "NOT_CONTAINS", "IS_NULL", "NOT_HAS_KEY", "NOT_HAS_VALUE"];
  assert.deepEqual(passing, absent);
  const many = assertionComparisons.filter((comparison) => holds(json("$.no[*]", comparison, "1")));
  assert.deepEqual(many, absent);
  const { actual, message } = evaluateAssertion(sources, json("$.no", "EQUALS", "1"), document);
  assert.deepEqual([actual, message], [null, "JSON response $.no is missing, expected 1"]);
});

test("a result contains the actual and the expected value, with bounded length", () => {
  const { actual, message } = evaluateAssertion(
    sources,
    json("$.packetLoss", "LESS_THAN", "5"),
    document,
  );
  assert.equal(actual, 10);
  assert.equal(message, "JSON response $.packetLoss is 10, expected less than 5");
  const long = { text: "x".repeat(100_000) };
  const clipped = evaluateAssertion(sources, json("$.text", "EQUALS", "y".repeat(2_000)), long);
  assert.ok(JSON.stringify(clipped).length < 1_500);
});

test("evaluation never throws for any assertion and any document", () => {
  const assertions: fc.Arbitrary<Assertion> = fc.record({
    source: fc.constantFrom(...Object.keys(sources)),
    property: fc.oneof(fc.string(), fc.constantFrom("$", "$..*", "$[0]", "$.*", "avg", "")),
    comparison: fc.constantFrom(...assertionComparisons),
    target: fc.oneof(fc.string(), fc.json()),
  });
  fc.assert(
    fc.property(assertions, fc.oneof(fc.jsonValue(), fc.anything()), (assertion, found) => {
      const { passed, message } = evaluateAssertion(sources, assertion, found);
      assert.equal(typeof passed, "boolean");
      assert.ok(message.length < 500);
    }),
  );
});

test("a stored path that is too expensive fails only its own assertion", () => {
  const path = `$..[?${Array.from({ length: 12 }, () => "count($..*..*) > 1").join(" && ")}]`;
  const many = { list: new Array(500).fill({ a: { b: 1 } }) };
  const result = evaluateAssertion(sources, json(path, "IS_EMPTY"), many);
  assert.equal(result.passed, false);
  assert.match(result.message, /too much work/);
});

const faults: [string, string, string, string, string | null][] = [
  ["LATENCY", "avg", "LESS_THAN", "100", null],
  ["LATENCY", "stdDev", "EQUALS", "-0.5e-3", null],
  ["JSON_RESPONSE", "", "NOT_NULL", "", null],
  ["JSON_RESPONSE", "$.packetLoss", "EQUALS", "anything", null],
  ["JSON_RESPONSE", "$.a", "HAS_KEY", "", null],
  ["latency", "avg", "LESS_THAN", "100", "source"],
  ["STATUS_CODE", "", "EQUALS", "200", "source"],
  ["LATENCY", "p95", "LESS_THAN", "100", "property"],
  ["LATENCY", "", "LESS_THAN", "100", "property"],
  ["LATENCY", "constructor", "LESS_THAN", "100", "property"],
  ["LATENCY", "avg", "CONTAINS", "1", "comparison"],
  ["JSON_RESPONSE", "$.a", "MATCHES", "1", "comparison"],
  ["LATENCY", "avg", "LESS_THAN", "", "target"],
  ["LATENCY", "avg", "LESS_THAN", "fast", "target"],
  ["LATENCY", "avg", "LESS_THAN", "NaN", "target"],
  ["LATENCY", "avg", "LESS_THAN", "1e999", "target"],
  ["LATENCY", "avg", "LESS_THAN", "0x10", "target"],
  ["LATENCY", "avg", "LESS_THAN", "1,5", "target"],
  ["JSON_RESPONSE", "$.a", "GREATER_THAN", "many", "target"],
  ["JSON_RESPONSE", "packetLoss", "EQUALS", "1", "property"],
  ["JSON_RESPONSE", "$.a[", "EQUALS", "1", "property"],
  ["JSON_RESPONSE", "$[?match(@.a, '(a+)+$')]", "NOT_EMPTY", "", "property"],
  ["JSON_RESPONSE", `$.${"a".repeat(499)}`, "EQUALS", "1", "property"],
  ["JSON_RESPONSE", "$.a", "EQUALS", "x".repeat(2_001), "target"],
];

test("a fault names the field and the rule", () => {
  for (const [source, property, comparison, target, field] of faults) {
    const fault = findAssertionFault(sources, { source, property, comparison, target });
    assert.equal(fault?.field ?? null, field, `${source} ${property} ${comparison} ${target}`);
    if (fault !== null) assert.match(fault.rule, /^must /);
  }
});

test("the limits themselves are allowed", () => {
  const property = `$.${"a".repeat(498)}`;
  assert.equal(findAssertionFault(sources, json(property, "EQUALS", "x".repeat(2_000))), null);
});

test("validation never throws for any input", () => {
  const wild = fc.record({
    source: fc.oneof(fc.constantFrom(...Object.keys(sources)), fc.string()),
    property: fc.string({ maxLength: 600, size: "max" }),
    comparison: fc.oneof(fc.constantFrom(...assertionComparisons), fc.string()),
    target: fc.string(),
  });
  fc.assert(
    fc.property(wild, (assertion) => {
      const fault = findAssertionFault(sources, assertion);
      assert.ok(fault === null || fault.rule.length > 0);
    }),
  );
});
