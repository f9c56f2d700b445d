import assert from "node:assert/strict";
import { test } from "node:test";
import { Value } from "typebox/value";
import { type ScriptMeasurement, scriptLimits } from "../../../sandbox/script-run.ts";
import { createHider } from "../variables/variables.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, createDocumentSchema } from "./document.ts";
import { isScriptMeasurement, listFigures } from "./measurement.ts";
import { texts } from "./texts.ts";

const request = {
  runtime: "2025.04",
  script: "",
  scriptPath: "login.spec.ts",
  dependencies: [],
  timeoutMs: 240_000,
};

const measurement: ScriptMeasurement = {
  end: "failed",
  durationMs: 815.25,
  cpuMs: 640,
  memoryBytes: 132_000_000,
  runtime: "2025.04",
  isolation: "A2",
  steps: [
    { title: "shop", category: "test", depth: 0, startMs: 0, durationMs: 800, error: "boom" },
    { title: "Log in", category: "step", depth: 1, startMs: 3, durationMs: 20, error: null },
  ],
  errors: [
    { message: "boom", stack: "at login.spec.ts:3", file: "login.spec.ts", line: 3, column: 1 },
  ],
  logs: [{ atMs: 12.4, level: "warn", text: "slow é" }],
  connections: [{ host: "api.example.com", port: 443, count: 2, denial: null }],
  pages: [
    {
      url: "https://shop.example.com/",
      startMs: 10,
      status: 200,
      vitals: { ttfbMs: 84.2, fcpMs: 310, lcpMs: null, cls: 0.0012 },
      consoleErrors: ["The cart is empty."],
      pageErrors: [],
      requestErrors: [],
    },
  ],
  isCut: false,
};

const run = (one: ScriptMeasurement) => ({
  request,
  startedAtMs: 1_700_000_000_000,
  outcome: { kind: "measured" as const, measurement: one },
});

const text = (length: number) => "é".repeat(length);
const list = <Item>(length: number, item: Item) => Array.from({ length }, () => item);

/** Every list and text has its largest size. */
const largest: ScriptMeasurement = {
  ...measurement,
  steps: list(scriptLimits.steps, {
    title: text(scriptLimits.titleLength),
    category: "expect",
    depth: scriptLimits.depth,
    startMs: 1,
    durationMs: 1,
    error: text(scriptLimits.stepErrorLength),
  }),
  errors: list(scriptLimits.errors, {
    message: text(scriptLimits.errorLength),
    stack: text(scriptLimits.stackLength),
    file: text(scriptLimits.pathLength),
    line: 1,
    column: 1,
  }),
  logs: list(scriptLimits.logs, {
    atMs: 1,
    level: "info",
    text: text(Math.floor(scriptLimits.logsLength / scriptLimits.logs)),
  }),
  connections: list(scriptLimits.connections, {
    host: text(scriptLimits.hostLength),
    port: 65_535,
    count: 1,
    denial: text(scriptLimits.denialLength),
  }),
};

test("a run survives storage, up to the largest one", () => {
  for (const one of [measurement, largest]) {
    assert.ok(isScriptMeasurement(one));
    const { startedAtMs } = run(one);
    assert.deepEqual(decode(encode(run(one)), { startedAtMs, trouble: null }), run(one));
  }
  assert.ok(encode(run(measurement)).length < 500);
});

test("statistics read the duration without decoding the rest", () => {
  const bytes = encode(run(measurement)).subarray(0, figureBytes);
  const seen: number[] = [];
  const visitor = {
    counter: () => assert.fail(),
    part: () => assert.fail(),
    sample: (value: number) => seen.push(value),
  };
  readFigures(new DataView(bytes.buffer, bytes.byteOffset), 0, bytes.length, visitor);
  assert.deepEqual(seen, listFigures(measurement).samples);
  const lost = { kind: "interrupted" as const, message: "The runner died." };
  const empty = encode({ ...run(measurement), outcome: lost });
  readFigures(new DataView(empty.buffer, empty.byteOffset), 0, empty.length, visitor);
  assert.equal(seen.length, 1);
});

test("measurements beyond the limits are rejected", () => {
  const [step = assert.fail()] = measurement.steps;
  const [error = assert.fail()] = measurement.errors;
  const [log = assert.fail()] = measurement.logs;
  const [connection = assert.fail()] = measurement.connections;
  for (const change of [
    { end: "won" },
    { durationMs: -1 },
    { durationMs: Number.NaN },
    { memoryBytes: "1" },
    { more: 1 },
    { steps: list(scriptLimits.steps + 1, step) },
    { steps: [{ ...step, title: text(scriptLimits.titleLength + 1) }] },
    { steps: [{ ...step, depth: scriptLimits.depth + 1 }] },
    { steps: [{ ...step, category: "other" }] },
    { steps: [{ ...step, html: "<b>" }] },
    { errors: list(scriptLimits.errors + 1, error) },
    { errors: [{ ...error, line: 1.5 }] },
    { logs: list(scriptLimits.logs + 1, log) },
    { logs: list(7, { ...log, text: text(scriptLimits.logLength) }) },
    { connections: [{ ...connection, port: 65_536 }] },
    { isCut: "no" },
  ]) {
    const label = JSON.stringify(change).slice(0, 80);
    assert.equal(isScriptMeasurement({ ...measurement, ...change }), false, label);
  }
});

test("hidden values are masked in every text of a measurement", () => {
  const secret = "s3cret-token";
  const mark = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mark);
    if (typeof value !== "object" || value === null) {
      return typeof value === "string" ? `${value} ${secret}` : value;
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mark(one)]));
  };
  const { steps, errors, logs, connections } = measurement;
  const marked = mark({ steps, errors, logs, connections }) as ScriptMeasurement;
  const [step = assert.fail()] = steps;
  const leaking = { ...measurement, ...marked, steps: [{ ...step, title: secret, error: secret }] };
  const logged = { ...leaking, logs: [{ atMs: 0, level: "info" as const, text: secret }] };
  const masked = texts.mapMeasurement(logged, createHider([secret]));
  assert.ok(!JSON.stringify(masked).includes(secret));
  assert.deepEqual(
    texts.mapRequest(request, () => "changed"),
    request,
  );
});

test("the document has the fields that existing clients read, for every outcome", () => {
  const schema = createDocumentSchema("a multi-step check");
  const document = buildDocument(run(measurement));
  assert.ok(Value.Check(schema, document));
  assert.deepEqual(document.jobLog, [{ time: 1_700_000_000_012, level: "WARN", msg: "slow é" }]);
  assert.equal(document.runtimeVersion, "2025.04");
  assert.equal(document.endTime - document.startTime, 815);
  assert.deepEqual(document.errors, measurement.errors);
  const outcome = { kind: "cannot-check" as const, message: "The runtime is not installed." };
  const lost = buildDocument({ ...run(measurement), outcome });
  assert.ok(Value.Check(schema, lost));
  assert.deepEqual([lost.end, lost.error], [null, outcome]);
});
