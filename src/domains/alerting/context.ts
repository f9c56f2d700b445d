import type { SendTools } from "../alert-channels/index.ts";
import type { ChecksContext } from "../checks/index.ts";
import type { RunsContext } from "../runs/index.ts";
import type { AlertMetrics } from "./alert-metrics.ts";

/** What actions of the API need. */
export type AlertingContext = ChecksContext & Pick<RunsContext, "watchList">;

/** What decisions need, including the messages they send. */
export interface DeciderContext extends AlertingContext, Pick<RunsContext, "log"> {
  readonly alertMetrics: AlertMetrics;
  /** Where links in messages lead. */
  readonly publicUrl: () => string;
}

/** What sending needs. */
export interface DelivererContext
  extends Pick<DeciderContext, "db" | "clock" | "log" | "encryption" | "alertMetrics"> {
  readonly sendTools: Omit<SendTools, "now" | "accountId">;
  /** How many servers share the lane of a channel; one by default. */
  readonly servers?: (() => number) | undefined;
}
