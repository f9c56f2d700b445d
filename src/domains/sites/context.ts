import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { AddressKey } from "../../platform/ip-address.ts";
import type { Outbound } from "../../platform/outbound.ts";
import type { RateLimit } from "../../platform/rate-limit.ts";
import type { LookUpRecords } from "./domains/domain-claim.ts";

export interface SitesContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly isSecure: () => boolean;
  /** Fetches images of pages. */
  readonly sendTools: { readonly outbound: Outbound };
  /** Failed attempts at the key of a private page, by network address. */
  readonly pageKeyLimit: RateLimit<AddressKey>;
  /** Base URL of our own pages. */
  readonly publicUrl: () => string;
  readonly domainProof: DomainProof;
}

/** How the ownership of a custom domain is verified. */
interface DomainProof {
  /** False if the operator vouches for every name and no DNS lookup is made. */
  readonly isRequired: boolean;
  readonly lookUp: LookUpRecords;
  /** Limit per account for verifications that users request. */
  readonly verificationLimit: RateLimit;
}
