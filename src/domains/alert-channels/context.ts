import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { RateLimit } from "../../platform/rate-limit.ts";
import type { SendTools } from "./channel-kind.ts";

export interface ChannelsContext {
  readonly db: Database;
  readonly clock: Clock;
  /** Number of servers that share the limits per account; 1 by default. */
  readonly servers?: (() => number) | undefined;
  readonly encryption: Encryption;
  /** Whether channels may use private addresses. */
  readonly allowPrivate: boolean;
  /** Without `now` and `accountId`, which are added when sending. */
  readonly sendTools: Omit<SendTools, "now" | "accountId">;
}

export interface ChannelTestContext extends ChannelsContext {
  /** Limits channel tests per account. */
  readonly testLimit: RateLimit;
}
