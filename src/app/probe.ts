import type { Config } from "../config.ts";
import { builtInProbeId, startBuiltInProbe } from "../domains/locations/index.ts";
import { subjects } from "../domains/runs/index.ts";
import type { Loop } from "../platform/loop.ts";
import { createNameResolver, startIcmpEngine } from "../probe/icmp/index.ts";
import { probeIcmp } from "../probe/icmp-prober.ts";
import { startProbeWorker } from "../probe/worker.ts";
import type { AppContext } from "./foundation.ts";
import { version } from "./version.ts";

/** The server as its own probe: the engine, the worker that feeds it, the hello to locations. */
export async function startProbe(config: Config, context: AppContext): Promise<readonly Loop[]> {
  const { bus, log, clock } = context;
  const location = config.PROBE_LOCATION;
  const engine = await startIcmpEngine({ log: (line) => log.info({ line }, "icmp") });
  const tools = { engine, resolver: createNameResolver() };
  const worker = startProbeWorker({
    bus,
    log,
    probeId: builtInProbeId(location),
    probers: { ICMP: (order) => probeIcmp(order, tools) },
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
  });
  // The engine closes first: that ends the open runs, and the worker still reports how.
  return [worker, { stop: () => engine.close() }, hello];
}
