import assert from "node:assert/strict";
import { test } from "node:test";
import { allKinds } from "../../../kinds/index.ts";
import { KnownError } from "../../../platform/errors.ts";
import { listMetrics, parseMetrics } from "./metrics.ts";

const aggregations = ["avg", "max", "median", "min", "p50", "p90", "p95", "p99", "stddev", "sum"];

const metrics = listMetrics({
  parts: [
    {
      name: "loss",
      metric: "packetLoss",
      unit: "percentage",
      label: "Packet loss",
      average: ([sent = 0, lost = 0]) => (sent === 0 ? null : (100 * lost) / sent),
    },
    { name: "dns", metric: "dns", unit: "milliseconds", label: "Name resolution time" },
  ],
  samples: { metric: "responseTime", noun: "response time", label: "Response time" },
});

test("a part has its average under its name, and every aggregation with a suffix", () => {
  for (const name of ["packetLoss", "dns", "responseTime"]) {
    assert.equal(metrics.get(name)?.aggregation, "avg", name);
    for (const aggregation of aggregations) {
      assert.equal(metrics.get(`${name}_${aggregation}`)?.aggregation, aggregation);
    }
  }
  assert.deepEqual([...metrics.keys()].slice(0, 3), ["availability", "retries", "responseTime"]);
  assert.equal(metrics.size, 2 + 3 * 11);
  assert.equal(metrics.get("dns_p95")?.label, "Name resolution time, 95th percentile");
});

test("units are those of the parts, and only samples need the samples", () => {
  assert.equal(metrics.get("packetLoss_max")?.unit, "percentage");
  assert.equal(metrics.get("dns")?.unit, "milliseconds");
  assert.deepEqual(
    [metrics.get("availability")?.unit, metrics.get("retries")?.unit],
    [...["percentage", "count"]],
  );
  const reading = [...metrics.values()].filter(({ readsSamples }) => readsSamples);
  assert.ok(reading.every(({ name }) => name.startsWith("responseTime")));
  assert.equal(reading.length, 11);
});

test("an exact average comes from the counters, and other aggregations from the sketch", () => {
  const rollup = { counters: [10, 1], parts: [null, null] } as never;
  assert.equal(metrics.get("packetLoss")?.compute(rollup), 10);
  assert.equal(metrics.get("packetLoss_avg")?.compute(rollup), 10);
  assert.equal(metrics.get("packetLoss_max")?.compute(rollup), null);
  const empty = { counters: [0, 0], parts: [null, null] } as never;
  assert.equal(metrics.get("packetLoss")?.compute(empty), null);
});

test("a kind whose runs have several samples offers no metric of them", () => {
  const several = listMetrics({
    parts: [],
    samples: { metric: "latency", noun: "round trip", label: null },
  });
  assert.deepEqual([...several.keys()], ["availability", "retries"]);
});

test("no kind has two metrics of the same name", () => {
  for (const kind of allKinds) {
    const shown = kind.samples.label === null ? 0 : 1;
    const expected = 2 + 11 * (kind.parts.length + shown);
    assert.equal(listMetrics(kind).size, expected, kind.type);
  }
});

test("metrics are named in a list, repeated or both, and each counts once", () => {
  const read = (...texts: readonly string[]) =>
    parseMetrics(texts, metrics).map(({ name }) => name);
  assert.deepEqual(read("dns,availability"), ["dns", "availability"]);
  assert.deepEqual(read(" dns , dns_p95", "dns"), ["dns", "dns_p95"]);
  for (const text of ["", "dns,", "DNS", "dns_p96", "constructor"]) {
    assert.throws(
      () => read(text),
      (error) => error instanceof KnownError && /^metrics must be one of /.test(error.message),
      text,
    );
  }
});
