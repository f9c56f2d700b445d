import type { Database } from "../../platform/database.ts";

export interface RememberedRequest {
  readonly operation: string;
  readonly bodyHash: Buffer;
  readonly targetId: string;
}

type Tables = {
  idempotency_keys: {
    account_id: string;
    key: string;
    operation: string;
    body_hash: Buffer;
    target_id: string;
    created_at: Date;
  };
};

/** Waits for a concurrent request with the same key. Returns false if the key already exists. */
export async function insertIdempotencyKey(
  db: Database,
  accountId: string,
  request: RememberedRequest & { readonly key: string; readonly at: Date },
): Promise<boolean> {
  const row = await db
    .withTables<Tables>()
    .insertInto("idempotency_keys")
    .values({
      account_id: accountId,
      key: request.key,
      operation: request.operation,
      body_hash: request.bodyHash,
      target_id: request.targetId,
      created_at: request.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("key")
    .executeTakeFirst();
  return row !== undefined;
}

export async function findIdempotencyKey(
  db: Database,
  accountId: string,
  key: string,
): Promise<RememberedRequest | null> {
  const row = await db
    .withTables<Tables>()
    .selectFrom("idempotency_keys")
    .select(["operation", "body_hash", "target_id"])
    .where("account_id", "=", accountId)
    .where("key", "=", key)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { operation: row.operation, bodyHash: row.body_hash, targetId: row.target_id };
}

export async function deleteIdempotencyKeysBefore(db: Database, before: Date): Promise<void> {
  await db
    .withTables<Tables>()
    .deleteFrom("idempotency_keys")
    .where("created_at", "<", before)
    .execute();
}
