import { type Database, runSql } from "../../platform/database.ts";

export interface RememberedRequest {
  readonly operation: string;
  readonly bodyHash: Buffer;
  readonly targetId: string;
}

/** Waits for a concurrent request with the same key. Returns false if the key already exists. */
export async function insertIdempotencyKey(
  db: Database,
  accountId: string,
  request: RememberedRequest & { readonly key: string; readonly at: Date },
): Promise<boolean> {
  const { key, operation, bodyHash, targetId, at } = request;
  const rows = await runSql(
    db,
    `insert into idempotency_keys (account_id, key, operation, body_hash, target_id, created_at)
      values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1`,
    [accountId, key, operation, bodyHash, targetId, at],
  );
  return rows.length > 0;
}

export async function findIdempotencyKey(
  db: Database,
  accountId: string,
  key: string,
): Promise<RememberedRequest | null> {
  const [row] = await runSql<RememberedRequest>(
    db,
    `select operation, body_hash as "bodyHash", target_id as "targetId" from idempotency_keys
      where account_id = $1 and key = $2`,
    [accountId, key],
  );
  return row ?? null;
}

/** Stores the keys of objects that one request created. */
export async function rememberTargets(
  db: Database,
  accountId: string,
  request: {
    readonly operation: string;
    readonly created: readonly { readonly key: string; readonly targetId: string }[];
    readonly at: Date;
  },
): Promise<void> {
  const { operation, created, at } = request;
  const text = `insert into idempotency_keys
      (account_id, key, operation, body_hash, target_id, created_at)
    select $1, made.key, $2, '', made.target_id, $3
    from unnest($4::text[], $5::text[]) as made (key, target_id)`;
  const keys = created.map(({ key }) => key);
  const targetIds = created.map(({ targetId }) => targetId);
  await runSql(db, text, [accountId, operation, at, keys, targetIds]);
}

/** Returns the created object of each key that `rememberTargets` stored. */
export async function listRememberedTargets(
  db: Database,
  accountId: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const text = `select key, target_id as "targetId" from idempotency_keys
    where account_id = $1 and key = any($2::text[])`;
  const rows = await runSql<{ key: string; targetId: string }>(db, text, [accountId, keys]);
  return new Map(rows.map(({ key, targetId }) => [key, targetId]));
}

export async function deleteIdempotencyKeysBefore(db: Database, before: Date): Promise<void> {
  await runSql(db, "delete from idempotency_keys where created_at < $1", [before]);
}
