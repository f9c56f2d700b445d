import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../../../contract/result.ts";
import type { Assertion } from "../../kit/assertions/assertion.ts";
import { describeReason, judgeRun } from "../../kit/verdict.ts";
import { traceroute } from "./index.ts";
import { findLoop, type Hop, type TracerouteMeasurement } from "./measurement.ts";
import type { TracerouteSettings } from "./request.ts";

const respond = (address: string, ...rttsMs: number[]): Hop => ({
  sent: 3,
  rttsMs,
  addresses: rttsMs.length === 0 ? [] : [{ address, name: null }],
  error: null,
  labels: [],
});

const measured: TracerouteMeasurement = {
  resolvedIp: "192.0.2.9",
  dnsMs: 1,
  mode: "raw",
  end: "destinationReached",
  hops: [respond("10.0.0.1", 1, 1, 1), respond("", ...[]), respond("192.0.2.9", 10, 20, 30)],
  ignoredPackets: 0,
};

function judgeOutcome(
  outcome: Outcome<TracerouteMeasurement>,
  assertions: readonly Assertion[] = [],
  limits: Partial<TracerouteSettings> = {},
) {
  const own = traceroute.mergeSettings(null, { request: { url: "a.test", assertions } });
  const settings = {
    shouldFail: false,
    degradedResponseTime: 3_000,
    maxResponseTime: 5_000,
    ...own,
    ...limits,
  } as TracerouteSettings;
  const run = { request: traceroute.toRequest(settings), startedAtMs: 0, outcome };
  const { verdict, isNetworkError, reasons } = judgeRun(traceroute, settings, run);
  const texts = reasons.map((reason) => describeReason(traceroute, reason));
  return { verdict, isNetworkError, texts };
}

const judge = (
  changed: Partial<TracerouteMeasurement>,
  assertions: readonly Assertion[] = [],
  limits: Partial<TracerouteSettings> = {},
) =>
  judgeOutcome({ kind: "measured", measurement: { ...measured, ...changed } }, assertions, limits);

const assertion = (source: string, property: string, target: string): Assertion => ({
  source,
  property,
  comparison: "LESS_THAN",
  target,
  regex: null,
});

test("a reached target passes, whatever is lost on the way", () => {
  assert.equal(judge({}).verdict, "passing");
});

test("the average round trip to the target is compared with the limits", () => {
  assert.equal(judge({}, [], { degradedResponseTime: 19 }).verdict, "degraded");
  assert.equal(judge({}, [], { maxResponseTime: 19 }).verdict, "failing");
  assert.equal(judge({}, [], { degradedResponseTime: 20, maxResponseTime: 20 }).verdict, "passing");
});

test("assertions read the round trip, the number of hops and the loss at the last hop", () => {
  const cases: readonly (readonly [Assertion, boolean])[] = [
    [assertion("RESPONSE_TIME", "avg", "21"), true],
    [assertion("RESPONSE_TIME", "min", "10"), false],
    [assertion("RESPONSE_TIME", "max", "31"), true],
    [assertion("RESPONSE_TIME", "stdDev", "8"), false],
    [assertion("HOP_COUNT", "", "4"), true],
    [assertion("HOP_COUNT", "", "3"), false],
    [assertion("PACKET_LOSS", "", "1"), true],
  ];
  for (const [one, passes] of cases) {
    assert.equal(judge({}, [one]).verdict, passes ? "passing" : "failing", JSON.stringify(one));
  }
  const lossy = [respond("192.0.2.9", 10)];
  const [text] = judge({ hops: lossy }, [assertion("PACKET_LOSS", "", "50")]).texts;
  assert.match(text ?? "", /packet loss.*66\.667/i);
});

test("a path that ends early fails, and the reason names its last hop", () => {
  const early = [respond("10.0.0.1", 1), respond("10.0.0.2", 1), respond(""), respond("")];
  const { verdict, isNetworkError, texts } = judge({ end: "maxUnknownHops", hops: early });
  assert.deepEqual([verdict, isNetworkError], ["failing", true]);
  assert.deepEqual(texts, [
    "the target was not reached: the path ended after hop 2 (10.0.0.2): no hop beyond it responded",
  ]);
  const texted = (end: TracerouteMeasurement["end"], hops: readonly Hop[]) =>
    judge({ end, hops }).texts[0]?.replace("the target was not reached: ", "");
  const error = { type: 3, code: 13, mtu: null };
  const refused = { ...respond("10.0.0.2", 1), error };
  assert.equal(
    texted("unreachable", [refused]),
    "the path ended at hop 1 (10.0.0.2): prohibited by a filter",
  );
  const tooBig = { ...refused, error: { type: 3, code: 4, mtu: 1_400 } };
  assert.match(texted("packetTooBig", [tooBig]) ?? "", /the next link carries 1400 bytes/);
  assert.equal(texted("maxUnknownHops", [respond("")]), "no hop responded");
  assert.match(texted("timeout", early) ?? "", /timed out after hop 2/);
  assert.match(texted("maxHops", early) ?? "", /further away/);
});

test("a trace over another protocol than TCP passes if the target answers, and is no verdict else", () => {
  assert.equal(judge({ substitute: "ICMP" }).verdict, "passing");
  const { verdict, texts } = judge({ substitute: "ICMP", end: "maxUnknownHops" });
  assert.equal(verdict, "unknown");
  assert.match(texts[0] ?? "", /may not send TCP probes, and the target did not answer ICMP/);
});

test("a loop is described by the hops of its address", () => {
  const addresses = ["a", "b", "c", "b", "c", "b"];
  const hops = addresses.map((address) => respond(address, 1));
  assert.deepEqual(findLoop(hops), { address: "b", hops: [2, 4, 6] });
  const path = ["a", "b", "a", "b", "c", "b"].map((address) => respond(address, 1));
  assert.deepEqual(findLoop(path), { address: "b", hops: [2, 4, 6] }, "the longest of two loops");
  assert.equal(findLoop([respond("a", 1), respond("a", 1), respond("b", 1)]), null);
  const [text] = judge({ end: "loop", hops }).texts;
  assert.match(text ?? "", /the path is a loop: b is hop 2, 4, 6/);
});

test("every trouble has a reason, and a denied address is not retried", () => {
  const expected = {
    unresolved: ["name could not be resolved", true],
    denied: ["may not connect", false],
    unreachable: ["no packet could be sent", true],
    unsendable: ["no packet could be sent", true],
    other: ["no packet could be sent", true],
  } as const;
  for (const [kind, [text, isRetried]] of Object.entries(expected)) {
    const trouble = { kind, code: "E", message: "Why." };
    const judged = judgeOutcome({ kind: "unreachable", trouble });
    assert.deepEqual([judged.verdict, judged.isNetworkError], ["failing", isRetried]);
    assert.ok(judged.texts[0]?.includes(text), judged.texts.join());
  }
});
