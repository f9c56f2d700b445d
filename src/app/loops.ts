import type { Config } from "../config.ts";
import { type AccountsContext, startAccountLoops } from "../domains/accounts/index.ts";
import { startBuiltInProbe } from "../domains/locations/index.ts";
import type { Log } from "../platform/log.ts";
import { type Loop, startLoop } from "../platform/loop.ts";
import type { Metrics } from "../platform/metrics.ts";
import { version } from "./version.ts";

export interface LoopWorld {
  readonly context: AccountsContext;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly checkReady: () => Promise<void>;
}

/** One line per background loop. */
export async function startLoops(config: Config, world: LoopWorld): Promise<readonly Loop[]> {
  const { context, log } = world;
  return [
    watchDatabase(world),
    ...startAccountLoops({ context, log, auditRetentionDays: config.AUDIT_RETENTION_DAYS }),
    ...(config.BUILT_IN_PROBE === "true" ? [await startProbe(config, world)] : []),
  ];
}

function startProbe(config: Config, { context, log }: LoopWorld): Promise<Loop> {
  return startBuiltInProbe({
    context,
    log,
    location: config.PROBE_LOCATION,
    version,
    ipv4Sources: config.PROBE_IPV4,
    ipv6Sources: config.PROBE_IPV6,
  });
}

function watchDatabase({ log, metrics, checkReady }: LoopWorld): Loop {
  return startLoop({
    name: "watch the database",
    everyMs: 5_000,
    log,
    turn: async () => {
      metrics.databaseUp.set(0);
      await checkReady();
      metrics.databaseUp.set(1);
    },
  });
}
