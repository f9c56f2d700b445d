import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { RateLimit } from "../../platform/rate-limit.ts";
import type { Credentials } from "./credentials.ts";

/** What the actions of this room need of the world. */
export interface AccountsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly credentials: Credentials;
  /** Attempts at a password, per email address and per network address. */
  readonly signInLimit: RateLimit;
  readonly isSecure: () => boolean;
}
