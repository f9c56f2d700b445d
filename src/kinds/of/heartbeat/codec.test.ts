import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Value } from "typebox/value";
import { pingStates } from "../../kit/pings.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, DocumentSchema } from "./document.ts";
import { isHeartbeatMeasurement, maxBodyBytes } from "./measurement.ts";

/** Up to the year 9999, the last that a date can represent. */
const moment = fc.option(fc.integer({ min: 0, max: 253_402_300_799_999 }));
const short = fc.string({ unit: "grapheme-ascii", maxLength: 255 });
const plain = { noNullPrototype: true };
const sender = fc.record(
  {
    method: fc.constantFrom("GET", "HEAD", "POST"),
    address: fc.constantFrom("192.0.2.7", "2001:db8::1"),
    userAgent: short,
    body: fc
      .uint8Array({ maxLength: maxBodyBytes })
      .map((bytes) => Buffer.from(bytes).toString("utf8")),
    bodyBytes: fc.integer({ min: 0, max: 0xffff_ffff }),
  },
  plain,
);
const measurement = fc.record(
  {
    state: fc.constantFrom(...pingStates),
    sender: fc.option(sender),
    hasFailed: fc.boolean(),
    exitCode: fc.option(fc.integer({ min: 0, max: 255 })),
    durationMs: fc.option(fc.integer({ min: 0, max: 10_000_000 })),
    lastPingMs: moment,
    expectedMs: moment,
    unendedMs: moment,
    resumedMs: moment,
  },
  plain,
);

test("a run survives encoding with any bytes in its body", () => {
  fc.assert(
    fc.property(measurement, short, (measured, schedule) => {
      assert.ok(isHeartbeatMeasurement(measured));
      const outcome = { kind: "measured", measurement: measured } as const;
      const run = { request: { schedule }, startedAtMs: 1_700_000_000_000, outcome };
      const detail = encode(run);
      assert.deepEqual(decode(detail, { startedAtMs: run.startedAtMs, trouble: null }), run);
      const samples: number[] = [];
      const view = new DataView(detail.buffer, detail.byteOffset, detail.length);
      const visitor = {
        counter: () => assert.fail(),
        part: () => assert.fail(),
        sample: (ms: number) => samples.push(ms),
      };
      readFigures(view, 0, figureBytes, visitor);
      assert.deepEqual(samples, measured.durationMs === null ? [] : [measured.durationMs]);
      readFigures(view, 0, figureBytes - 1, visitor);
      assert.ok(Value.Check(DocumentSchema, buildDocument(run)));
    }),
  );
});

test("an invalid ping event is rejected", () => {
  const [sound] = fc.sample(measurement, 1);
  assert.ok(!isHeartbeatMeasurement({ ...sound, state: "SOON" }));
  assert.ok(!isHeartbeatMeasurement({ ...sound, exitCode: 256 }));
  assert.ok(!isHeartbeatMeasurement({ ...sound, durationMs: -1 }));
  assert.ok(!isHeartbeatMeasurement(null));
});
