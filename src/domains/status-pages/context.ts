import type { AddressKey } from "../../platform/address-key.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Outbound } from "../../platform/outbound.ts";
import type { RateLimit } from "../../platform/rate-limit.ts";

/** What the actions of this room need of the world. */
export interface StatusPagesContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  /** Where our own pages live. */
  readonly publicUrl: () => string;
  readonly isSecure: () => boolean;
  /** Whether a picture may come from a private address. */
  readonly allowPrivate: boolean;
  /** How pictures are fetched. */
  readonly sendTools: { readonly outbound: Outbound };
  /** Attempts at the key of a private page, per network address. */
  readonly pageKeyLimit: RateLimit<AddressKey>;
}
