import type { Order } from "../../../contract/order.ts";
import type { Measured, Outcome } from "../../../contract/result.ts";
import type { EchoRun, IcmpEngine, MeasuredRun, NameResolver } from "./index.ts";

/** As the API documents it: half a second between packets, and this long for each reply. */
const spacingMs = 500;
export const replyPatienceMs = 3_000;
const payloadBytes = 56;
const headerBytes = 8;

function toMeasured(run: MeasuredRun, resolvedIp: string, dnsMs: number): Measured {
  const { latency, ...statistics } = run.statistics;
  return {
    kind: "measured",
    resolvedIp,
    dnsMs,
    packetSizeBytes: run.payloadBytes + headerBytes,
    packets: run.packets.map((packet) => ({
      sequence: packet.sequence,
      sentAtMs: packet.sent ? packet.sentAt : null,
      rttMs: packet.rttMs,
      ttl: packet.ttl,
      type: packet.type,
      code: packet.code,
    })),
    statistics: {
      ...statistics,
      minMs: latency?.minMs ?? null,
      avgMs: latency?.avgMs ?? null,
      maxMs: latency?.maxMs ?? null,
      stdDevMs: latency?.stdDevMs ?? null,
    },
  };
}

function toOutcome(run: EchoRun, resolvedIp: string, dnsMs: number): Outcome {
  switch (run.kind) {
    case "cannot-check":
      return { kind: "cannot-check", message: run.reason };
    case "local-overload":
    case "overloaded":
      return { kind: "overloaded", message: run.reason };
    case "interrupted":
      return { kind: "interrupted", message: run.reason };
    case "measured": {
      if (run.statistics.packetsSent > 0) return toMeasured(run, resolvedIp, dnsMs);
      const error = run.packets[0]?.error;
      const { code = "UNSENT", message = "No packet could be sent." } = error ?? {};
      return { kind: "unsendable", code, message, resolvedIp, dnsMs };
    }
  }
}

/** Resolves the name, sends the packets, says what was found. It never throws for the target. */
export async function probeIcmp(
  order: Order,
  tools: { readonly engine: IcmpEngine; readonly resolver: NameResolver },
): Promise<Outcome> {
  const { hostname, ipFamily, pingCount } = order.request;
  const resolution = await tools.resolver.resolve(hostname, ipFamily);
  const { durationMs: dnsMs } = resolution;
  if (resolution.error !== undefined) {
    const { code, message } = resolution.error;
    // The name was never asked for: that is this probe's trouble and says nothing of the target.
    if (code === "EBUSY") return { kind: "overloaded", message };
    return { kind: "unresolved", code, message, resolvedIp: null, dnsMs };
  }
  const { address } = resolution;
  const request = { address, family: ipFamily, pingCount, spacingMs, payloadBytes };
  const run = await tools.engine.run({ ...request, timeoutMs: replyPatienceMs });
  return toOutcome(run, address, dnsMs);
}
