import type { Database } from "../../../platform/database.ts";

type ChallengeTables = { spent_challenges: { id: string; expires_at: Date } };

const tables = (db: Database) => db.withTables<ChallengeTables>();

/** Returns false if the challenge was already spent. */
export async function insertSpentChallenge(
  db: Database,
  { id, expiresAt }: { readonly id: string; readonly expiresAt: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tables(db)
    .insertInto("spent_challenges")
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function deleteExpiredChallenges(db: Database, now: Date): Promise<void> {
  await tables(db).deleteFrom("spent_challenges").where("expires_at", "<=", now).execute();
}
