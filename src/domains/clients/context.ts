import type { AccountsContext } from "../accounts/index.ts";
import type { TestSessionsContext } from "./test-sessions/context.ts";

/** Dependencies of the operations for existing clients. */
export interface ClientsContext {
  readonly accounts: AccountsContext;
  readonly testSessions: TestSessionsContext;
}
