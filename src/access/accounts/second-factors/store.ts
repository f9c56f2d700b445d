import { type Database, runSql } from "../../../platform/database.ts";
import type { FactorsOfUser, Passkey, PasskeyWithKey } from "./second-factor.ts";

/** Returns the second factors of a user. Only passkeys of the given host count as usable. */
export async function findFactors(
  db: Database,
  userId: string,
  host: string | null,
): Promise<FactorsOfUser> {
  const [found] = await runSql<FactorsOfUser>(
    db,
    `select (select created_at from totp_secrets where user_id = $1) as "totpSince",
      (select count(*) from recovery_codes where user_id = $1) as "recoveryCodesLeft",
      (select count(*) from passkeys where user_id = $1) as "passkeyCount",
      (select count(*) from passkeys where user_id = $1 and host = $2) as "usablePasskeyCount"`,
    [userId, host],
  );
  if (found === undefined) throw new Error("A select without from has one row.");
  return found;
}

interface StoredTotp {
  readonly sealedSecret: string;
  readonly lastStep: number;
}

/** Stores a TOTP secret. Returns `false` if the user already has one. */
export async function insertTotp(
  db: Database,
  userId: string,
  totp: StoredTotp & { readonly at: Date },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into totp_secrets (user_id, sealed_secret, created_at, last_step)
      values ($1, $2, $3, $4) on conflict do nothing returning 1`,
    [userId, totp.sealedSecret, totp.at, totp.lastStep],
  );
  return rows.length > 0;
}

export async function findSealedTotp(db: Database, userId: string): Promise<string | null> {
  const text = "select sealed_secret as sealed from totp_secrets where user_id = $1";
  const [row] = await runSql<{ sealed: string }>(db, text, [userId]);
  return row?.sealed ?? null;
}

/**
 * Stores the time step of a used code. Returns `false` if it is not later than the last used step.
 */
export async function advanceStep(db: Database, userId: string, step: number): Promise<boolean> {
  const text = `update totp_secrets set last_step = $2 where user_id = $1 and last_step < $2
    returning 1`;
  return (await runSql(db, text, [userId, step])).length > 0;
}

export async function deleteTotp(db: Database, userId: string): Promise<boolean> {
  const text = "delete from totp_secrets where user_id = $1 returning 1";
  return (await runSql(db, text, [userId])).length > 0;
}

/** Replaces all recovery codes of a user. */
export async function replaceRecoveryCodes(
  db: Database,
  userId: string,
  codes: { readonly hashes: readonly Buffer[]; readonly at: Date },
): Promise<void> {
  await deleteRecoveryCodes(db, userId);
  await runSql(
    db,
    `insert into recovery_codes (user_id, code_hash, created_at)
      select $1, code_hash, $3 from unnest($2::bytea[]) as code_hash`,
    [userId, codes.hashes, codes.at],
  );
}

export async function deleteRecoveryCodes(db: Database, userId: string): Promise<void> {
  await runSql(db, "delete from recovery_codes where user_id = $1", [userId]);
}

/** Deletes a recovery code, so that it works only once. Returns `false` if it does not exist. */
export async function takeRecoveryCode(
  db: Database,
  userId: string,
  hash: Buffer,
): Promise<boolean> {
  const text = "delete from recovery_codes where user_id = $1 and code_hash = $2 returning 1";
  return (await runSql(db, text, [userId, hash])).length > 0;
}

/** Lists the encrypted TOTP secrets, newest first. */
export async function listSealedTotps(db: Database, limit: number): Promise<string[]> {
  const text = "select sealed_secret as sealed from totp_secrets order by created_at desc limit $1";
  const rows = await runSql<{ sealed: string }>(db, text, [limit]);
  return rows.map(({ sealed }) => sealed);
}

export const maxPasskeysPerUser = 20;

const shown = `id, name, host, is_synced as "isSynced", created_at as "createdAt",
  last_used_at as "lastUsedAt"`;
const withKey = `${shown}, user_id as "userId", credential_id as "credentialId",
  public_key as "publicKey", counter, transports`;

/** Stores a passkey. Returns `false` if its credential is already registered. */
export async function insertPasskey(db: Database, passkey: PasskeyWithKey): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into passkeys (id, user_id, name, host, credential_id, public_key, counter, transports,
        is_synced, created_at, last_used_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing returning 1`,
    [
      passkey.id,
      passkey.userId,
      passkey.name,
      passkey.host,
      passkey.credentialId,
      passkey.publicKey,
      passkey.counter,
      passkey.transports,
      passkey.isSynced,
      passkey.createdAt,
      passkey.lastUsedAt,
    ],
  );
  return rows.length > 0;
}

export function listPasskeys(db: Database, userId: string): Promise<PasskeyWithKey[]> {
  const text = `select ${withKey} from passkeys where user_id = $1 order by id limit $2`;
  return runSql(db, text, [userId, maxPasskeysPerUser]);
}

/** Finds a passkey and locks the row, so that concurrent requests cannot use the same counter. */
export async function lockPasskey(
  db: Database,
  credentialId: string,
): Promise<PasskeyWithKey | null> {
  const text = `select ${withKey} from passkeys where credential_id = $1 for update`;
  const [row] = await runSql<PasskeyWithKey>(db, text, [credentialId]);
  return row ?? null;
}

export async function saveUse(
  db: Database,
  id: string,
  use: { readonly counter: number; readonly isSynced: boolean; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    "update passkeys set counter = $2, is_synced = $3, last_used_at = $4 where id = $1",
    [id, use.counter, use.isSynced, use.at],
  );
}

export async function updatePasskeyName(
  db: Database,
  userId: string,
  change: { readonly id: string; readonly name: string },
): Promise<Passkey | null> {
  const text = `update passkeys set name = $3 where user_id = $1 and id = $2 returning ${shown}`;
  const [row] = await runSql<Passkey>(db, text, [userId, change.id, change.name]);
  return row ?? null;
}

export async function deletePasskey(
  db: Database,
  userId: string,
  id: string,
): Promise<Passkey | null> {
  const text = `delete from passkeys where user_id = $1 and id = $2 returning ${shown}`;
  const [row] = await runSql<Passkey>(db, text, [userId, id]);
  return row ?? null;
}
