import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../../../contract/result.ts";
import type { Assertion } from "../../kit/assertions/assertion.ts";
import { explainVerdict, judgeRun } from "../../kit/verdict.ts";
import { tcp } from "./index.ts";
import type { TcpMeasurement, TcpTrouble } from "./measurement.ts";
import { type TcpSettings, toRequest } from "./request.ts";

const settings: TcpSettings = {
  shouldFail: false,
  degradedResponseTime: 3_000,
  maxResponseTime: 5_000,
  request: { hostname: "a.example", port: 5432, ipFamily: "IPv4", data: null, assertions: [] },
};
const measured: TcpMeasurement = {
  resolvedIp: "192.0.2.1",
  dnsMs: 1,
  connectMs: 10,
  firstByteMs: null,
  dataMs: null,
  sentBytes: 0,
  receivedBytes: 0,
  text: "",
  isCut: false,
  answer: "not-awaited",
};
const pong: TcpMeasurement = {
  ...measured,
  firstByteMs: 2,
  dataMs: 4,
  receivedBytes: 7,
  text: "+PONG\r\n",
  answer: "received",
};

function judge(outcome: Outcome<TcpMeasurement>, changed: Partial<TcpSettings> = {}) {
  const whole = { ...settings, ...changed };
  const run = { request: toRequest(whole), startedAtMs: 0, outcome };
  const { verdict, isNetworkError, reasons } = judgeRun(tcp, whole, run);
  return { verdict, isNetworkError, said: explainVerdict(tcp, reasons) };
}
const of = (measurement: TcpMeasurement) => ({ kind: "measured", measurement }) as const;
const passing = {
  verdict: "passing",
  isNetworkError: false,
  said: "Everything was within its limits.",
};

test("a connection within its limits passes", () => {
  assert.deepEqual(judge(of(measured)), passing);
  assert.deepEqual(judge(of(pong)), passing);
});

test("the response time covers name resolution to the last byte", () => {
  const slow = judge(of({ ...pong, dnsMs: 1_000, connectMs: 1_000, dataMs: 1_001 }));
  assert.deepEqual(slow, {
    verdict: "degraded",
    isNetworkError: false,
    said: "The response time took 3.001 s, above the limit of 3 s.",
  });
  assert.equal(judge(of({ ...measured, connectMs: 6_000 })).verdict, "failing");
  const unlimited = { degradedResponseTime: null, maxResponseTime: null };
  assert.deepEqual(judge(of({ ...measured, connectMs: 6_000 }), unlimited), passing);
});

test("every failure has a reason that names it", () => {
  const table: readonly (readonly [TcpTrouble["kind"], boolean, RegExp])[] = [
    ["unresolved", true, /^The name could not be resolved \(ECODE\): Why\.$/],
    ["denied", false, /^The probe may not connect to it: Why\.$/],
    ["refused", true, /^The connection failed \(ECODE\): Why\.$/],
    ["unreachable", true, /^The connection failed/],
    ["timed-out", true, /^The connection failed/],
    ["reset", true, /^The connection failed/],
    ["failed", true, /^The connection failed/],
  ];
  for (const [kind, isNetworkError, said] of table) {
    const trouble = { kind, code: "ECODE", message: "Why." };
    const found = judge({ kind: "unreachable", trouble });
    assert.equal(found.verdict, "failing", kind);
    assert.equal(found.isNetworkError, isNetworkError, kind);
    assert.match(found.said, said, kind);
  }
});

test("a missing response fails the run regardless of its assertions", () => {
  const ends = {
    "timed-out": /no response within 5000 ms/,
    closed: /closed it without sending data/,
    reset: /reset it without sending data/,
  } as const;
  for (const [answer, said] of Object.entries(ends)) {
    const found = judge(of({ ...measured, answer: answer as keyof typeof ends }));
    assert.deepEqual([found.verdict, found.isNetworkError], ["failing", true]);
    assert.match(found.said, said);
  }
});

test("assertions cover the response time and the received text", () => {
  const table: readonly (readonly [Partial<Assertion>, TcpMeasurement, boolean])[] = [
    [{ source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "16" }, pong, true],
    [{ source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "15" }, pong, false],
    [{ source: "RESPONSE_TIME", comparison: "GREATER_THAN", target: "14" }, pong, true],
    [{ source: "RESPONSE_TIME", comparison: "EQUALS", target: "15" }, pong, true],
    [{ source: "RESPONSE_TIME", comparison: "NOT_EQUALS", target: "15" }, pong, false],
    [{ comparison: "EQUALS", target: "+PONG\r\n" }, pong, true],
    [{ comparison: "EQUALS", target: "+PONG" }, pong, false],
    [{ comparison: "NOT_EQUALS", target: "+PONG" }, pong, true],
    [{ comparison: "CONTAINS", target: "PONG" }, pong, true],
    [{ comparison: "NOT_CONTAINS", target: "PONG" }, pong, false],
    [{ comparison: "NOT_EMPTY" }, pong, true],
    [{ comparison: "IS_EMPTY" }, pong, false],
    [{ comparison: "IS_EMPTY" }, { ...measured, answer: "silent" }, true],
    [{ comparison: "GREATER_THAN", target: "5" }, { ...pong, text: "7\n" }, true],
    [{ comparison: "LESS_THAN", target: "5" }, { ...pong, text: "7\n" }, false],
    [{ comparison: "LESS_THAN", target: "5" }, { ...pong, text: "seven" }, false],
  ];
  for (const [claim, measurement, holds] of table) {
    const whole = { source: "RESPONSE_DATA", property: "", comparison: "EQUALS", target: "" };
    const assertion = { ...whole, ...claim } as Assertion;
    const request = { ...settings.request, assertions: [assertion] };
    assert.deepEqual(tcp.findFaults({ ...settings, request }), [], JSON.stringify(claim));
    const { verdict } = judge(of(measurement), { request });
    assert.equal(verdict, holds ? "passing" : "failing", JSON.stringify(claim));
  }
});

test("cross-field errors are reported with the path of the field", () => {
  const faultsOf = (changed: Partial<TcpSettings["request"]>) =>
    tcp.findFaults({ ...settings, request: { ...settings.request, ...changed } });
  const claim = { source: "RESPONSE_TIME", property: "", comparison: "CONTAINS", target: "1" };
  assert.deepEqual(faultsOf({}), []);
  assert.equal(faultsOf({ hostname: "a b" })[0]?.key, "request.hostname");
  assert.equal(faultsOf({ hostname: "::1" })[0]?.key, "request.ipFamily");
  const assertions = [claim as Assertion];
  assert.equal(faultsOf({ assertions })[0]?.key, "request.assertions.0.comparison");
  const withProperty = [{ ...claim, comparison: "EQUALS", property: "x" } as Assertion];
  assert.equal(faultsOf({ assertions: withProperty })[0]?.key, "request.assertions.0.property");
});

test("a probe waits for a response only if one is needed", () => {
  const awaitedOf = (changed: Partial<TcpSettings["request"]>) =>
    toRequest({ ...settings, request: { ...settings.request, ...changed } }).answer;
  const claim = { source: "RESPONSE_DATA", property: "", target: "" };
  assert.equal(awaitedOf({}), "none");
  assert.equal(awaitedOf({ data: "" }), "none");
  assert.equal(awaitedOf({ data: "PING" }), "wanted");
  assert.equal(awaitedOf({ assertions: [{ ...claim, comparison: "NOT_EMPTY" }] }), "wanted");
  assert.equal(
    awaitedOf({ data: "PING", assertions: [{ ...claim, comparison: "IS_EMPTY" }] }),
    "silence",
  );
});
