import type { ChannelsContext } from "../alert-channels/index.ts";
import type { RunsContext } from "../runs/index.ts";
import type { AlertMetrics } from "./alert-metrics.ts";

/** What the actions and loops of this room need of the world. */
export interface AlertingContext extends RunsContext, ChannelsContext {
  readonly alertMetrics: AlertMetrics;
  /** Where links in messages lead. */
  readonly publicUrl: () => string;
}
