import type { Database } from "../../platform/database.ts";
import type { Role } from "./role.ts";
import type { User } from "./users/user.ts";

export interface Account {
  readonly id: string;
  readonly name: string;
  /** When true, a member without a second factor can do nothing except set one up. */
  readonly requiresSecondFactor: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

type AccountTables = {
  accounts: {
    id: string;
    name: string;
    requires_second_factor: boolean;
    created_at: Date;
    updated_at: Date | null;
  };
  members: { account_id: string; user_id: string; role: Role; created_at: Date };
  users: { id: string; email: string; name: string | null };
};

function toAccount(row: AccountTables["accounts"]): Account {
  return {
    id: row.id,
    name: row.name,
    requiresSecondFactor: row.requires_second_factor,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export type NewAccount = Omit<Account, "requiresSecondFactor">;

export async function insertAccount(db: Database, account: NewAccount): Promise<void> {
  await db
    .withTables<AccountTables>()
    .insertInto("accounts")
    .values({
      id: account.id,
      name: account.name,
      requires_second_factor: false,
      created_at: account.createdAt,
      updated_at: account.updatedAt,
    })
    .execute();
}

export async function updateAccount(db: Database, account: Account, at: Date): Promise<void> {
  await db
    .withTables<AccountTables>()
    .updateTable("accounts")
    .set({
      name: account.name,
      requires_second_factor: account.requiresSecondFactor,
      updated_at: at,
    })
    .where("id", "=", account.id)
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

/** Locks the account until the transaction ends. */
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

/** Lists the owners of all accounts, oldest first. */
export async function listOwners(db: Database): Promise<User[]> {
  return db
    .withTables<AccountTables>()
    .selectFrom("users")
    .select(["id", "email", "name"])
    .where("id", "in", (query) =>
      query.selectFrom("members").select("user_id").where("role", "=", "OWNER"),
    )
    .orderBy("id")
    .limit(100)
    .execute();
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

/** Returns the account used when a session's request names none: the one the user joined first. */
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

/** Returns whether this server has several accounts, which must not trust each other. */
export async function hasSeveralAccounts(db: Database): Promise<boolean> {
  const rows = await db
    .withTables<AccountTables>()
    .selectFrom("accounts")
    .select("id")
    .limit(2)
    .execute();
  return rows.length > 1;
}
