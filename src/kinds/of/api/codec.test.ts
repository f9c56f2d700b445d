import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Value } from "typebox/value";
import { propertyRuns } from "../../../../test/support/properties.ts";
import type { Assertion, AssertionResult } from "../../kit/assertions/assertion.ts";
import { assertionComparisons } from "../../kit/assertions/comparisons.ts";
import type { Run } from "../../kit/definition.ts";
import { secretMask } from "../../kit/secrets.ts";
import { bodyEnds } from "../../wire/http/http-measurement.ts";
import { decode, encode } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { type ApiMeasurement, isApiMeasurement } from "./measurement.ts";
import { type ApiRequest, assertionSources, bodyTypes, methods } from "./request.ts";
import { hideCredentials } from "./script-runs.ts";
import { texts } from "./texts.ts";

type ApiRun = Run<ApiRequest, ApiMeasurement>;
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
const word = fc.string({ maxLength: 30, unit: "grapheme" });
const ms = fc.integer({ min: 0, max: 45_000 });

const assertions = record<Required<Assertion>>({
  source: fc.constantFrom(...Object.keys(assertionSources)),
  property: word,
  comparison: fc.constantFrom(...assertionComparisons),
  target: word,
  regex: fc.option(word),
});
const results: fc.Arbitrary<AssertionResult> = fc
  .tuple(fc.boolean(), fc.oneof(fc.integer(), word, fc.constant(null)), word)
  .map(([passed, actual, message]) => ({ passed, actual, message: passed ? "" : message }));
/** Values that are not hidden in a result. */
const pairs = fc.array(
  record({ key: fc.constantFrom("accept", "x-a"), value: word, locked: fc.constant(false) }),
  { maxLength: 5 },
);

const requests: fc.Arbitrary<ApiRequest> = record({
  method: fc.constantFrom(...methods),
  url: fc.webUrl({ withQueryParameters: true }),
  followRedirects: fc.boolean(),
  skipSSL: fc.boolean(),
  ipFamily: fc.constantFrom("IPv4", "IPv6"),
  body: word,
  bodyType: fc.constantFrom(...bodyTypes),
  headers: pairs,
  queryParameters: pairs,
  assertions: fc.array(assertions, { maxLength: 5 }),
  basicAuth: fc.option(record({ username: word, password: fc.constant(secretMask) })),
  timeoutMs: ms,
});

const answers = record({
  hops: fc.constant([]),
  url: fc.webUrl(),
  resolvedIp: fc.ipV4(),
  status: fc.integer({ min: 100, max: 999 }),
  statusText: word,
  httpVersion: fc.constantFrom("1.1" as const, "2" as const),
  headers: fc.constant([["server", "x"] as const]),
  phases: record({ dnsMs: ms, connectMs: ms, tlsMs: fc.option(ms), firstByteMs: ms, bodyMs: ms }),
  redirectMs: ms,
  totalMs: ms,
  receivedBytes: fc.nat(),
  bodyEnd: fc.constantFrom(...bodyEnds),
  tls: fc.constant(null),
  body: record({ text: word, bytes: fc.nat(), isCut: fc.boolean(), fault: fc.option(word) }),
});

const runs: fc.Arbitrary<ApiRun> = requests.chain((request) =>
  fc
    .tuple(answers, fc.array(results, { minLength: 5, maxLength: 5 }))
    .map(([answer, all]): ApiRun => {
      const { length } = request.assertions;
      const measurement = { ...answer, isKept: true, results: all.slice(0, length) };
      return { request, startedAtMs: 0, outcome: { kind: "measured", measurement } };
    }),
);

const rest = { startedAtMs: 0, trouble: null };

test("a run survives encoding, and its document matches the schema", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const read = decode(encode(run), rest);
      assert.deepEqual(read, run);
      assert.ok(Value.Check(DocumentSchema, buildDocument(read)));
      const { outcome } = read;
      assert.ok(outcome.kind === "measured" && isApiMeasurement(outcome.measurement));
    }),
  );
});

test("a run without faults is stored compactly, without headers and bodies", () => {
  const assertion = (source: string, target: string): Assertion => ({
    source,
    property: "",
    comparison: "EQUALS",
    target,
    regex: "",
  });
  const zero = { dnsMs: 1, connectMs: 1, tlsMs: null, firstByteMs: 1, bodyMs: 1 };
  const run: ApiRun = {
    request: {
      method: "POST",
      url: "https://api.example.com/v1/orders",
      followRedirects: true,
      skipSSL: false,
      ipFamily: "IPv4",
      body: "x".repeat(10_000),
      bodyType: "RAW",
      headers: [{ key: "a", value: "x".repeat(5_000), locked: false }],
      queryParameters: [],
      assertions: Array.from({ length: 5 }, () => assertion("STATUS_CODE", "200")),
      basicAuth: { username: "ann", password: "sealed" },
      timeoutMs: 20_000,
    },
    startedAtMs: 0,
    outcome: {
      kind: "measured",
      measurement: {
        hops: [],
        url: "https://api.example.com/v1/orders",
        resolvedIp: "192.0.2.1",
        status: 200,
        statusText: "OK",
        httpVersion: "1.1",
        headers: [],
        phases: zero,
        redirectMs: 0,
        totalMs: 4,
        receivedBytes: 100,
        bodyEnd: "complete",
        tls: null,
        body: { text: "", bytes: 100, isCut: false, fault: null },
        isKept: false,
        results: Array.from({ length: 5 }, () => ({ passed: true, actual: 200, message: "" })),
      },
    },
  };
  const bytes = encode(run);
  assert.ok(bytes.length < 250, `${bytes.length} bytes`);
  const { response, request, assertions: shown } = buildDocument(decode(bytes, rest));
  assert.deepEqual([response?.headers, response?.body, request.data], [null, null, ""]);
  assert.ok(shown.every(({ passed, actual }) => passed === true && actual === 200));
});

test("possible secrets are never part of an encoded result", () => {
  const secret = "hunter2";
  const pair = (key: string, locked: boolean) => ({ key, value: secret, locked });
  fc.assert(
    fc.property(requests, fc.constantFrom("unreachable", "no-answer"), (request, kind) => {
      const secretive: ApiRequest = {
        ...request,
        url: `https://ann:${secret}@a.example/`,
        headers: [pair("x-any", true), pair("Authorization", false), pair("X-Api-Key", false)],
        queryParameters: [pair("q", true), pair("access_token", false)],
        basicAuth: { username: "ann", password: secret },
      };
      const trouble = { kind: "refused", code: "ECONNREFUSED", message: "Refused." };
      const outcome =
        kind === "unreachable"
          ? ({ kind: "unreachable", trouble } as const)
          : ({ kind: "no-answer", message: "No." } as const);
      const bytes = encode({ request: secretive, startedAtMs: 0, outcome });
      assert.ok(!bytes.includes(secret));
      const read = decode(bytes, { startedAtMs: 0, trouble });
      assert.ok(!JSON.stringify(buildDocument(read)).includes(secret));
    }),
  );
  assert.equal(hideCredentials("https://a:b@c.example/x@y"), "https://c.example/x@y");
  assert.equal(hideCredentials("{{URL}}/a@b"), "{{URL}}/a@b");
});

test("hidden values are masked in every received text", () => {
  fc.assert(
    fc.property(runs, (run) => {
      assert.ok(run.outcome.kind === "measured");
      const seeded: ApiMeasurement = {
        ...run.outcome.measurement,
        url: "http://a/hunter2",
        statusText: "hunter2",
        hops: [
          { url: "hunter2", status: 301, resolvedIp: "::", phases: run.outcome.measurement.phases },
        ],
        headers: [["hunter2", "x hunter2"]],
        body: { text: "hunter2", bytes: 7, isCut: false, fault: null },
        results: [{ passed: false, actual: { hunter2: ["hunter2"] }, message: "is hunter2" }],
      };
      const hidden = texts.mapMeasurement(seeded, (text) => text.replaceAll("hunter2", "*******"));
      assert.ok(!JSON.stringify(hidden).includes("hunter2"));
      assert.equal(JSON.stringify(hidden).length, JSON.stringify(seeded).length);
      const filled = texts.mapRequest(run.request, () => "z");
      assert.deepEqual([filled.url, filled.body], ["z", "z"]);
    }),
    { numRuns: propertyRuns / 5 },
  );
});
