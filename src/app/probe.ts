import type { Config } from "../config.ts";
import type { Order } from "../contract/order.ts";
import type { Outcome } from "../contract/result.ts";
import { builtInProbeId, startBuiltInProbe } from "../domains/locations/index.ts";
import { subjects } from "../domains/runs/index.ts";
import {
  createNameResolver,
  type IcmpEngine,
  startIcmpEngine,
} from "../kinds/icmp/prober/index.ts";
import { probeIcmp } from "../kinds/icmp/prober/prober.ts";
import { parseHostname } from "../kinds/network/hostname.ts";
import type { Loop } from "../platform/loop.ts";
import { doubtOutcome, watchAnchors } from "../probe/anchors.ts";
import { startProbeWorker } from "../probe/worker.ts";
import type { AppContext } from "./foundation.ts";
import { version } from "./version.ts";

function isReached(outcome: Outcome): boolean {
  return outcome.kind === "measured" && outcome.statistics.packetsReceived > 0;
}

/** Nobody waits for it and nobody records it: it only asks whether a host answers. */
function createAnchorOrder(hostname: string): Order {
  const parsed = parseHostname(hostname);
  const ipFamily = parsed.kind === "address" ? parsed.family : "IPv4";
  const request = { hostname, ipFamily, pingCount: 2 };
  const nobody = { runId: "", checkId: "", location: "", attempt: 1 };
  return { ...nobody, kind: "ICMP", dueAtMs: 0, startAtMs: 0, deadlineAtMs: 0, request };
}

/** Families that cannot be checked, and why; one reason may hold for both. */
function listLimitations(modes: IcmpEngine["modes"]): readonly string[] {
  const missing = Object.values(modes).filter(({ mode }) => mode === "none");
  return [...new Set(missing.map(({ reason }) => reason))];
}

export interface BuiltInProbe {
  readonly loops: readonly Loop[];
  /** Why no check at all can run here, and what to type; empty when some can. */
  readonly warnings: readonly string[];
}

/** The server as its own probe: the engine, the worker that feeds it, the hello to locations. */
export async function startProbe(config: Config, context: AppContext): Promise<BuiltInProbe> {
  const { bus, log, clock } = context;
  const location = config.PROBE_LOCATION;
  const engine = await startIcmpEngine({ log: (line) => log.info({ line }, "icmp") });
  const tools = { engine, resolver: createNameResolver() };
  const anchors = await watchAnchors({
    hosts: config.PROBE_ANCHORS ?? [],
    log,
    isReachable: async (host) => isReached(await probeIcmp(createAnchorOrder(host), tools)),
  });
  const worker = startProbeWorker({
    bus,
    log,
    probeId: builtInProbeId(location),
    probers: {
      ICMP: async (order) => doubtOutcome(await probeIcmp(order, tools), anchors.areLost()),
    },
    orderSubject: subjects.orders,
    resultSubject: subjects.results,
    nowMs: () => clock.now().getTime(),
  });
  const hello = await startBuiltInProbe({
    context,
    log,
    location,
    version,
    ipv4Sources: config.PROBE_IPV4,
    ipv6Sources: config.PROBE_IPV6,
    isSuspect: anchors.areLost,
    listLimitations: () => listLimitations(engine.modes),
  });
  const runs = {
    stop: async () => {
      await worker.drain(config.DRAIN_SECONDS * 1_000);
      // This ends the runs that took too long, and the worker still reports how.
      await engine.close();
      await worker.stop();
    },
  };
  const loops = [runs, anchors.loop, hello];
  const canCheck = Object.values(engine.modes).some(({ mode }) => mode !== "none");
  return { loops, warnings: canCheck ? [] : listLimitations(engine.modes) };
}
