import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../../test/support/properties.ts";
import { type Outcome, toTrouble } from "../../../contract/result.ts";
import type { Run } from "../../kit/definition.ts";
import { decode, encode, figureBytes, maxSentKeptBytes, readFigures } from "./codec.ts";
import {
  answerEnds,
  isTcpMeasurement,
  listFigures,
  maxKeptBytes,
  type TcpMeasurement,
  troubleKinds,
} from "./measurement.ts";
import type { TcpRequest } from "./request.ts";

type TcpRun = Run<TcpRequest, TcpMeasurement>;

const startedAtMs = 1_700_000_000_000;

/** Rounded to float32, so that values survive encoding. */
const real = fc
  .float({ min: 0, max: 60_000, noNaN: true })
  .map((value) => Number((value + 0).toPrecision(6)));
/** Plain objects, as created by a parser. */
const record = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) =>
  fc.record<Model>(model, { noNullPrototype: true });
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const count = fc.integer({ min: 0, max: 0xffff_ffff });
const address = fc.oneof(fc.ipV4(), fc.ipV6());
const measurements: fc.Arbitrary<TcpMeasurement> = record({
  resolvedIp: address,
  dnsMs: real,
  connectMs: real,
  firstByteMs: orNull(real),
  dataMs: orNull(real),
  sentBytes: count,
  receivedBytes: count,
  text: fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.constant("\u{fffd}".repeat(maxKeptBytes)),
  ),
  isCut: fc.boolean(),
  answer: fc.constantFrom(...answerEnds),
});
const outcomes: fc.Arbitrary<Outcome<TcpMeasurement>> = fc.oneof(
  record({ kind: fc.constant("measured" as const), measurement: measurements }),
  record({
    kind: fc.constant("unreachable" as const),
    trouble: record({
      kind: fc.constantFrom(...troubleKinds),
      code: fc.string(),
      message: fc.string(),
      resolvedIp: orNull(address),
      dnsMs: orNull(real),
    }),
  }),
  record({ kind: fc.constant("no-answer" as const), message: fc.string() }),
);
const requests: fc.Arbitrary<TcpRequest> = record({
  hostname: fc.oneof(fc.domain(), address),
  port: fc.integer({ min: 1, max: 65_535 }),
  ipFamily: fc.constantFrom("IPv4" as const, "IPv6" as const),
  data: orNull(fc.string({ unit: anyCharacter, maxLength: 60 })),
  answer: fc.constantFrom("none" as const, "wanted" as const, "silence" as const),
  timeoutMs: fc.integer({ min: 1_000, max: 45_000 }),
});

function store(run: TcpRun): TcpRun {
  return decode(encode(run), { startedAtMs, trouble: toTrouble(run.outcome) });
}

test("a run survives encoding", () => {
  fc.assert(
    fc.property(requests, outcomes, fc.boolean(), (request, outcome, isNamedByAddress) => {
      const resolved = outcome.kind === "measured" ? outcome.measurement.resolvedIp : null;
      const hostname = isNamedByAddress ? (resolved ?? request.hostname) : request.hostname;
      const run: TcpRun = { request: { ...request, hostname }, startedAtMs, outcome };
      assert.deepEqual(store(run), run);
    }),
  );
});

test("statistics read the same figures from the bytes as from the measurement", () => {
  fc.assert(
    fc.property(requests, measurements, fc.nat(40), (request, measurement, offset) => {
      const outcome = { kind: "measured", measurement } as const;
      const detail = encode({ request, startedAtMs, outcome }).subarray(0, figureBytes);
      const bytes = Buffer.concat([Buffer.alloc(offset, 1), detail]);
      const parts: (number | null)[] = [null, null, null];
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
      assert.equal(samples.length, figures.samples.length);
      assert.ok(samples.every((value, place) => near(value, figures.samples[place])));
      assert.ok(parts.every((value, place) => near(value, figures.parts[place])));
    }),
  );
});

test("the beginning of the sent data is kept", () => {
  const outcome = { kind: "no-answer", message: "" } as const;
  const request: TcpRequest = {
    hostname: "a.example",
    port: 1,
    ipFamily: "IPv4",
    data: "é".repeat(4_096),
    answer: "wanted",
    timeoutMs: 5_000,
  };
  const kept = store({ request, startedAtMs, outcome }).request.data ?? "";
  assert.equal(kept, "é".repeat(Math.floor(maxSentKeptBytes / 2)));
});

test("measurements are validated against the schema", () => {
  fc.assert(fc.property(measurements, (measurement) => isTcpMeasurement(measurement)));
  const [good] = fc.sample(measurements, 1);
  for (const bad of [
    { ...good, connectMs: -1 },
    { ...good, answer: "eaten" },
    { ...good, text: "x".repeat(maxKeptBytes + 1) },
    { ...good, receivedBytes: 1.5 },
    { ...good, dnsMs: null },
    null,
  ]) {
    assert.equal(isTcpMeasurement(bad), false);
  }
});
