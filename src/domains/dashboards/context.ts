import type { Log } from "../../platform/log.ts";
import type { RunsContext } from "../runs/index.ts";
import type { StatusPagesContext } from "../status-pages/index.ts";

/** What the actions of this room need of the world. */
export interface DashboardsContext
  extends StatusPagesContext,
    Pick<RunsContext, "pool" | "watchList"> {
  readonly log: Log;
  readonly allowPrivate: boolean;
  /** Hears of every account whose public pages may have changed, or that any may have (null). */
  readonly onPageChange: (listener: (accountId: string | null) => void) => void;
  readonly onCheckChange: (listener: (checkId: string | null) => void) => void;
  /** Hears of every account with a check whose state changed, or that any may have (null). */
  readonly onStateChange: (listener: (accountId: string | null) => void) => void;
  /** While one of these is false, such news may have been missed. */
  readonly isPageNewsOn: () => boolean;
  readonly isStateNewsOn: () => boolean;
}
