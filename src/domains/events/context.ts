import type { ChangeNotifications } from "../../platform/change-channel.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Credentials } from "../accounts/index.ts";

export interface EventsContext {
  readonly clock: Clock;
  /** Number of servers that share limits per account; one by default. */
  readonly servers?: (() => number) | undefined;
  readonly credentials: Credentials;
  /** Change notifications as sent by the database. */
  readonly accountChanges: ChangeNotifications;
  /** Notifications about keys, sessions and members. */
  readonly callerChanges: ChangeNotifications;
}
