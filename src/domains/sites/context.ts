import type { AddressKey } from "../../platform/address-key.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { Outbound } from "../../platform/outbound.ts";
import type { RateLimit } from "../../platform/rate-limit.ts";
import type { LookUpRecords } from "./domains/dns-records.ts";

export interface SitesContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly isSecure: () => boolean;
  /** How pictures are fetched. */
  readonly sendTools: { readonly outbound: Outbound };
  /** Failed attempts at the key of a private page, per network address. */
  readonly pageKeyLimit: RateLimit<AddressKey>;
  /** Where our own pages live. */
  readonly publicUrl: () => string;
  readonly domainProof: DomainProof;
}

/** How a domain of a page is proved. */
export interface DomainProof {
  /** False: the operator vouches for every name, and none is looked up. */
  readonly isRequired: boolean;
  readonly lookUp: LookUpRecords;
  /** Looks that people ask for, per account. */
  readonly lookLimit: RateLimit;
}
