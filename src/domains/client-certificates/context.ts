import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import type { AccountCertificates } from "./account-certificates.ts";

/** Dependencies of the actions. */
export interface CertificatesContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly accountCertificates: AccountCertificates;
}
