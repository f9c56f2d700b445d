import type { Registry } from "prom-client";
import type { ScheduleContext } from "../domains/schedule/index.ts";
import type { Presence } from "../domains/servers/index.ts";
import { addGauge } from "../platform/metrics.ts";

/** Adds metrics about all servers, as known to this one. */
export function addServerMetrics(
  registry: Registry,
  presence: Pick<Presence, "liveCount" | "clockSkewMs">,
  { load, clock }: Pick<ScheduleContext, "load" | "clock">,
): void {
  addGauge(registry, {
    name: "vedette_runs_skipped_ratio",
    help: "Share of the runs due in the last minute that were skipped because of overload.",
    read: () => load.overloadShare(clock.nowMs()),
  });
  addGauge(registry, {
    name: "vedette_live_servers",
    help: "Live servers on this database.",
    read: () => presence.liveCount,
  });
  addGauge(registry, {
    name: "vedette_clock_offset_seconds",
    help: "How far this machine's clock is ahead of the database's; times are corrected for it.",
    read: () => (presence.clockSkewMs ?? 0) / 1_000,
  });
}
