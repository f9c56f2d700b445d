import { startAccountLoops } from "../access/accounts/index.ts";
import { forgetLostServers } from "../access/servers/index.ts";
import { startAgentLoops } from "../agent/index.ts";
import { watchProbeDirectory } from "../checks/locations/index.ts";
import type { Config } from "../config.ts";
import { type Loop, startLoop } from "../platform/loop.ts";
import type { Metrics } from "../platform/metrics.ts";
import { findSlowest } from "../platform/progress.ts";
import { deleteOldQuarantine } from "../platform/quarantine.ts";
import { startAlertingLoops } from "../response/alerting/index.ts";
import { startMaintenanceLoops } from "../response/maintenance/index.ts";
import { startPathLoops } from "../runs/failure-paths/index.ts";
import { startHeartbeatLoops } from "../runs/heartbeats/index.ts";
import {
  callProbes,
  followKeys,
  type ProbeGateway,
  registerNatsProbes,
  startProbeLoops,
} from "../runs/probe-links/index.ts";
import { startRecordingLoops } from "../runs/recording/index.ts";
import { startScheduleLoops } from "../runs/scheduling/index.ts";
import { startStatisticsLoops } from "../runs/statistics/index.ts";
import { startPublicPageLoops } from "../screens/public-pages/index.ts";
import { startPreviewLoops } from "../sites/previews/index.ts";
import { startSiteLoops } from "../sites/publishing/index.ts";
import { startSubscriberLoops } from "../sites/subscribers/index.ts";
import type { ModuleContexts } from "./contexts.ts";
import type { Foundation } from "./foundation.ts";
import { type ProbeOptions, startProbe } from "./probe.ts";
import type { ReadinessWatch } from "./readiness.ts";

interface LoopTools extends ProbeOptions {
  readonly metrics: Metrics;
  readonly readiness: ReadinessWatch;
  readonly gateway: Pick<ProbeGateway, "startLoops">;
  readonly runsNewChecks?: boolean | undefined;
}

interface StartedLoops {
  readonly loops: readonly Loop[];
  readonly warnings: readonly string[];
}

/** Starts all background loops. The caller stops them in reverse order. */
export async function startLoops(
  config: Config,
  foundation: Foundation,
  contexts: ModuleContexts,
  tools: LoopTools,
): Promise<StartedLoops> {
  const { log, presence, calendar, changes } = foundation;
  const { watch } = calendar;
  const { directory } = contexts.schedule;
  // Read the locations before the built-in probe starts, because it does not run checks of a
  // location that has a separate probe.
  await directory.refresh();
  const { retention, recorder } = await startRecordingLoops({
    context: contexts.recording,
    log,
    retentionDays: config.RETENTION_DAYS,
  });
  const scheduling = await startScheduleLoops({
    context: contexts.schedule,
    log,
    recorder,
    presence,
    serverChanges: changes.serverChanges,
    findSlowest: () => findSlowest(tools.readiness.listProgress()),
    checkChanges: changes.checkChanges,
    watch,
    runsNewChecks: tools.runsNewChecks,
  });
  const { loops: probe, warnings } =
    config.BUILT_IN_PROBE === "true"
      ? await startProbe(config, contexts.schedule, presence.id, {
          ...tools,
          runtimes: contexts.runtimes.installer,
          assets: contexts.assets.keeper,
        })
      : { loops: [], warnings: [] };
  const { accounts: context } = contexts;
  const loops = [
    ...(await startNetworkLoops(foundation, contexts.probes)),
    watchDatabase(foundation, tools),
    watchProbeDirectory(directory, [changes.placeChanges, changes.keyChanges], log),
    ...tools.gateway.startLoops(),
    ...startAccountLoops({ context, log, auditRetentionDays: config.AUDIT_RETENTION_DAYS }),
    ...startPreviewLoops(contexts.maintenance, log),
    ...startSiteLoops(contexts.sites, log, watch),
    ...startSubscriberLoops(contexts.subscribers, log, watch),
    ...startMaintenanceLoops(contexts.maintenance, log, watch),
    ...startAlertingLoops(contexts.alerting, log, watch),
    ...startPublicPageLoops(contexts.publicPages),
    ...startAgentLoops(contexts.agent),
    recorder,
    ...startPathLoops(contexts.paths),
    ...startHeartbeatLoops(contexts.heartbeats),
    ...probe,
    ...scheduling,
    retention,
    ...contexts.assets.keeper.startLoops(),
    ...startProbeLoops(contexts.probes),
    ...startStatisticsLoops(contexts.statistics),
    forgetQuarantine(foundation),
    forgetServers(foundation),
    contexts.backups.backups.start(),
    calendar.start(log),
  ];
  return { loops, warnings };
}

async function startNetworkLoops(
  { network, changes, log }: Foundation,
  context: ModuleContexts["probes"],
): Promise<Loop[]> {
  if (network === null) return [];
  const { natsKeys } = context;
  await natsKeys.refresh();
  const probes = { context, network };
  context.directory.onTrustChange((route) => callProbes(probes, context.natsKeys.usersOf(route)));
  return [
    // This entry only reports whether the connection to NATS makes progress. Its `stop` function
    // does nothing, because the connection is closed later, after all components that use it.
    { progress: network.loop.progress, stop: async () => {} },
    ...[network.startStreamWatch()].filter((loop) => loop !== null),
    natsKeys.watch({
      keyChanges: changes.keyChanges,
      log,
      isConnected: network.isConnected,
      onChange: (changed) => followKeys(probes, changed),
    }),
    registerNatsProbes(probes),
  ];
}

function forgetQuarantine({ db, clock, log }: Foundation): Loop {
  return startLoop({
    name: "forget old quarantine entries",
    isEssential: false,
    everyMs: 3_600_000,
    log,
    turn: () => deleteOldQuarantine(db, clock.now()),
  });
}

function watchDatabase({ log, writeFaults }: Foundation, { metrics, readiness }: LoopTools): Loop {
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

function forgetServers({ db, log }: Foundation): Loop {
  return startLoop({
    name: "forget lost servers",
    isEssential: false,
    everyMs: 600_000,
    log,
    turn: () => forgetLostServers(db),
  });
}
