import type { SendTools } from "../alert-channels/index.ts";
import type { ChecksContext } from "../checks/index.ts";
import type { RunsContext } from "../runs/index.ts";
import type { AlertMetrics } from "./alert-metrics.ts";

/** Dependencies of the API actions. */
export type AlertingContext = ChecksContext & Pick<RunsContext, "watchList">;

/** Dependencies of decisions and of the messages they create. */
export interface DeciderContext extends AlertingContext, Pick<RunsContext, "log"> {
  readonly alertMetrics: AlertMetrics;
  /** Base URL of links in messages. */
  readonly publicUrl: () => string;
}

/** Dependencies of the deliverer. */
export interface DelivererContext
  extends Pick<DeciderContext, "db" | "clock" | "log" | "encryption" | "alertMetrics"> {
  readonly sendTools: Omit<SendTools, "now" | "accountId">;
  /** Number of servers that share the concurrency limit of a channel; 1 by default. */
  readonly servers?: (() => number) | undefined;
}
