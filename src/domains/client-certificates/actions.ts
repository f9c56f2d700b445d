import { randomUUIDv7 } from "node:crypto";
import { AccountMemory } from "../../platform/account-memory.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { conflict, invalid, notFound } from "../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../accounts/index.ts";
import { type CertificateInput, decideCertificate } from "./certificate-input.ts";
import type { ClientCertificateRecord } from "./client-certificate.ts";
import {
  countCertificates,
  deleteCertificate,
  findCertificate,
  insertCertificate,
  listCertificates,
} from "./store.ts";

/** Dependencies of the actions. */
export interface CertificatesContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly encryption: Encryption;
  readonly accountCertificates: AccountCertificates;
}

/**
 * Cache of each account's certificates with encrypted keys, so that creating an order needs no
 * query.
 */
export type AccountCertificates = AccountMemory<readonly ClientCertificateRecord[]>;

const maxPerAccount = 100;

export async function createCertificate(
  context: CertificatesContext,
  caller: Caller,
  input: CertificateInput,
): Promise<ClientCertificateRecord> {
  const { accountId } = caller;
  const decision = decideCertificate(input);
  if (decision.kind === "fault") throw invalid(decision.fault.key, decision.fault.rule);
  const { key, ...shown } = decision.certificate;
  const at = context.clock.now();
  const sealedKey = context.encryption.encrypt(key);
  const record = { id: randomUUIDv7(), ...shown, sealedKey, createdAt: at };
  await inTransaction(context.db, async (db) => {
    await lockName(db, `client certificates ${accountId}`);
    if ((await countCertificates(db, accountId)) >= maxPerAccount) {
      throw conflict(`limit of ${maxPerAccount} client certificates reached; delete one first`);
    }
    await insertCertificate(db, accountId, record);
    const note = { action: "client-certificate.created", changes: { host: record.host } };
    await writeAuditEntry(db, caller, { ...note, targetId: record.id, at });
  });
  context.accountCertificates.forget(accountId);
  return record;
}

export function listOwnCertificates(
  context: CertificatesContext,
  caller: Caller,
): Promise<ClientCertificateRecord[]> {
  return listCertificates(context.db, caller.accountId);
}

export async function getCertificate(
  context: CertificatesContext,
  caller: Caller,
  id: string,
): Promise<ClientCertificateRecord> {
  const record = await findCertificate(context.db, caller.accountId, id);
  if (record === null) throw notFound();
  return record;
}

export async function removeCertificate(
  context: CertificatesContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const removed = await deleteCertificate(db, caller.accountId, id);
    if (removed === null) throw notFound();
    const note = { action: "client-certificate.deleted", changes: { host: removed.host } };
    await writeAuditEntry(db, caller, { ...note, targetId: id, at });
  });
  context.accountCertificates.forget(caller.accountId);
}

export function createAccountCertificates(
  db: Database,
  isListening: () => boolean,
): AccountCertificates {
  return new AccountMemory(isListening, (accountId) => listCertificates(db, accountId));
}
