import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { RateLimit } from "../../platform/rate-limit.ts";
import type { SendTools } from "./channel-kind.ts";

export interface ChannelsContext {
  readonly db: Database;
  readonly clock: Clock;
  /** How many servers share what is limited per account; one by default. */
  readonly servers?: (() => number) | undefined;
  readonly encryption: Encryption;
  /** Whether channels may use private addresses. */
  readonly allowPrivate: boolean;
  /** Sending adds the current time and the channel's account. */
  readonly sendTools: Omit<SendTools, "now" | "accountId">;
}

export interface ChannelTestContext extends ChannelsContext {
  /** Tests of channels, counted by account. */
  readonly testLimit: RateLimit;
}
