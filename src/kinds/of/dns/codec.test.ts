import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Outcome, toTrouble } from "../../../contract/result.ts";
import type { Run } from "../../kit/definition.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { type DnsMeasurement, isDnsMeasurement, listFigures, troubleKinds } from "./measurement.ts";
import type { DnsRequest } from "./request.ts";
import { maxKeptBytes } from "./wire/message.ts";
import { queryTypes } from "./wire/record-types.ts";

type DnsRun = Run<DnsRequest, DnsMeasurement>;

const startedAtMs = 1_700_000_000_000;

/** Rounded to float32, so that values survive encoding. */
const real = fc
  .float({ min: 0, max: 60_000, noNaN: true })
  .map((value) => Number((value + 0).toPrecision(6)));
/** Plain objects, as created by a parser. */
const record = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) =>
  fc.record<Model>(model, { noNullPrototype: true });
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const count = fc.integer({ min: 0, max: 0xffff });
const address = fc.oneof(fc.ipV4(), fc.ipV6());
const measurements: fc.Arbitrary<DnsMeasurement> = record({
  resolvedIp: address,
  port: count,
  nameServerMs: real,
  udpMs: orNull(real),
  tcpMs: orNull(real),
  queriesSent: count,
  ignoredAnswers: count,
  responseCode: count,
  receivedBytes: count,
  message: fc
    .uint8Array({ maxLength: maxKeptBytes, size: "large" })
    .map((bytes) => Buffer.from(bytes).toString("base64")),
  isCut: fc.boolean(),
});
const outcomes: fc.Arbitrary<Outcome<DnsMeasurement>> = fc.oneof(
  record({ kind: fc.constant("measured" as const), measurement: measurements }),
  record({
    kind: fc.constant("unreachable" as const),
    trouble: record({
      kind: fc.constantFrom(...troubleKinds),
      code: fc.string(),
      message: fc.string(),
      resolvedIp: orNull(address),
      port: orNull(count),
      nameServerMs: orNull(real),
      queriesSent: count,
      ignoredAnswers: count,
    }),
  }),
  record({ kind: fc.constant("no-answer" as const), message: fc.string() }),
);
const requests: fc.Arbitrary<DnsRequest> = record({
  query: fc.domain(),
  recordType: fc.constantFrom(...queryTypes),
  nameServer: orNull(fc.oneof(fc.domain(), address)),
  port: fc.integer({ min: 1, max: 65_535 }),
  protocol: fc.constantFrom("UDP" as const, "TCP" as const),
  timeoutMs: fc.integer({ min: 1_000, max: 5_000 }),
});

test("a run survives encoding", () => {
  fc.assert(
    fc.property(requests, outcomes, fc.boolean(), (request, outcome, isNamedByAddress) => {
      const resolved = outcome.kind === "measured" ? outcome.measurement.resolvedIp : null;
      const nameServer = isNamedByAddress ? resolved : request.nameServer;
      const run: DnsRun = { request: { ...request, nameServer }, startedAtMs, outcome };
      const stored = decode(encode(run), { startedAtMs, trouble: toTrouble(run.outcome) });
      assert.deepEqual(stored, run);
    }),
  );
});

test("statistics read the same figures from the bytes as from the measurement", () => {
  fc.assert(
    fc.property(requests, measurements, fc.nat(40), (request, measurement, offset) => {
      const outcome = { kind: "measured", measurement } as const;
      const detail = encode({ request, startedAtMs, outcome }).subarray(0, figureBytes);
      const bytes = Buffer.concat([Buffer.alloc(offset, 1), detail]);
      const parts: (number | null)[] = [null, null];
      const samples: number[] = [];
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      readFigures(view, offset, bytes.length, {
        counter: () => assert.fail("it counts nothing"),
        part: (place, value) => {
          parts[place] = value;
        },
        sample: (value) => samples.push(value),
      });
      const figures = listFigures(measurement);
      const near = (found: number | null | undefined, wanted: number | null | undefined) =>
        found === wanted ||
        Math.abs((found ?? Number.NaN) - (wanted ?? Number.NaN)) <= 1e-5 * (wanted ?? 0) + 1e-9;
      assert.equal(samples.length, 1);
      assert.ok(near(samples[0], figures.samples[0]));
      assert.ok(parts.every((value, place) => near(value, figures.parts[place])));
    }),
  );
});

test("measurements are validated against the schema", () => {
  fc.assert(fc.property(measurements, (measurement) => isDnsMeasurement(measurement)));
  const [good] = fc.sample(measurements, 1);
  for (const bad of [
    { ...good, udpMs: -1 },
    { ...good, message: "not base64!" },
    { ...good, message: "A".repeat(2 * maxKeptBytes) },
    { ...good, receivedBytes: 1.5 },
    { ...good, responseCode: 65_536 },
    { ...good, resolvedIp: "x".repeat(65) },
    null,
  ]) {
    assert.equal(isDnsMeasurement(bad), false);
  }
});
