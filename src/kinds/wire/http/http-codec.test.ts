import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DetailReader, DetailWriter } from "../../kit/detail-bytes.ts";
import { maxHttpBytes, readAnswer, writeAnswer } from "./http-codec.ts";
import { httpFigureBytes, httpParts, listHttpFigures, readHttpFigures } from "./http-figures.ts";
import type { HeaderField } from "./http-measurement.ts";
import { bodyEnds, type HttpMeasurement } from "./http-measurement.ts";

const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;

const ms = fc.float({ min: 0, max: 45_000, noNaN: true, noDefaultInfinity: true }).map(round);
/** Rounds like a decoded float32. */
function round(value: number): number {
  const short = Number(Math.fround(value).toPrecision(6));
  return Object.is(short, -0) ? 0 : short;
}

const phases = record({
  dnsMs: ms,
  connectMs: ms,
  tlsMs: fc.option(ms),
  firstByteMs: ms,
  bodyMs: ms,
});
const line = fc.string({ maxLength: 40 });
const measurements: fc.Arbitrary<HttpMeasurement> = record({
  hops: fc.array(
    record({
      url: line,
      status: fc.integer({ min: 100, max: 999 }),
      resolvedIp: fc.ipV6(),
      phases,
    }),
    { maxLength: 10 },
  ),
  url: fc.webUrl(),
  resolvedIp: fc.ipV4(),
  status: fc.integer({ min: 100, max: 999 }),
  statusText: line,
  httpVersion: fc.constantFrom("1.0", "1.1", "2"),
  headers: fc.array(fc.tuple(line, line) as fc.Arbitrary<HeaderField>, { maxLength: 30 }),
  phases,
  redirectMs: ms,
  totalMs: ms,
  receivedBytes: fc.nat(),
  bodyEnd: fc.constantFrom(...bodyEnds),
  tls: fc.constant(null),
});

function encode(measured: HttpMeasurement): Buffer {
  const writer = new DetailWriter(maxHttpBytes);
  writer.begin();
  writeAnswer(writer, measured);
  return writer.finish();
}

test("a response survives encoding", () => {
  fc.assert(
    fc.property(measurements, (measured) => {
      assert.deepEqual(readAnswer(new DetailReader(encode(measured))), measured);
    }),
  );
});

test("the encoded figures are those of the measurement", () => {
  fc.assert(
    fc.property(measurements, (measured) => {
      const { samples, parts } = listHttpFigures(measured);
      const bytes = encode(measured).subarray(0, httpFigureBytes);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const seen: (number | null)[] = httpParts.map(() => null);
      const seenSamples: number[] = [];
      readHttpFigures(view, 0, bytes.length, {
        counter: () => assert.fail("there are no counters"),
        part: (place, value) => {
          seen[place] = value;
        },
        sample: (value) => seenSamples.push(value),
      });
      assert.deepEqual(
        seen,
        parts.map((value) => value && Math.fround(value)),
      );
      assert.deepEqual(seenSamples, samples.map(Math.fround));
    }),
  );
});

test("any measurement of an untrusted probe can be encoded, and long values are truncated", () => {
  const long = "é".repeat(32_768);
  const zero = { dnsMs: 0, connectMs: 0, tlsMs: null, firstByteMs: 0, bodyMs: 0 };
  const hop = { url: long, status: 0xffff, resolvedIp: long, phases: zero };
  const measured: HttpMeasurement = {
    hops: Array.from({ length: 12 }, () => hop),
    url: long,
    resolvedIp: long,
    status: 99_999,
    statusText: long,
    httpVersion: "2",
    headers: Array.from({ length: 500 }, (): HeaderField => [long, long]),
    phases: zero,
    redirectMs: 0,
    totalMs: 0,
    receivedBytes: 2 ** 40,
    bodyEnd: "cut",
    tls: null,
  };
  const read = readAnswer(new DetailReader(encode(measured)));
  assert.equal(read?.hops.length, 10);
  assert.equal(read?.headers.length, 100);
  assert.ok((read?.url.length ?? 0) <= 3 * 2_048);
  assert.equal(read?.receivedBytes, 0xffff_ffff);
});
