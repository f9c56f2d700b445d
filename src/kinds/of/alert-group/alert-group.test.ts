/** Tests what becomes of a notification of another monitor: storage, verdict and sentence. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Signal, SignalAlert } from "../../kit/signals.ts";
import { explainVerdict } from "../../kit/verdict.ts";
import { alertGroup } from "./index.ts";
import type { AlertGroupRun } from "./measurement.ts";

const alert = (instance: string, more: Partial<SignalAlert> = {}): SignalAlert => ({
  status: "firing",
  labels: { alertname: "HighLatency", instance, severity: "critical" },
  annotations: { summary: "p99 is 3 s" },
  startsAt: "2026-11-16T08:00:00.000Z",
  generatorUrl: "https://prometheus.example.com/graph",
  ...more,
});

const signal = (more: Partial<Signal> = {}): Signal => ({
  status: "firing",
  severity: "critical",
  isUrgent: true,
  receiver: "vedette",
  externalUrl: null,
  firingCount: 1,
  resolvedCount: 0,
  alerts: [alert("web-1")],
  ...more,
});

const run = (measurement: Signal, groupKey = "{}:{}"): AlertGroupRun => ({
  request: { groupKey },
  startedAtMs: 0,
  outcome: { kind: "measured", measurement },
});

function judge(measurement: Signal) {
  const { verdict, reasons } = alertGroup.judge({} as never, run(measurement));
  return [verdict, explainVerdict(alertGroup, reasons)];
}

test("a firing group fails or is degraded, and says what fires where", () => {
  assert.deepEqual(judge(signal()), [
    "failing",
    "1 alert is firing with severity critical: HighLatency (instance=web-1): p99 is 3 s " +
      "(https://prometheus.example.com/graph).",
  ]);
  const many = signal({
    severity: "",
    isUrgent: false,
    firingCount: 5,
    alerts: ["a", "b", "c", "d"].map((name) =>
      alert(name, { annotations: {}, generatorUrl: null }),
    ),
  });
  assert.deepEqual(judge(many), [
    "degraded",
    "5 alerts are firing: HighLatency (instance=a); HighLatency (instance=b); " +
      "HighLatency (instance=c); and 2 more.",
  ]);
});

test("a resolved group passes, and resolved alerts are not described", () => {
  const done = signal({ status: "resolved", firingCount: 0, resolvedCount: 1 });
  assert.deepEqual(judge(done), ["passing", "Every alert of the group is resolved."]);
  const mixed = signal({ alerts: [alert("old", { status: "resolved" }), alert("new")] });
  assert.match(judge(mixed)[1] ?? "", /instance=new/);
  assert.doesNotMatch(judge(mixed)[1] ?? "", /instance=old/);
});

test("a stored notification is read back as it was, whatever its texts contain", () => {
  const text = fc.string({ unit: "binary", maxLength: 60 }).map((one) => one.toWellFormed());
  const stored = fc.record({ groupKey: text, summary: text, severity: text });
  fc.assert(
    fc.property(stored, ({ groupKey, summary, severity }) => {
      const given = run(
        signal({ severity, alerts: [alert("web-1", { annotations: { summary } })] }),
        groupKey,
      );
      const rest = { startedAtMs: given.startedAtMs, trouble: null };
      assert.deepEqual(alertGroup.decode(alertGroup.encode(given), rest), given);
    }),
  );
});
