import { AccountMemory } from "../../platform/account-memory.ts";
import type { Database } from "../../platform/database.ts";
import type { ClientCertificateRecord } from "./client-certificate.ts";
import { listCertificates } from "./store.ts";

/**
 * Cache of each account's certificates with encrypted keys, so that creating an order needs no
 * query.
 */
export type AccountCertificates = AccountMemory<readonly ClientCertificateRecord[]>;

export function createAccountCertificates(
  db: Database,
  isListening: () => boolean,
): AccountCertificates {
  return new AccountMemory(isListening, (accountId) => listCertificates(db, accountId));
}
