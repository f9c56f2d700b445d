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
  /** HTTP client that fetches the images of pages. */
  readonly sendTools: { readonly outbound: Outbound };
  /** Limits failed attempts to enter the key of a private page, per network address. */
  readonly pageKeyLimit: RateLimit<AddressKey>;
  /** Returns the base URL of this installation. */
  readonly publicUrl: () => string;
  readonly domainProof: DomainProof;
}

/** How the ownership of a custom domain is verified. */
interface DomainProof {
  /** Whether the ownership of a domain must be proved. If not, no DNS record is looked up. */
  readonly isRequired: boolean;
  readonly lookUp: LookUpRecords;
  /** Limits the verifications that users request, per account. */
  readonly verificationLimit: RateLimit;
}
