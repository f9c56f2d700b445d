import { setTimeout as wait } from "node:timers/promises";
import type { Order } from "../../../../contract/order.ts";
import type { Measured, OnStep, Outcome } from "../../../../contract/result.ts";
import { parseHostname } from "../../../../platform/net/host.ts";
import type { Reach } from "../../../../platform/net/reach.ts";
import type { NameResolver } from "../../../../platform/net/resolve.ts";
import type { Prober, ProberTools } from "../../../kit/prober.ts";
import { noTexts } from "../../../kit/secrets.ts";
import type { IcmpMeasurement, IcmpTrouble } from "../measurement.ts";
import { type IcmpRequest, isIcmpRequest, replyMs, spacingMs } from "../request.ts";
import {
  buildMeasuredRun,
  type EchoPacket,
  type EchoRequest,
  type EchoRun,
  type MeasuredRun,
} from "./echo-run.ts";
import type { IcmpEngine } from "./engine.ts";
import { startIcmpEngine } from "./index.ts";

/**
 * Sends each packet in a separate engine run, so that the result of a packet can be reported as
 * soon as it arrives. The engine itself reports only complete runs.
 */
async function runOneByOne(
  engine: Pick<IcmpEngine, "run">,
  request: EchoRequest,
  onStep: OnStep,
): Promise<EchoRun> {
  const { pingCount, spacingMs } = request;
  const runs = await Promise.all(
    Array.from({ length: pingCount }, async (_, sequence) => {
      if (sequence > 0) await wait(sequence * spacingMs);
      const run = await engine.run({ ...request, pingCount: 1 });
      if (run.kind === "measured") for (const packet of run.packets) reportPacket(packet, sequence);
      return run;
    }),
  );
  function reportPacket({ rttMs, ttl, error }: EchoPacket, sequence: number): void {
    onStep({ step: "packet", sequence, rttMs, ttl, lost: error?.message ?? null });
  }
  const troubled = runs.find(({ kind }) => kind !== "measured");
  if (troubled !== undefined) return troubled;
  return join(runs as readonly MeasuredRun[]);
}

function join(runs: readonly MeasuredRun[]): MeasuredRun {
  const packets = runs.flatMap((run, sequence) =>
    run.packets.map((packet) => ({ ...packet, sequence })),
  );
  const mode = runs[0]?.mode ?? "none";
  const payloadBytes = runs[0]?.payloadBytes ?? 0;
  return buildMeasuredRun(packets, {
    mode,
    payloadBytes,
    repeats: runs.reduce((sum, { repeats }) => sum + repeats, 0),
  });
}

const payloadBytes = 56;
const headerBytes = 8;
/** Number of packets that is enough to check whether a reference host replies. */
const anchorPings = 2;

function toMeasured(
  run: MeasuredRun,
  resolvedIp: string,
  dnsMs: number,
): Measured<IcmpMeasurement> {
  const { latency, ...statistics } = run.statistics;
  const measurement = {
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
  return { kind: "measured", measurement };
}

function toUnreachable(trouble: IcmpTrouble): Outcome<IcmpMeasurement> {
  return { kind: "unreachable", trouble };
}

function toOutcome(run: EchoRun, resolvedIp: string, dnsMs: number): Outcome<IcmpMeasurement> {
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
      return toUnreachable({ kind: "unsendable", code, message, resolvedIp, dnsMs });
    }
  }
}

/** Resolves the name and sends the packets. Never throws for network errors. */
export async function probeIcmp(
  { hostname, ipFamily, pingCount }: IcmpRequest,
  tools: {
    readonly engine: Pick<IcmpEngine, "run">;
    readonly resolver: NameResolver;
    /**
     * Address guard; `null` to allow every address. The reference hosts, which show whether the
     * probe's network works, are pinged without a guard.
     */
    readonly reach: Reach | null;
    readonly onStep?: OnStep | undefined;
  },
): Promise<Outcome<IcmpMeasurement>> {
  const resolution = await tools.resolver.resolve(hostname, ipFamily);
  const { durationMs: dnsMs } = resolution;
  if (resolution.error !== undefined) {
    const { code, message } = resolution.error;
    // An overloaded probe did not query the name, so nothing is known about the target.
    if (code === "EBUSY") return { kind: "overloaded", message };
    return toUnreachable({ kind: "unresolved", code, message, resolvedIp: null, dnsMs });
  }
  const { address } = resolution;
  tools.onStep?.({ step: "resolved", host: hostname, address, durationMs: dnsMs });
  const denial = tools.reach?.findDenial(address, null) ?? null;
  if (denial !== null) {
    const trouble = { kind: "denied", code: "EDENIED", message: denial } as const;
    return toUnreachable({ ...trouble, resolvedIp: address, dnsMs });
  }
  const request = { address, family: ipFamily, pingCount, spacingMs, payloadBytes };
  const echo = { ...request, timeoutMs: replyMs };
  const run = await (tools.onStep
    ? runOneByOne(tools.engine, echo, tools.onStep)
    : tools.engine.run(echo));
  return toOutcome(run, address, dnsMs);
}

/** Lists why IP families cannot be checked. A reason common to IPv4 and IPv6 appears once. */
function listLimitations(modes: IcmpEngine["modes"]): readonly string[] {
  const missing = Object.values(modes).filter(({ mode }) => mode === "none");
  return [...new Set(missing.map(({ reason }) => reason))];
}

function createAnchorRequest(hostname: string): IcmpRequest {
  const parsed = parseHostname(hostname);
  const ipFamily = parsed.kind === "address" ? parsed.family : "IPv4";
  return { hostname, ipFamily, pingCount: anchorPings };
}

export async function startIcmpProber(tools: ProberTools): Promise<Prober> {
  return createIcmpProber(await startIcmpEngine({ log: tools.log }), tools);
}

/** Creates a prober. Closing the prober also closes the engine. */
export function createIcmpProber(engine: IcmpEngine, { resolver, reach }: ProberTools): Prober {
  const tools = { engine, resolver, reach };
  return {
    run: async ({ request }: Order, onStep?: OnStep) => {
      if (isIcmpRequest(request)) return probeIcmp(request, { ...tools, onStep });
      return {
        kind: "cannot-check",
        message: "This probe does not support the request. Update the probe.",
      };
    },
    texts: noTexts,
    isFlawless: (measurement) =>
      (measurement as IcmpMeasurement).statistics.packetLossPercent === 0,
    isReachable: async (host) => {
      const outcome = await probeIcmp(createAnchorRequest(host), { ...tools, reach: null });
      return outcome.kind === "measured" && outcome.measurement.statistics.packetsReceived > 0;
    },
    canRun: () => Object.values(engine.modes).some(({ mode }) => mode !== "none"),
    listLimitations: () => listLimitations(engine.modes),
    close: () => engine.close(),
  };
}
