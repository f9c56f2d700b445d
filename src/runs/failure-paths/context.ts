import { Counter, type Registry } from "prom-client";
import type { ChangeAnnouncer } from "../../platform/notifications.ts";
import type { ScheduleContext } from "../scheduling/index.ts";

interface PathMetrics {
  readonly traced: Counter;
  readonly shed: Counter;
}

export function createPathMetrics(registry: Registry): PathMetrics {
  const registers = [registry];
  return {
    traced: new Counter({
      name: "vedette_paths_traced_total",
      help:
        "Number of paths traced and of runs repeated for their packets, by cause (failure, " +
        "learning or capture) and outcome (traced or not).",
      labelNames: ["cause", "outcome"],
      registers,
    }),
    shed: new Counter({
      name: "vedette_paths_shed_total",
      help: "Number of failures whose path was not traced, by reason: rate or concurrency.",
      labelNames: ["reason"],
      registers,
    }),
  };
}

export interface PathsContext extends ScheduleContext {
  /** Maximum number of failures that are traced per minute; 0 turns tracing off. */
  readonly pathsPerMinute: number;
  readonly pathMetrics: PathMetrics;
  /** Notifies open event streams when a network path has been added to a result. */
  readonly recorded: Pick<ChangeAnnouncer, "add">;
}
