import { AccountMemory } from "../../platform/account-memory.ts";
import type { Database } from "../../platform/database.ts";
import type { ClientCertificateRecord } from "./client-certificate.ts";
import { listCertificates } from "./store.ts";

/** The certificates of each account, their keys still sealed, so that an order costs no query. */
export type AccountCertificates = AccountMemory<readonly ClientCertificateRecord[]>;

export function createAccountCertificates(
  db: Database,
  isListening: () => boolean,
): AccountCertificates {
  return new AccountMemory(isListening, (accountId) => listCertificates(db, accountId));
}
