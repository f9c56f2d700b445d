import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isLongRun } from "../../../../test/support/long-run.ts";
import { propertyRuns } from "../../../../test/support/properties.ts";
import { type Assertion, evaluateAssertion, evaluateAssertions } from "./assertion.ts";
import { type AssertionComparison, assertionComparisons, parseJsonBody } from "./comparisons.ts";
import {
  createFigureSource,
  createHeaderSource,
  createJsonSource,
  createJsonTextSource,
  createRecordSource,
  createTextSource,
  type JsonText,
} from "./sources.ts";

const certificateText = {
  label: "certificate",
  properties: { subject: "subject", days: "days until expiry" },
};

/** The sources of an HTTP kind: every type of source over one document. */
const sources = {
  STATUS_CODE: createFigureSource("STATUS_CODE", { label: "status code" }, ({ status }) => status),
  HEADERS: createHeaderSource(({ headers }) => headers),
  TEXT_BODY: createTextSource("body", ({ text }) => text, assertionComparisons),
  JSON_BODY: createJsonTextSource("JSON body", "$.id", ({ text, isCut }) =>
    typeof text === "string" ? { text, isCut: isCut === true } : null,
  ),
  CERTIFICATE: createRecordSource("CERTIFICATE", certificateText, ({ record }) => record),
  JSON_ANSWER: createJsonSource("JSON answer", "$.a", ({ json }) => json),
};
type Source = keyof typeof sources;

function claim(
  source: Source,
  comparison: AssertionComparison,
  target = "",
  rest: Partial<Assertion> = {},
): Assertion {
  return { source, property: "", comparison, target, ...rest };
}

/**
 * A second implementation, written from the documentation rather than the code: a source yields a
 * list of values or nothing, and each comparison is one line.
 */
type Thing = string | number | boolean | null | Thing[] | { [key: string]: Thing };

function naiveNumber(value: Thing): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  if (/[^0-9eE+.\s-]/.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function canonical(value: Thing): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join()}}`;
}

function naiveEquals(value: Thing, target: string): boolean {
  if (typeof value === "string") return value === target;
  if (typeof value === "number") return naiveNumber(target) === value;
  if (value === null || typeof value === "boolean") return target.trim() === String(value);
  try {
    return canonical(JSON.parse(target)) === canonical(value);
  } catch {
    return false;
  }
}

const children = (value: Thing): Thing[] =>
  typeof value === "object" && value !== null ? Object.values(value) : [];

const naive: Record<AssertionComparison, (value: Thing, target: string) => boolean> = {
  EQUALS: naiveEquals,
  NOT_EQUALS: (value, target) => !naiveEquals(value, target),
  GREATER_THAN: (value, target) => {
    const [one, other] = [naiveNumber(value), naiveNumber(target)];
    return one !== undefined && other !== undefined && one > other;
  },
  LESS_THAN: (value, target) => {
    const [one, other] = [naiveNumber(value), naiveNumber(target)];
    return one !== undefined && other !== undefined && one < other;
  },
  IS_EMPTY: (value) =>
    [null, ""].includes(value as null) || ["[]", "{}"].includes(canonical(value)),
  NOT_EMPTY: (value, target) => !naive.IS_EMPTY(value, target),
  CONTAINS: (value, target) => {
    if (Array.isArray(value)) return value.filter((item) => naiveEquals(item, target)).length > 0;
    return typeof value !== "object" && `${value}`.indexOf(target) >= 0;
  },
  NOT_CONTAINS: (value, target) => !naive.CONTAINS(value, target),
  IS_NULL: (value) => canonical(value) === "null",
  NOT_NULL: (value) => canonical(value) !== "null",
  HAS_KEY: (value, target) =>
    typeof value === "object" && !Array.isArray(value) && Object.keys(value ?? {}).includes(target),
  NOT_HAS_KEY: (value, target) => !naive.HAS_KEY(value, target),
  HAS_VALUE: (value, target) => children(value).filter((it) => naiveEquals(it, target)).length > 0,
  NOT_HAS_VALUE: (value, target) => !naive.HAS_VALUE(value, target),
};

/** As in a parsed body, integers beyond the safe range are strings of their digits. */
const things = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => parseJsonBody(JSON.stringify(value))?.value as Thing);
const texts = fc.oneof(fc.string(), fc.integer().map(String), fc.json(), fc.constant(""));
const keys = fc.constantFrom("a", "b", "__proto__", "constructor", "length", "A b");

/** A target related to the value, so that both verdicts occur. */
function relate(value: Thing): fc.Arbitrary<string> {
  const inside = [value, ...children(value), ...Object.keys(Object(value))] as Thing[];
  const related = inside.flatMap((one) =>
    typeof one === "string" ? [one, one.slice(1), one.slice(0, 2)] : [JSON.stringify(one)],
  );
  return fc.oneof(fc.constantFrom(...related), texts, fc.integer().map(String));
}

test("every comparison × source × type matches a second implementation", () => {
  const cases = fc.record({ value: things, comparison: fc.constantFrom(...assertionComparisons) });
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      cases.chain((one) => relate(one.value).map((target) => ({ ...one, target }))),
      ({ value, comparison, target }) => {
        const wanted = naive[comparison](value, target);
        const type = Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
        seen.add(`${comparison} ${type} ${wanted}`);
        const read = (source: Source, document: object, rest?: Partial<Assertion>) =>
          evaluateAssertion(sources, claim(source, comparison, target, rest), document).passed;
        const shown = JSON.stringify([value, comparison, target]);
        assert.equal(read("JSON_BODY", { text: JSON.stringify(value) }), wanted, shown);
        assert.equal(read("JSON_ANSWER", { json: value }), wanted, shown);
        const record = { record: { subject: value } };
        assert.equal(read("CERTIFICATE", record, { property: "subject" }), wanted, shown);
        const inner = { text: JSON.stringify({ a: [0, value] }) };
        assert.equal(read("JSON_BODY", inner, { property: "$.a[1]" }), wanted, shown);
        if (typeof value === "number") {
          const isNumeric = sources.STATUS_CODE.comparisons.includes(comparison);
          if (isNumeric) assert.equal(read("STATUS_CODE", { status: value }), wanted, shown);
        }
        if (typeof value === "string") {
          assert.equal(read("TEXT_BODY", { text: value }), wanted, shown);
          const headers = { headers: { "x-a": value } };
          assert.equal(read("HEADERS", headers, { property: "X-A" }), wanted, shown);
        }
      },
    ),
    { numRuns: isLongRun ? 5_000 : 5 * propertyRuns },
  );
  if (!isLongRun) return;
  const lists = assertionComparisons.filter((name) => seen.has(`${name} list true`));
  assert.ok(lists.length >= 10, `lists were true for ${lists.join()}`);
  const failed = assertionComparisons.filter((name) =>
    [...seen].some((one) => one.startsWith(`${name} `) && one.endsWith("false")),
  );
  assert.deepEqual(failed, [...assertionComparisons]);
});

test("a missing value satisfies only comparisons that assert absence", () => {
  const absent = ["IS_EMPTY", "NOT_CONTAINS", "IS_NULL", "NOT_HAS_KEY", "NOT_HAS_VALUE"];
  const nowhere: [Source, object, string][] = [
    ["HEADERS", { headers: {} }, "x-none"],
    ["HEADERS", {}, ""],
    ["TEXT_BODY", {}, ""],
    ["TEXT_BODY", { text: "abc" }, "(\\d+)"],
    ["JSON_BODY", { text: "{}" }, "$.none"],
    ["JSON_BODY", {}, ""],
    ["CERTIFICATE", { record: {} }, "days"],
    ["JSON_ANSWER", { json: {} }, "$.a.b"],
  ];
  for (const [source, document, property] of nowhere) {
    const passing = assertionComparisons.filter(
      (comparison) =>
        evaluateAssertion(sources, claim(source, comparison, "1", { property }), document).passed,
    );
    assert.deepEqual(passing, absent, `${source} ${property}`);
  }
});

test("headers are found regardless of case", () => {
  const document = { headers: { "content-type": "text/html", "x-limit": "100" } };
  const truths: Assertion[] = [
    claim("HEADERS", "CONTAINS", "html", { property: "Content-Type" }),
    claim("HEADERS", "HAS_KEY", "X-LIMIT"),
    claim("HEADERS", "NOT_HAS_KEY", "X-Other"),
    claim("HEADERS", "HAS_VALUE", "100"),
    claim("HEADERS", "GREATER_THAN", "99", { property: "x-limit" }),
    claim("HEADERS", "EQUALS", "html", { property: "content-type", regex: "/(\\w+)$" }),
    claim("HEADERS", "IS_NULL", "", { property: "__proto__" }),
    claim("HEADERS", "NOT_HAS_KEY", "constructor"),
  ];
  for (const { passed, message } of evaluateAssertions(sources, truths, document)) {
    assert.ok(passed, message);
  }
});

test("a regular expression narrows the value to its first group or the whole match", () => {
  const document = { text: '{"version":"v12.5","tags":["a-1","b-22","c"],"n":41.5}' };
  const truths: Assertion[] = [
    claim("TEXT_BODY", "GREATER_THAN", "12", { regex: '"v([0-9.]+)"' }),
    claim("TEXT_BODY", "EQUALS", "v12", { property: "v\\d+" }),
    claim("JSON_BODY", "EQUALS", "12", { property: "$.version", regex: "v(\\d+)" }),
    claim("JSON_BODY", "LESS_THAN", "50", { property: "$.n", regex: "^(\\d+)" }),
    claim("JSON_BODY", "CONTAINS", "22", { property: "$.tags[*]", regex: "-(\\d+)" }),
    claim("JSON_BODY", "NOT_EMPTY", "", { property: "$.tags", regex: "b-\\d+" }),
  ];
  for (const { passed, message } of evaluateAssertions(sources, truths, document)) {
    assert.ok(passed, message);
  }
  const each = claim("JSON_BODY", "GREATER_THAN", "0", { property: "$.tags[*]", regex: "-(\\d+)" });
  assert.equal(evaluateAssertion(sources, each, document).passed, false);
  const optional = claim("TEXT_BODY", "IS_NULL", "", { regex: "version(x)?" });
  assert.equal(evaluateAssertion(sources, optional, document).passed, true);
});

test("an expression that hangs a backtracking engine ends quickly or fails with the reason", () => {
  const text = `${"a".repeat(1_000_000)}!`;
  const stalling = [
    "(a+)+$",
    "(a|aa)+$",
    "(a|a?)+$",
    "(?:a?){200}$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
  ];
  const assertions = stalling.map((regex) => claim("TEXT_BODY", "IS_EMPTY", "", { regex }));
  for (const result of evaluateAssertions(sources, assertions, { text })) {
    assert.match(result.message, /too much work|is missing/);
    assert.equal(result.passed, result.message.includes("is missing"));
  }
  const short = { text: "a".repeat(5_000) };
  const found = evaluateAssertion(
    sources,
    claim("TEXT_BODY", "EQUALS", "a", { regex: "(a|aa)+$" }),
    short,
  );
  assert.ok(found.passed, found.message);
});

test("a stored invalid expression fails its assertion", () => {
  const broken = claim("TEXT_BODY", "IS_EMPTY", "", { regex: "(a)\\1" });
  const result = evaluateAssertion(sources, broken, { text: "aa" });
  assert.deepEqual(
    [result.passed, /invalid regular expression/.test(result.message)],
    [false, true],
  );
});

function readJson(text: string, property: string, comparison: AssertionComparison, target = "") {
  return evaluateAssertion(sources, claim("JSON_BODY", comparison, target, { property }), { text });
}

test("hostile JSON is bounded and harmless", () => {
  const deep = `${"[".repeat(400_000)}${"]".repeat(400_000)}`;
  assert.equal(readJson(deep, "$[0][0]", "NOT_EMPTY").passed, true);
  assert.equal(readJson(deep, "$..*", "NOT_EMPTY").passed, false);
  assert.equal(readJson(deep, "", "EQUALS", deep.slice(1)).passed, false);
  assert.equal(typeof readJson(deep, "", "EQUALS", "[]").passed, "boolean");
  const poisoned = '{"__proto__":{"isAdmin":true},"constructor":1,"a":1,"a":2}';
  assert.equal(readJson(poisoned, "$.__proto__.isAdmin", "EQUALS", "true").passed, true);
  assert.equal(readJson(poisoned, "$.isAdmin", "IS_NULL").passed, true);
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
  assert.equal(readJson(poisoned, "$.a", "EQUALS", "2").passed, true);
  assert.equal(readJson(poisoned, "", "HAS_KEY", "__proto__").passed, true);
  assert.equal(readJson(`{"a":"${"\u{fffd}"}\\u0000"}`, "$.a", "NOT_EMPTY").actual, "\u{fffd}␀");
});

test("integers beyond the safe range are compared by their digits", () => {
  const body = '{"id":12345678901234567890,"next":12345678901234567891,"huge":1e999,"r":0.1}';
  assert.equal(readJson(body, "$.id", "EQUALS", "12345678901234567890").passed, true);
  assert.equal(readJson(body, "$.id", "EQUALS", "12345678901234567891").passed, false);
  assert.equal(readJson(body, "$.id", "GREATER_THAN", "5").passed, true);
  assert.equal(readJson(body, "$.id", "EQUALS", "1").actual, "12345678901234567890");
  assert.equal(readJson(body, "$.huge", "GREATER_THAN", "5").passed, true);
  assert.equal(readJson(body, "$.huge", "EQUALS", "1e999").actual, "Infinity");
  assert.equal(readJson(body, "$.r", "EQUALS", "0.1").passed, true);
});

test("an invalid or truncated JSON body fails its assertions with the reason", () => {
  const says = (document: JsonText) => {
    const { passed, message } = evaluateAssertion(sources, claim("JSON_BODY", "IS_NULL"), {
      ...document,
    });
    assert.equal(passed, false);
    return message;
  };
  assert.match(says({ text: "<html>", isCut: false }), /^JSON body is not JSON, expected null$/);
  assert.match(says({ text: '{"a":', isCut: false }), /is not JSON/);
  assert.match(says({ text: '{"a":1}', isCut: true }), /exceeds the maximum size that is read/);
});

test("evaluation never throws for any assertion and document, and its message is bounded", () => {
  const assertions = fc.record({
    source: fc.constantFrom(...Object.keys(sources)),
    property: fc.oneof(fc.string(), keys, fc.constantFrom("$", "$..*", "$.*", "days", "(.*)")),
    comparison: fc.constantFrom(...assertionComparisons),
    target: texts,
    regex: fc.oneof(fc.constant(null), fc.string(), fc.constantFrom("(a|b)*", ".", "(", "(?i)A")),
  });
  const documents = fc.record({
    status: fc.oneof(fc.integer(), fc.anything()),
    headers: fc.oneof(fc.dictionary(keys, texts), fc.anything()),
    text: fc.oneof(texts, fc.anything()),
    isCut: fc.boolean(),
    record: fc.oneof(fc.dictionary(keys, fc.jsonValue()), fc.anything()),
    json: fc.oneof(fc.jsonValue(), fc.anything()),
  });
  fc.assert(
    fc.property(assertions, documents, (assertion, document) => {
      const { passed, message } = evaluateAssertion(sources, assertion, document);
      assert.equal(typeof passed, "boolean");
      assert.ok(message.length < 500);
    }),
  );
});
