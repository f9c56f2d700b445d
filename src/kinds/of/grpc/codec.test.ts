import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../../test/support/properties.ts";
import { type Outcome, toTrouble } from "../../../contract/result.ts";
import type { Run } from "../../kit/definition.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import {
  type GrpcMeasurement,
  isGrpcMeasurement,
  listFigures,
  maxMessageBytes,
  maxStoredBytes,
  troubleKinds,
} from "./measurement.ts";
import type { GrpcRequest } from "./request.ts";

type GrpcRun = Run<GrpcRequest, GrpcMeasurement>;

const startedAtMs = 1_700_000_000_000;

/** Rounded to float32, so that values survive encoding. */
const real = fc
  .float({ min: 0, max: 60_000, noNaN: true })
  .map((value) => Number((value + 0).toPrecision(6)));
/** Plain objects, as created by a parser. */
const record = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) =>
  fc.record<Model>(model, { noNullPrototype: true });
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const text = fc.string({ unit: anyCharacter, maxLength: 60 });

const measurements: fc.Arbitrary<GrpcMeasurement> = record({
  resolvedIp: fc.oneof(fc.ipV4(), fc.ipV6()),
  dnsMs: real,
  connectMs: real,
  tlsMs: orNull(real),
  callMs: real,
  reflectionMs: orNull(real),
  statusCode: fc.integer({ min: 0, max: 0xffff }),
  statusMessage: text,
  healthStatus: orNull(fc.integer({ min: 0, max: 254 })),
  message: text,
  isCut: fc.boolean(),
  receivedBytes: fc.integer({ min: 0, max: 0xffff_ffff }),
  metadata: fc.array(fc.tuple(fc.string({ maxLength: 60 }), text), { maxLength: 4 }),
  tls: fc.constant(null),
});
const outcomes: fc.Arbitrary<Outcome<GrpcMeasurement>> = fc.oneof(
  record({ kind: fc.constant("measured" as const), measurement: measurements }),
  record({
    kind: fc.constant("unreachable" as const),
    trouble: record({
      kind: fc.constantFrom(...troubleKinds),
      code: fc.string(),
      message: fc.string(),
      resolvedIp: orNull(fc.ipV4()),
      dnsMs: orNull(real),
    }),
  }),
);
/** What a stored result keeps of a request. */
const requests: fc.Arbitrary<GrpcRequest> = record({
  hostname: fc.oneof(fc.domain(), fc.ipV6()),
  port: fc.integer({ min: 1, max: 65_535 }),
  ipFamily: fc.constantFrom("IPv4" as const, "IPv6" as const),
  skipSSL: fc.boolean(),
  tls: fc.boolean(),
  isHealth: fc.boolean(),
  name: fc.string({ minLength: 1, maxLength: 80 }),
  definition: fc.constantFrom("REFLECTION" as const, "PROTO_FILE" as const),
  timeoutMs: fc.integer({ min: 1_000, max: 180_000 }),
}).map(({ isHealth, name, definition, ...rest }) => ({
  ...rest,
  mode: isHealth ? "HEALTH" : "BEHAVIOR",
  metadata: [],
  serviceDefinition: isHealth ? null : definition,
  method: isHealth ? null : name,
  protoContent: null,
  message: null,
  service: isHealth ? name : null,
}));

const store = (run: GrpcRun) =>
  decode(encode(run), { startedAtMs, trouble: toTrouble(run.outcome) });

test("a run is the same after it was stored", () => {
  fc.assert(
    fc.property(requests, outcomes, (request, outcome) => {
      const run = { request, startedAtMs, outcome };
      assert.deepEqual(store(run), run);
      if (outcome.kind === "measured") assert.ok(isGrpcMeasurement(outcome.measurement));
    }),
  );
});

test("the figures of a stored run are those of its measurement", () => {
  fc.assert(
    fc.property(requests, measurements, (request, measurement) => {
      const bytes = encode({ request, startedAtMs, outcome: { kind: "measured", measurement } });
      const cut = new DataView(bytes.buffer, bytes.byteOffset, figureBytes);
      const parts: (number | null)[] = [null, null, null, null];
      const samples: number[] = [];
      readFigures(cut, 0, figureBytes, {
        counter: () => {},
        part: (place, value) => {
          parts[place] = Number(value.toPrecision(6));
        },
        sample: (value) => samples.push(value),
      });
      const figures = listFigures(measurement);
      assert.deepEqual(parts, figures.parts);
      const [sample = 0] = samples;
      assert.ok(Math.abs(sample - (figures.responseMs ?? 0)) <= 0.05);
    }),
  );
});

test("a long message is cut when it is stored, and marked as cut", () => {
  const [request] = fc.sample(requests, 1);
  const [measured] = fc.sample(measurements, 1);
  assert.ok(request && measured);
  const measurement = { ...measured, message: "é".repeat(maxMessageBytes / 2), isCut: false };
  const { outcome } = store({ request, startedAtMs, outcome: { kind: "measured", measurement } });
  assert.ok(outcome.kind === "measured");
  assert.equal(outcome.measurement.message, "é".repeat(maxStoredBytes / 2));
  assert.equal(outcome.measurement.isCut, true);
});
