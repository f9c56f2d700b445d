import assert from "node:assert/strict";
import { test } from "node:test";
import { createReach, type Reach } from "../../../../platform/net/reach.ts";
import type { IcmpRequest } from "../request.ts";
import type { EchoPacket, EchoRun, IcmpEngine, Resolution } from "./index.ts";
import { probeIcmp } from "./prober.ts";

const request: IcmpRequest = { hostname: "example.org", ipFamily: "IPv4", pingCount: 1 };
const resolved: Resolution = { address: "192.0.2.1", durationMs: 7 };
const unsent: EchoPacket = {
  sequence: 0,
  sent: false,
  sentAt: 0,
  rttMs: null,
  ttl: null,
  type: null,
  code: null,
  duplicates: 0,
  lateReplies: 0,
  error: { code: "ENETUNREACH", message: "There is no route to the network." },
};

/** An engine and a resolver with fixed results. */
function probe(resolution: Resolution, run: EchoRun, reach: Reach | null = null) {
  const engine: IcmpEngine = {
    modes: { IPv4: { mode: "raw", reason: "" }, IPv6: { mode: "raw", reason: "" } },
    run: async () => run,
    counters: () => assert.fail("nobody counts"),
    close: async () => {},
  };
  return probeIcmp(request, { engine, resolver: { resolve: async () => resolution }, reach });
}

test("an unresolved name is a failure of the target", async () => {
  const error = { code: "ENOTFOUND", message: "The host name does not exist." };
  assert.deepEqual(await probe({ error, durationMs: 7 }, { kind: "interrupted", reason: "" }), {
    kind: "unreachable",
    trouble: { kind: "unresolved", ...error, resolvedIp: null, dnsMs: 7 },
  });
});

test("a name that was never queried is an overload of the probe", async () => {
  const error = { code: "EBUSY", message: "Too many names are waiting." };
  const outcome = await probe({ error, durationMs: 0 }, { kind: "interrupted", reason: "" });
  assert.deepEqual(outcome, { kind: "overloaded", message: error.message });
});

test("a denied address is reported, and no packet is sent", async () => {
  const reach = createReach({ allow: [], deny: ["192.0.2.0/24"] });
  const outcome = await probe(resolved, { kind: "interrupted", reason: "it ran" }, reach);
  assert.deepEqual(outcome, {
    kind: "unreachable",
    trouble: {
      kind: "denied",
      code: "EDENIED",
      message: "The address 192.0.2.1 is denied by PROBE_DENY of this probe.",
      resolvedIp: "192.0.2.1",
      dnsMs: 7,
    },
  });
});

test("engine errors are never reported as packet loss", async () => {
  for (const [kind, expected] of [
    ["cannot-check", "cannot-check"],
    ["local-overload", "overloaded"],
    ["overloaded", "overloaded"],
    ["interrupted", "interrupted"],
  ] as const) {
    const outcome = await probe(resolved, { kind, reason: "because" });
    assert.deepEqual(outcome, { kind: expected, message: "because" });
  }
});

test("a run that sent nothing is unsendable and has the first packet's error", async () => {
  const run: EchoRun = {
    kind: "measured",
    mode: "raw",
    payloadBytes: 56,
    repeats: 0,
    packets: [unsent],
    statistics: {
      packetsSent: 0,
      packetsReceived: 0,
      packetLossPercent: 0,
      latency: null,
      jitterMs: null,
      longestLossBurst: 0,
      duplicates: 0,
      reordered: 0,
      lateReplies: 0,
    },
  };
  assert.deepEqual(await probe(resolved, run), {
    kind: "unreachable",
    trouble: {
      kind: "unsendable",
      code: "ENETUNREACH",
      message: "There is no route to the network.",
      resolvedIp: "192.0.2.1",
      dnsMs: 7,
    },
  });
});
