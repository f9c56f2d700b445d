import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Credentials } from "./credentials.ts";
import type { PasswordGuard } from "./password-guard.ts";

/** What this room's actions depend on. */
export interface AccountsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly passwordGuard: PasswordGuard;
  readonly isSecure: () => boolean;
}
