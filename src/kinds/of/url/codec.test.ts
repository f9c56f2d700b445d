import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Outcome, toTrouble } from "../../../contract/result.ts";
import type { Run } from "../../kit/definition.ts";
import { bodyEnds, type HttpMeasurement } from "../../wire/http/http-measurement.ts";
import type { TlsFacts } from "../../wire/tls/tls-facts.ts";
import { decode, encode } from "./codec.ts";
import { isUrlMeasurement, maxKeptBytes, type UrlMeasurement } from "./measurement.ts";
import type { UrlRequest } from "./request.ts";

type UrlRun = Run<UrlRequest, UrlMeasurement>;

const startedAtMs = 1_700_000_000_000;

/** Rounded to float32, so that values survive encoding. */
const real = fc
  .float({ min: 0, max: 60_000, noNaN: true })
  .map((value) => Number((value + 0).toPrecision(6)));
const record = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) =>
  fc.record<Model>(model, { noNullPrototype: true });
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const count = fc.integer({ min: 0, max: 0xffff_ffff });
const address = fc.oneof(fc.ipV4(), fc.ipV6());
const text = fc.string({ unit: "grapheme", maxLength: 40 }).map((value) => value.toWellFormed());
const status = fc.integer({ min: 100, max: 599 });
const phases = record({
  dnsMs: real,
  connectMs: real,
  tlsMs: orNull(real),
  firstByteMs: real,
  bodyMs: real,
});
const tls: TlsFacts = {
  protocol: "TLSv1.3",
  cipher: "TLS_AES_256_GCM_SHA384",
  alpn: "http/1.1",
  certificate: {
    fingerprint: "0a".repeat(32),
    issuerName: "R11",
    validFromMs: 1_790_000_000_000,
    validToMs: 1_797_776_000_000,
  },
  fitsName: true,
  trustError: null,
  staple: null,
  chainLength: 2,
  chainValidToMs: 1_797_776_000_000,
  chain: [],
};
const measurements: fc.Arbitrary<UrlMeasurement> = record({
  hops: fc.array(record({ url: fc.webUrl(), status, resolvedIp: address, phases }), {
    maxLength: 3,
  }),
  url: fc.webUrl(),
  resolvedIp: address,
  status,
  statusText: text,
  httpVersion: fc.constantFrom("1.0" as const, "1.1" as const, "2" as const),
  headers: fc.array(fc.tuple(text, text), { maxLength: 5 }),
  phases,
  redirectMs: real,
  totalMs: real,
  receivedBytes: count,
  bodyEnd: fc.constantFrom(...bodyEnds),
  tls: fc.constantFrom(null, tls),
  body: orNull(
    record({
      text: fc.oneof(text, fc.constant("\u{fffd}".repeat(maxKeptBytes))),
      bytes: count,
      isCut: fc.boolean(),
      fault: orNull(text),
    }),
  ),
});
const outcomes: fc.Arbitrary<Outcome<UrlMeasurement>> = fc.oneof(
  record({ kind: fc.constant("measured" as const), measurement: measurements }),
  record({
    kind: fc.constant("unreachable" as const),
    trouble: record({ kind: fc.constant("refused"), code: text, message: text }),
  }),
  record({ kind: fc.constant("no-answer" as const), message: text }),
);
const requests: fc.Arbitrary<UrlRequest> = record({
  url: fc.webUrl(),
  followRedirects: fc.boolean(),
  skipSSL: fc.boolean(),
  ipFamily: fc.constantFrom("IPv4" as const, "IPv6" as const),
  assertions: fc.constant([]),
  timeoutMs: fc.integer({ min: 1_000, max: 45_000 }),
});

function store(run: UrlRun): UrlRun {
  return decode(encode(run), { startedAtMs, trouble: toTrouble(run.outcome) });
}

test("a run survives encoding", () => {
  fc.assert(
    fc.property(requests, outcomes, fc.boolean(), (request, outcome, isSame) => {
      const url = isSame && outcome.kind === "measured" ? outcome.measurement.url : request.url;
      const run: UrlRun = { request: { ...request, url }, startedAtMs, outcome };
      assert.deepEqual(store(run), run);
    }),
  );
});

test("a run that passes takes less than 250 bytes", () => {
  const answer: HttpMeasurement = {
    hops: [],
    url: "https://shop.example.com/products/health?from=monitor",
    resolvedIp: "2001:db8:85a3:8d3:1319:8a2e:370:7348",
    status: 200,
    statusText: "OK",
    httpVersion: "2",
    headers: [],
    phases: { dnsMs: 1.23, connectMs: 12.3, tlsMs: 45.6, firstByteMs: 78.9, bodyMs: 0.1 },
    redirectMs: 0,
    totalMs: 138.13,
    receivedBytes: 5_000,
    bodyEnd: "complete",
    tls,
  };
  const [request] = fc.sample(requests, 1);
  const outcome = { kind: "measured", measurement: { ...answer, body: null } } as const;
  const run = { request: { ...(request as UrlRequest), url: answer.url }, startedAtMs, outcome };
  assert.ok(encode(run).length < 250, String(encode(run).length));
});

test("measurements are validated against the schema", () => {
  fc.assert(fc.property(measurements, (measurement) => isUrlMeasurement(measurement)));
  const [good] = fc.sample(measurements, 1);
  for (const bad of [
    { ...good, totalMs: -1 },
    { ...good, status: "200" },
    { ...good, bodyEnd: "eaten" },
    { ...good, body: { text: "x".repeat(maxKeptBytes + 1), bytes: 1, isCut: false, fault: null } },
    { ...good, tls: {} },
    null,
  ]) {
    assert.equal(isUrlMeasurement(bad), false);
  }
});
