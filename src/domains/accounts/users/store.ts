import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import type { User, UserWithPassword } from "./user.ts";

type UserTables = {
  users: {
    id: string;
    email: string;
    name: string | null;
    password_hash: string | null;
    created_at: Date;
    updated_at: Date | null;
  };
};

const tables = (db: Database) => db.withTables<UserTables>();
const columns = ["id", "email", "name", "password_hash as passwordHash"] as const;

export async function insertUser(
  db: Database,
  user: UserWithPassword & { readonly at: Date },
): Promise<void> {
  await tables(db)
    .insertInto("users")
    .values({
      id: user.id,
      email: user.email,
      name: user.name,
      password_hash: user.passwordHash,
      created_at: user.at,
      updated_at: null,
    })
    .execute();
}

export async function findUserByEmail(
  db: Database,
  email: string,
): Promise<UserWithPassword | null> {
  const row = await tables(db)
    .selectFrom("users")
    .select(columns)
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .executeTakeFirst();
  return row ?? null;
}

export async function findUser(db: Database, id: string): Promise<UserWithPassword | null> {
  const row = await tables(db)
    .selectFrom("users")
    .select(columns)
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

/** Locked until the transaction ends. */
export async function lockUser(db: Database, id: string): Promise<UserWithPassword | null> {
  const row = await tables(db)
    .selectFrom("users")
    .select(columns)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row ?? null;
}

export async function updateUser(
  db: Database,
  user: User,
  change: { readonly name?: string | null; readonly passwordHash?: string; readonly at: Date },
): Promise<void> {
  await tables(db)
    .updateTable("users")
    .set({
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.passwordHash === undefined ? {} : { password_hash: change.passwordHash }),
      updated_at: change.at,
    })
    .where("id", "=", user.id)
    .execute();
}
