import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { SendTools } from "./channel-kind.ts";

/** What the actions of this room need of the world. */
export interface ChannelsContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  /** Whether a channel may lead to a private address. */
  readonly allowPrivate: boolean;
  /** How messages leave; the moment is added when one does. */
  readonly sendTools: Omit<SendTools, "now">;
}
