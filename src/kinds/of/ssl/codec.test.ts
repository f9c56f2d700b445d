import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Outcome, toTrouble } from "../../../contract/result.ts";
import type { Run } from "../../kit/definition.ts";
import type { TlsFacts } from "../../wire/tls/tls-facts.ts";
import { baselineRules, defaultBaseline, type SecurityBaseline, severities } from "./baseline.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { isSslMeasurement, listFigures, type SslMeasurement } from "./measurement.ts";
import type { SslRequest } from "./request.ts";

const startedAtMs = 1_700_000_000_000;

const real = fc
  .float({ min: 0, max: 60_000, noNaN: true })
  .map((value) => Number((value + 0).toPrecision(6)));
const record = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) =>
  fc.record<Model>(model, { noNullPrototype: true });
const orNull = <Of>(values: fc.Arbitrary<Of>) => fc.option(values, { nil: null });
const address = fc.oneof(fc.ipV4(), fc.ipV6());
const tls: TlsFacts = {
  protocol: "TLSv1.3",
  cipher: "TLS_AES_128_GCM_SHA256",
  alpn: null,
  certificate: {
    fingerprint: "ab".repeat(32),
    issuerName: "R11",
    validFromMs: 1_000,
    validToMs: 2_000,
  },
  fitsName: true,
  trustError: null,
  staple: null,
  chainLength: 1,
  chainValidToMs: 2_000,
  chain: [],
};
const measurements: fc.Arbitrary<SslMeasurement> = record({
  resolvedIp: address,
  dnsMs: real,
  connectMs: real,
  handshakeMs: real,
  daysLeft: fc.integer({ min: -9_999, max: 99_999 }),
  tls: fc.constant(tls),
});
const outcomes: fc.Arbitrary<Outcome<SslMeasurement>> = fc.oneof(
  record({ kind: fc.constant("measured" as const), measurement: measurements }),
  record({
    kind: fc.constant("unreachable" as const),
    trouble: record({ kind: fc.constant("not-tls"), code: fc.string(), message: fc.string() }),
  }),
  record({ kind: fc.constant("no-answer" as const), message: fc.string() }),
);
const severity = fc.constantFrom(...severities);
const version = fc.constantFrom("TLS1.2" as const, "TLS1.3" as const);
const bits = fc.integer({ min: 1_024, max: 16_384 });
const rule = record({ severity });
const baselines: fc.Arbitrary<SecurityBaseline> = record({
  enabled: fc.boolean(),
  minTLSVersion: record({ value: version, severity }),
  minKeySizeBits: record({ value: bits, severity }),
  weakSignatureAlgorithm: rule,
  weakCipherSuite: rule,
  knownBadCA: rule,
  recommendedTLSVersion: record({ value: version, severity }),
  recommendedKeySizeBits: record({ value: bits, severity }),
  ocspMustStapleRespected: rule,
  sctPresent: rule,
});
const requests: fc.Arbitrary<SslRequest> = record({
  hostname: fc.oneof(fc.domain(), address),
  port: fc.integer({ min: 1, max: 65_535 }),
  serverName: orNull(fc.domain()),
  ipFamily: fc.constantFrom("IPv4" as const, "IPv6" as const),
  skipChainValidation: fc.boolean(),
  alertDaysBeforeExpiry: fc.integer({ min: 1, max: 365 }),
  baseline: fc.oneof(fc.constant(defaultBaseline), baselines),
  timeoutMs: fc.integer({ min: 1_000, max: 30_000 }),
  clientCertificate: orNull(fc.oneof(fc.constant("auto"), fc.uuid())),
});

function store(run: Run<SslRequest, SslMeasurement>) {
  return decode(encode(run), { startedAtMs, trouble: toTrouble(run.outcome) });
}

test("a run survives encoding", () => {
  fc.assert(
    fc.property(requests, outcomes, fc.boolean(), (request, outcome, isNamedByAddress) => {
      const resolved = outcome.kind === "measured" ? outcome.measurement.resolvedIp : null;
      const hostname = isNamedByAddress ? (resolved ?? request.hostname) : request.hostname;
      const run = { request: { ...request, hostname }, startedAtMs, outcome };
      assert.deepEqual(store(run), run);
    }),
  );
  assert.equal(Object.keys(defaultBaseline).length, baselineRules.length + 1);
});

test("statistics read the same figures from the bytes as from the measurement", () => {
  fc.assert(
    fc.property(requests, measurements, fc.nat(40), (request, measurement, offset) => {
      const outcome = { kind: "measured", measurement } as const;
      const detail = encode({ request, startedAtMs, outcome }).subarray(0, figureBytes);
      const bytes = Buffer.concat([Buffer.alloc(offset, 1), detail]);
      const parts: number[] = [];
      const samples: number[] = [];
      readFigures(
        new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
        offset,
        bytes.length,
        {
          counter: () => assert.fail("it counts nothing"),
          part: (place, value) => {
            parts[place] = value;
          },
          sample: (value) => samples.push(value),
        },
      );
      const figures = listFigures(measurement);
      const near = (found: number | undefined, wanted: number | null | undefined) =>
        Math.abs((found ?? Number.NaN) - (wanted ?? Number.NaN)) <=
        1e-5 * Math.abs(wanted ?? 0) + 1e-9;
      assert.ok(samples.every((value, place) => near(value, figures.samples[place])));
      assert.equal(parts.length, figures.parts.length);
      assert.ok(parts.every((value, place) => near(value, figures.parts[place])));
    }),
  );
});

test("measurements are validated against the schema", () => {
  fc.assert(fc.property(measurements, (measurement) => isSslMeasurement(measurement)));
  const [good] = fc.sample(measurements, 1);
  for (const bad of [
    { ...good, handshakeMs: -1 },
    { ...good, daysLeft: 1.5 },
    { ...good, tls: null },
    { ...good, tls: { ...tls, protocol: "x".repeat(61) } },
    null,
  ]) {
    assert.equal(isSslMeasurement(bad), false);
  }
});
