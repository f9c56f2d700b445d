import { type Database, runSql } from "../../platform/database.ts";
import type { User } from "./users/user.ts";

export interface Account {
  readonly id: string;
  readonly name: string;
  /** Whether members without a second factor can do nothing except set one up. */
  readonly requiresSecondFactor: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

const columns = `id, name, requires_second_factor as "requiresSecondFactor",
  created_at as "createdAt", updated_at as "updatedAt"`;

type NewAccount = Omit<Account, "requiresSecondFactor">;

export async function insertAccount(
  db: Database,
  { id, name, createdAt, updatedAt }: NewAccount,
): Promise<void> {
  await runSql(
    db,
    `insert into accounts (id, name, requires_second_factor, created_at, updated_at)
      values ($1, $2, false, $3, $4)`,
    [id, name, createdAt, updatedAt],
  );
}

export async function updateAccount(db: Database, account: Account, at: Date): Promise<void> {
  await runSql(
    db,
    "update accounts set name = $2, requires_second_factor = $3, updated_at = $4 where id = $1",
    [account.id, account.name, account.requiresSecondFactor, at],
  );
}

export async function listAccounts(
  db: Database,
  accountIds: readonly string[],
): Promise<Account[]> {
  if (accountIds.length === 0) return [];
  const text = `select ${columns} from accounts where id = any($1::uuid[]) order by id`;
  return runSql(db, text, [accountIds]);
}

/** Returns the account and locks its row until the transaction ends. */
export async function lockAccount(db: Database, accountId: string): Promise<Account | null> {
  const text = `select ${columns} from accounts where id = $1 for no key update`;
  const [row] = await runSql<Account>(db, text, [accountId]);
  return row ?? null;
}

/** Lists the owners of all accounts, oldest users first, up to a limit. */
export function listOwners(db: Database): Promise<User[]> {
  return runSql(
    db,
    `select id, email, name from users
      where id in (select user_id from members where role = 'OWNER') order by id limit 100`,
  );
}

export async function hasAccounts(db: Database): Promise<boolean> {
  return (await runSql(db, "select 1 from accounts limit 1")).length > 0;
}

/**
 * Returns the account that a session uses by default: the one that the user joined first. Returns
 * `null` if the user has no account.
 */
export async function findHomeAccount(db: Database, userId: string): Promise<string | null> {
  const [row] = await runSql<{ accountId: string }>(
    db,
    `select account_id as "accountId" from members where user_id = $1
      order by created_at, account_id limit 1`,
    [userId],
  );
  return row?.accountId ?? null;
}

/** Returns whether this server has more than one account. Accounts are isolated from each other. */
export async function hasSeveralAccounts(db: Database): Promise<boolean> {
  return (await runSql(db, "select 1 from accounts limit 2")).length > 1;
}
