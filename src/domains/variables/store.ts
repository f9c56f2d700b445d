import { type Database, runSql } from "../../platform/database.ts";
import type { StoredVariable } from "./variable.ts";

/** Lists encrypted values of the newest variables of all accounts. */
export async function listSealedInVariables(db: Database, maxValues: number): Promise<string[]> {
  const text = "select sealed from variables order by created_at desc limit $1";
  const rows = await runSql<{ sealed: string }>(db, text, [maxValues]);
  return rows.map(({ sealed }) => sealed);
}

/** A variable of an account with its version, which is its ETag. */
export interface AccountVariable extends StoredVariable {
  readonly version: number;
}

const columns = `key, sealed as value, true as "isSealed", is_locked as locked,
  is_secret as secret, version`;

/** Returns false if the account already has a variable with this key. */
export async function insertVariable(
  db: Database,
  accountId: string,
  { key, value, locked, secret, createdAt }: StoredVariable & { readonly createdAt: Date },
): Promise<boolean> {
  const rows = await runSql(
    db,
    `insert into variables (account_id, key, sealed, is_locked, is_secret, created_at)
      values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning key`,
    [accountId, key, value, locked === true, secret === true, createdAt],
  );
  return rows.length > 0;
}

export async function countVariables(db: Database, accountId: string): Promise<number> {
  const [row] = await runSql<{ count: number }>(
    db,
    "select count(*)::int as count from variables where account_id = $1",
    [accountId],
  );
  return row?.count ?? 0;
}

export async function findVariable(
  db: Database,
  accountId: string,
  key: string,
): Promise<AccountVariable | null> {
  const text = `select ${columns} from variables where account_id = $1 and key = $2`;
  const [row] = await runSql<AccountVariable>(db, text, [accountId, key]);
  return row ?? null;
}

/** Locks the row until the transaction ends, so that changes build on each other. */
export async function lockVariable(
  db: Database,
  accountId: string,
  key: string,
): Promise<AccountVariable | null> {
  const text = `select ${columns} from variables where account_id = $1 and key = $2 for update`;
  const [row] = await runSql<AccountVariable>(db, text, [accountId, key]);
  return row ?? null;
}

/** Returns one page by key and the total for Content-Range. */
export async function listVariables(
  db: Database,
  accountId: string,
  query: { readonly limit: number; readonly page: number },
): Promise<{ readonly variables: AccountVariable[]; readonly total: number }> {
  const variables = await runSql<AccountVariable>(
    db,
    `select ${columns} from variables where account_id = $1
      order by key collate "C" limit $2 offset $3`,
    [accountId, query.limit, Math.max(0, query.page - 1) * query.limit],
  );
  return { variables, total: await countVariables(db, accountId) };
}

export async function listAllVariables(
  db: Database,
  accountId: string,
): Promise<AccountVariable[]> {
  return runSql(db, `select ${columns} from variables where account_id = $1`, [accountId]);
}

export async function updateVariable(
  db: Database,
  accountId: string,
  {
    key,
    value,
    locked,
    secret,
    version,
    updatedAt,
  }: AccountVariable & { readonly updatedAt: Date },
): Promise<void> {
  await runSql(
    db,
    `update variables set sealed = $3, is_locked = $4, is_secret = $5, version = $6,
      updated_at = $7 where account_id = $1 and key = $2`,
    [accountId, key, value, locked === true, secret === true, version, updatedAt],
  );
}

export async function deleteVariable(
  db: Database,
  accountId: string,
  key: string,
): Promise<boolean> {
  const text = "delete from variables where account_id = $1 and key = $2 returning key";
  return (await runSql(db, text, [accountId, key])).length > 0;
}
