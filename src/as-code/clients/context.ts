import type { AccountsContext } from "../../access/accounts/index.ts";
import type { StreamSlots } from "../../platform/http/stream-slots.ts";
import type { RateLimit } from "../../platform/rate-limit.ts";
import type { AssetsContext } from "../../runs/assets/index.ts";
import type { ScheduleContext } from "../../runs/scheduling/index.ts";

/** Dependencies of test sessions. */
export interface TestSessionsContext extends ScheduleContext {
  readonly publicUrl: () => string;
}

/** Limits of test sessions, and the sessions that are running on this server. */
export interface SessionLimits {
  readonly slots: StreamSlots;
  readonly rate: RateLimit;
  /** Controllers that cancel the running sessions, by session id. */
  readonly running: Map<string, AbortController>;
}

/** Dependencies of the API operations for existing clients. */
export interface ClientsContext {
  readonly accounts: AccountsContext;
  readonly assets: AssetsContext;
  readonly testSessions: TestSessionsContext;
}
