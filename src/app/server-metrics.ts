import type { Registry } from "prom-client";
import type { RunsContext } from "../domains/runs/index.ts";
import type { Presence } from "../domains/servers/index.ts";
import { addGauge } from "../platform/metrics.ts";

/** What this server knows of all of them. */
export function addServerMetrics(
  registry: Registry,
  presence: Pick<Presence, "liveCount" | "clockSkewMs">,
  { load, clock }: Pick<RunsContext, "load" | "clock">,
): void {
  addGauge(registry, {
    name: "vedette_runs_skipped_ratio",
    help: "Share of the runs due in the last minute that were skipped because of overload.",
    read: () => load.overloadShare(clock.nowMs()),
  });
  addGauge(registry, {
    name: "vedette_live_servers",
    help: "Servers on this database that are alive.",
    read: () => presence.liveCount,
  });
  addGauge(registry, {
    name: "vedette_clock_offset_seconds",
    help: "By how much this machine's clock is ahead of the database's; it is corrected for.",
    read: () => (presence.clockSkewMs ?? 0) / 1_000,
  });
}
