import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import type { FactorsOfUser } from "./second-factor.ts";

type FactorTables = {
  totp_secrets: { user_id: string; sealed_secret: string; created_at: Date; last_step: number };
  recovery_codes: { user_id: string; code_hash: Buffer; created_at: Date };
};

const tables = (db: Database) => db.withTables<FactorTables>();

/** `host` selects the usable passkeys; `null` selects none. */
export async function findFactors(
  db: Database,
  userId: string,
  host: string | null,
): Promise<FactorsOfUser> {
  const { rows } = await sql<FactorsOfUser>`select
    (select created_at from totp_secrets where user_id = ${userId}) as "totpSince",
    (select count(*)::int from recovery_codes where user_id = ${userId}) as "recoveryCodesLeft",
    (select count(*)::int from passkeys where user_id = ${userId}) as "passkeyCount",
    (select count(*)::int from passkeys where user_id = ${userId} and host = ${host})
      as "usablePasskeyCount"`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error("A select without from has one row.");
  return found;
}

export interface StoredTotp {
  readonly sealedSecret: string;
  readonly lastStep: number;
}

/** Returns false if the user already has TOTP. */
export async function insertTotp(
  db: Database,
  userId: string,
  totp: StoredTotp & { readonly at: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tables(db)
    .insertInto("totp_secrets")
    .values({
      user_id: userId,
      sealed_secret: totp.sealedSecret,
      created_at: totp.at,
      last_step: totp.lastStep,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function findSealedTotp(db: Database, userId: string): Promise<string | null> {
  const row = await tables(db)
    .selectFrom("totp_secrets")
    .select("sealed_secret")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.sealed_secret ?? null;
}

/**
 * Returns false for a step that was already used, or an earlier one: an intercepted code cannot be
 * replayed.
 */
export async function advanceStep(db: Database, userId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable("totp_secrets")
    .set({ last_step: step })
    .where("user_id", "=", userId)
    .where("last_step", "<", step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteTotp(db: Database, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom("totp_secrets")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Replaces all recovery codes of a user. */
export async function replaceRecoveryCodes(
  db: Database,
  userId: string,
  codes: { readonly hashes: readonly Buffer[]; readonly at: Date },
): Promise<void> {
  await deleteRecoveryCodes(db, userId);
  await tables(db)
    .insertInto("recovery_codes")
    .values(
      codes.hashes.map((hash) => ({ user_id: userId, code_hash: hash, created_at: codes.at })),
    )
    .execute();
}

export async function deleteRecoveryCodes(db: Database, userId: string): Promise<void> {
  await tables(db).deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
}

/** Deletes the code on use, so that it works once. */
export async function takeRecoveryCode(
  db: Database,
  userId: string,
  hash: Buffer,
): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom("recovery_codes")
    .where("user_id", "=", userId)
    .where("code_hash", "=", hash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns encrypted secrets, newest first. */
export async function listSealedTotps(db: Database, limit: number): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom("totp_secrets")
    .select("sealed_secret")
    .orderBy("created_at", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => row.sealed_secret);
}
