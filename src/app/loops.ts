import type { Config } from "../config.ts";
import { startAccountLoops } from "../domains/accounts/index.ts";
import { startAgentLoops } from "../domains/agent/index.ts";
import { startAlertingLoops } from "../domains/alerting/index.ts";
import { startMaintenanceLoops } from "../domains/maintenance/index.ts";
import { startPublicPageLoops } from "../domains/public-pages/index.ts";
import { startRunLoops } from "../domains/runs/index.ts";
import { startSiteLoops } from "../domains/sites/index.ts";
import { startStatisticsLoops } from "../domains/statistics/index.ts";
import { startSubscriberLoops } from "../domains/subscribers/index.ts";
import { type Loop, startLoop } from "../platform/loop.ts";
import type { Metrics } from "../platform/metrics.ts";
import { forgetOldSetAside } from "../platform/set-aside.ts";
import type { AppContext } from "./foundation.ts";
import { startProbe } from "./probe.ts";
import type { ReadinessWatch } from "./readiness.ts";

export interface LoopWorld {
  readonly metrics: Metrics;
  readonly readiness: ReadinessWatch;
}

export interface StartedLoops {
  readonly loops: readonly Loop[];
  readonly warnings: readonly string[];
}

/** One line per background loop, in the order they start; they stop in the opposite order. */
export async function startLoops(
  config: Config,
  context: AppContext,
  world: LoopWorld,
): Promise<StartedLoops> {
  const { log, serverId: holder, calendar } = context;
  const { watch } = calendar;
  const runs = await startRunLoops({
    context,
    log,
    holder,
    retentionDays: config.RETENTION_DAYS,
    onCheckChange: context.onCheckChange,
    watch,
  });
  const { loops: probe, warnings } = context.hasBuiltInProbe
    ? await startProbe(config, context)
    : { loops: [], warnings: [] };
  const loops = [
    watchDatabase(context, world),
    ...startAccountLoops({ context, log, auditRetentionDays: config.AUDIT_RETENTION_DAYS }),
    ...startSiteLoops(context, log, watch),
    ...startSubscriberLoops(context, log, watch),
    ...startMaintenanceLoops(context, log, watch),
    ...startAlertingLoops(context, log, watch),
    ...startPublicPageLoops(context, config.SNAPSHOT_DIR),
    ...startAgentLoops(context),
    runs.recorder,
    ...probe,
    ...runs.loops,
    ...startStatisticsLoops(context),
    forgetSetAside(context),
    calendar.start(log),
  ];
  return { loops, warnings };
}

function forgetSetAside({ db, clock, log }: AppContext): Loop {
  return startLoop({
    name: "forget what was given up long ago",
    isEssential: false,
    everyMs: 3_600_000,
    log,
    turn: () => forgetOldSetAside(db, clock.now()),
  });
}

function watchDatabase({ log, writeFaults }: AppContext, { metrics, readiness }: LoopWorld): Loop {
  return startLoop({
    name: "watch the database",
    everyMs: 5_000,
    log,
    turn: async () => {
      metrics.databaseUp.set((await readiness.doesDatabaseAnswer()) ? 1 : 0);
      await writeFaults.prove();
    },
  });
}
