import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Outcome, toTrouble } from "../../../contract/result.ts";
import { kinds } from "../../index.ts";
import * as tcpCodec from "../../of/tcp/codec.ts";
import type { TcpMeasurement } from "../../of/tcp/measurement.ts";
import type { Run } from "../definition.ts";
import type { FigureVisitor } from "../figures.ts";
import type { Kind } from "../kind.ts";
import { runFilled } from "../variables/variables.ts";
import { explainVerdict, type Judgement, judgeRun, type Verdict, verdicts } from "../verdict.ts";
import { combineJudgements, combineOutcomes, splitRun } from "./both-families.ts";

const startedAtMs = 1_700_000_000_000;
const limits = { shouldFail: false, degradedResponseTime: null, maxResponseTime: 5_000 };

/** The verdict of a run by those of its families; rows are in the order of `verdicts`. */
const rule: Readonly<Record<Verdict, readonly Verdict[]>> = {
  passing: ["passing", "degraded", "degraded", "unknown"],
  degraded: ["degraded", "degraded", "degraded", "degraded"],
  failing: ["degraded", "degraded", "failing", "degraded"],
  unknown: ["unknown", "degraded", "degraded", "unknown"],
};

const judgementOf = (verdict: Verdict, family: string): Judgement => ({
  verdict,
  isNetworkError: false,
  reasons: [{ name: verdict === "passing" ? "all-within-limits" : `${verdict}-${family}` }],
});

test("the verdict of a run follows from those of its families, in either order", () => {
  for (const one of verdicts) {
    for (const [place, other] of verdicts.entries()) {
      const judgements = { IPv4: judgementOf(one, "IPv4"), IPv6: judgementOf(other, "IPv6") };
      const { verdict, reasons, hasFailedFamily } = combineJudgements(judgements, limits);
      assert.equal(verdict, rule[one][place], `${one} and ${other}`);
      assert.ok(reasons.length > 0);
      const isGap = reasons[0]?.name === "one-family-fails";
      assert.equal(isGap, hasFailedFamily === true);
      const failed = [one, other].filter((verdict) => verdict === "failing").length;
      assert.equal(isGap, failed === 1 && one !== "unknown" && other !== "unknown");
      const reverse = combineJudgements({ IPv4: judgements.IPv6, IPv6: judgements.IPv4 }, limits);
      assert.equal(reverse.verdict, verdict);
      for (const { name, family } of reasons) {
        if (family !== undefined) assert.ok(name.endsWith(family), "a reason names its family");
      }
    }
  }
});

test("a check that expects failures reports the family that works", () => {
  const expecting = { shouldFail: true };
  const combine = (IPv4: Verdict, IPv6: Verdict) =>
    combineJudgements(
      { IPv4: judgementOf(IPv4, "IPv4"), IPv6: judgementOf(IPv6, "IPv6") },
      expecting,
    ).verdict;
  assert.equal(combine("failing", "failing"), "failing");
  assert.equal(combine("failing", "passing"), "degraded");
  assert.equal(combine("failing", "unknown"), "unknown");
  assert.equal(combine("unknown", "passing"), "degraded");
});

test("an address has one family", () => {
  for (const [type, request, ofAddress] of [
    ["ICMP", { hostname: "192.0.2.1" }, "must be IPv4 for the address 192.0.2.1"],
    ["TCP", { hostname: "::1", port: 80 }, "must be IPv6 for the address ::1"],
    ["URL", { url: "http://192.0.2.1/" }, "must be IPv4 for the address 192.0.2.1"],
    [
      "DNS",
      { query: "a.example", recordType: "A", nameServer: "192.0.2.1" },
      "must be null or IPv4 for the address 192.0.2.1",
    ],
  ] as const) {
    const kind: Kind = kinds[type];
    const made = kind.mergeSettings(null, { request: { ...request, ipFamily: "BOTH" } });
    const faults = kind.findFaults({ ...limits, ...made });
    assert.deepEqual(faults, [{ key: "request.ipFamily", rule: ofAddress }]);
  }
});

test("a probe of an older version that ignores the field gives no verdict", () => {
  const kind: Kind = kinds.DNS;
  const asked = { query: "a.example", recordType: "A", ipFamily: "BOTH" };
  const settings = { ...limits, ...kind.mergeSettings(null, { request: asked }) };
  const measurement = {
    ...{ resolvedIp: "192.0.2.1", port: 53, nameServerMs: 0, udpMs: 1, tcpMs: null },
    ...{ queriesSent: 1, ignoredAnswers: 0, responseCode: 0, receivedBytes: 12, isCut: false },
    message: Buffer.alloc(12).toString("base64"),
  };
  assert.ok(kind.isMeasurement(measurement));
  const request = kind.toRequest(settings);
  const old: Run = { request, startedAtMs, outcome: { kind: "measured", measurement } };
  const { verdict, reasons } = judgeRun(kind, settings, old);
  assert.equal(verdict, "unknown");
  assert.match(explainVerdict(kind, reasons), /Over IPv6, there was no measurement: .* Update/);
  const stored = kind.decode(kind.encode(old), { startedAtMs, trouble: null });
  assert.equal(judgeRun(kind, settings, stored).verdict, "unknown");
});

const record = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) =>
  fc.record<Model>(model, { noNullPrototype: true });
const real = fc.integer({ min: 0, max: 60_000 });
const measured = record({
  kind: fc.constant("measured" as const),
  measurement: record<TcpMeasurement>({
    ...{ resolvedIp: fc.oneof(fc.ipV4(), fc.ipV6()), dnsMs: real, connectMs: real },
    ...{ firstByteMs: fc.constant(null), dataMs: fc.option(real), sentBytes: real },
    ...{ receivedBytes: real, text: fc.string(), isCut: fc.boolean() },
    answer: fc.constantFrom("received", "silent", "timed-out"),
  }),
});
const outcomes: fc.Arbitrary<Outcome> = fc.oneof(
  measured,
  record({
    kind: fc.constant("unreachable" as const),
    trouble: record({ kind: fc.string(), code: fc.string(), message: fc.string() }),
  }),
  record({ kind: fc.constant("overloaded" as const), message: fc.string() }),
);
const tcpRequest = { hostname: "both.example", port: 1, data: null, answer: "none" as const };

function listFigures(kind: Pick<Kind, "readFigures">, bytes: Buffer, length = bytes.length) {
  const found: (readonly [string, number, number])[] = [];
  const visitor: FigureVisitor = {
    counter: (place, value) => found.push(["counter", place, value]),
    part: (place, value) => found.push(["part", place, value]),
    sample: (value) => found.push(["sample", 0, value]),
  };
  const padded = Buffer.concat([Buffer.alloc(3), bytes.subarray(0, length)]);
  const view = new DataView(padded.buffer, padded.byteOffset, padded.length);
  kind.readFigures(view, 3, padded.length, visitor);
  return found;
}

test("a run with both families survives storage, with the figures of the slower one", () => {
  const kind: Kind = kinds.TCP;
  fc.assert(
    fc.property(outcomes, outcomes, (IPv4, IPv6) => {
      const request = { ...tcpRequest, ipFamily: "BOTH", timeoutMs: 1_000 };
      const run: Run = { request, startedAtMs, outcome: combineOutcomes({ IPv4, IPv6 }) };
      const bytes = kind.encode(run);
      const stored = kind.decode(bytes, { startedAtMs, trouble: toTrouble(run.outcome) });
      assert.deepEqual(stored, run);
      if (run.outcome.kind !== "measured") return;
      const [slower] = Object.values(splitRun(run))
        .filter((one) => one.outcome.kind === "measured")
        .toSorted((one, other) => responseOf(other) - responseOf(one));
      assert.ok(slower !== undefined);
      const alone = kind.encode(slower);
      assert.deepEqual(listFigures(kind, bytes), listFigures(kind, alone));
      const { figureBytes } = kind;
      assert.deepEqual(
        listFigures(kind, bytes, figureBytes),
        listFigures(kind, alone, figureBytes),
      );
    }),
  );
});

function responseOf({ outcome }: Run): number {
  const measurement = outcome.kind === "measured" ? outcome.measurement : assert.fail();
  return kinds.TCP.figures(measurement).responseMs ?? Number.POSITIVE_INFINITY;
}

test("a run with one family has the same bytes as ever", () => {
  fc.assert(
    fc.property(
      measured,
      fc.constantFrom("IPv4" as const, "IPv6" as const),
      (outcome, ipFamily) => {
        const run = {
          request: { ...tcpRequest, ipFamily, timeoutMs: 1_000 },
          startedAtMs,
          outcome,
        };
        const bytes = kinds.TCP.encode(run);
        assert.deepEqual(bytes, tcpCodec.encode(run));
        assert.deepEqual(kinds.TCP.decode(bytes, { startedAtMs, trouble: null }), run);
        assert.deepEqual(listFigures(kinds.TCP, bytes), listFigures(tcpCodec, bytes));
      },
    ),
  );
});

test("forged outcomes of families are rejected", () => {
  const { isMeasurement } = kinds.TCP as Kind;
  const lost = { kind: "overloaded", message: "busy" };
  for (const families of [
    null,
    {},
    { IPv4: lost },
    { IPv4: lost, IPv6: { kind: "measured", measurement: {} } },
    { IPv4: lost, IPv6: { kind: "unreachable", trouble: { kind: "x" } } },
    { IPv4: lost, IPv6: { kind: "unreachable", trouble: null } },
    { IPv4: lost, IPv6: { ...lost, message: 1 } },
    { IPv4: lost, IPv6: { ...lost, more: "x".repeat(300_000) } },
  ]) {
    assert.equal(isMeasurement({ families }), false, JSON.stringify(families).slice(0, 100));
  }
  assert.equal(isMeasurement({ families: { IPv4: lost, IPv6: lost } }), true);
});

test("hidden values are removed from the outcomes of both families", async () => {
  const order = {
    ...{ runId: "run", checkId: "check", kind: "TCP", location: "home", attempt: 1 },
    ...{ dueAtMs: 0, startAtMs: 0, deadlineAtMs: 1 },
    request: { ...tcpRequest, hostname: "{{HOST}}", ipFamily: "BOTH", timeoutMs: 1_000 },
    variables: [{ name: "HOST", value: "failed-host", isHidden: true }],
  };
  const trouble = { kind: "failed", code: "E", message: "failed-host is unknown" };
  const unreachable: Outcome = { kind: "unreachable", trouble };
  const measurement: TcpMeasurement = {
    ...{ resolvedIp: "192.0.2.1", dnsMs: 1, connectMs: 1, firstByteMs: null, dataMs: null },
    ...{ sentBytes: 0, receivedBytes: 1, isCut: false, answer: "received" },
    text: "I am failed-host",
  };
  for (const IPv6 of [unreachable, { kind: "measured", measurement }] as const) {
    const outcome = combineOutcomes({ IPv4: unreachable, IPv6 });
    const hidden = await runFilled(
      {
        ...{ run: async () => outcome, texts: kinds.TCP.texts, isFlawless: () => true },
        ...{ canRun: () => true, listLimitations: () => [], close: async () => {} },
      },
      order,
    );
    assert.doesNotMatch(JSON.stringify(hidden), /failed-host/);
    const { IPv4 } = splitRun({ request: order.request, startedAtMs, outcome: hidden });
    assert.equal(IPv4.outcome.kind === "unreachable" && IPv4.outcome.trouble.kind, "failed");
  }
});
