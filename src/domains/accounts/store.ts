import type { Database } from "../../platform/database.ts";
import type { Account } from "./account.ts";

type AccountTables = {
  accounts: { id: string; name: string; created_at: Date; updated_at: Date | null };
  members: { account_id: string; user_id: string; created_at: Date };
};

function toAccount(row: AccountTables["accounts"]): Account {
  return { id: row.id, name: row.name, createdAt: row.created_at, updatedAt: row.updated_at };
}

export async function insertAccount(db: Database, account: Account): Promise<void> {
  await db
    .withTables<AccountTables>()
    .insertInto("accounts")
    .values({
      id: account.id,
      name: account.name,
      created_at: account.createdAt,
      updated_at: account.updatedAt,
    })
    .execute();
}

export async function updateAccountName(
  db: Database,
  accountId: string,
  change: { readonly name: string; readonly at: Date },
): Promise<void> {
  await db
    .withTables<AccountTables>()
    .updateTable("accounts")
    .set({ name: change.name, updated_at: change.at })
    .where("id", "=", accountId)
    .execute();
}

export async function listAccounts(
  db: Database,
  accountIds: readonly string[],
): Promise<Account[]> {
  if (accountIds.length === 0) return [];
  const rows = await db
    .withTables<AccountTables>()
    .selectFrom("accounts")
    .selectAll()
    .where("id", "in", accountIds)
    .orderBy("id")
    .execute();
  return rows.map(toAccount);
}

/** Locked until the transaction ends. */
export async function lockAccount(db: Database, accountId: string): Promise<Account | null> {
  const row = await db
    .withTables<AccountTables>()
    .selectFrom("accounts")
    .selectAll()
    .where("id", "=", accountId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row === undefined ? null : toAccount(row);
}

export async function hasAccounts(db: Database): Promise<boolean> {
  const row = await db
    .withTables<AccountTables>()
    .selectFrom("accounts")
    .select("id")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The account a session is for when its requests name none: the one joined first. */
export async function findHomeAccount(db: Database, userId: string): Promise<string | null> {
  const row = await db
    .withTables<AccountTables>()
    .selectFrom("members")
    .select("account_id as accountId")
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("account_id")
    .limit(1)
    .executeTakeFirst();
  return row?.accountId ?? null;
}
