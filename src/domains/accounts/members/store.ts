import { sql } from "kysely";
import type { Database } from "../../../platform/database.ts";
import { containing } from "../../../platform/text/patterns.ts";
import type { GrantableRole, Role } from "../role.ts";
import type { Invite, Member } from "./member.ts";

type MemberTables = {
  members: { account_id: string; user_id: string; role: Role; created_at: Date; updated_at: Date };
  users: { id: string; email: string; name: string | null };
  invites: {
    id: string;
    account_id: string;
    email: string;
    role: GrantableRole;
    token_hash: Buffer;
    inviter_email: string;
    created_at: Date;
    updated_at: Date;
    expires_at: Date;
  };
};

const tables = (db: Database) => db.withTables<MemberTables>();

export async function insertMember(
  db: Database,
  accountId: string,
  member: { readonly userId: string; readonly role: Role; readonly at: Date },
): Promise<void> {
  const { userId, role, at } = member;
  await tables(db)
    .insertInto("members")
    .values({ account_id: accountId, user_id: userId, role, created_at: at, updated_at: at })
    .execute();
}

function selectMembers(db: Database, accountId: string) {
  return tables(db)
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .select([
      "members.user_id as userId",
      "users.email",
      "users.name",
      "members.role",
      "members.created_at as createdAt",
      "members.updated_at as updatedAt",
    ])
    .where("members.account_id", "=", accountId);
}

export async function findMember(
  db: Database,
  accountId: string,
  userId: string,
): Promise<Member | null> {
  const found = selectMembers(db, accountId).where("members.user_id", "=", userId);
  return (await found.executeTakeFirst()) ?? null;
}

/**
 * Counts owners and locks the account, so that two owners cannot demote each other concurrently.
 */
export async function countOwnersForUpdate(db: Database, accountId: string): Promise<number> {
  await sql`select 1 from accounts where id = ${accountId} for update`.execute(db);
  const row = await tables(db)
    .selectFrom("members")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "=", accountId)
    .where("role", "=", "OWNER")
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function updateMemberRole(
  db: Database,
  accountId: string,
  change: { readonly userId: string; readonly role: Role; readonly at: Date },
): Promise<void> {
  await tables(db)
    .updateTable("members")
    .set({ role: change.role, updated_at: change.at })
    .where("account_id", "=", accountId)
    .where("user_id", "=", change.userId)
    .execute();
}

export async function deleteMember(db: Database, accountId: string, userId: string): Promise<void> {
  await tables(db)
    .deleteFrom("members")
    .where("account_id", "=", accountId)
    .where("user_id", "=", userId)
    .execute();
}

export interface MembersQuery {
  readonly limit: number;
  readonly nextId?: string | undefined;
  readonly search?: string | undefined;
  readonly role?: Role | undefined;
}

export function listMembers(
  db: Database,
  accountId: string,
  query: MembersQuery,
): Promise<Member[]> {
  let select = selectMembers(db, accountId).orderBy("members.user_id").limit(query.limit);
  if (query.nextId !== undefined) select = select.where("members.user_id", ">=", query.nextId);
  if (query.role !== undefined) select = select.where("members.role", "=", query.role);
  if (query.search !== undefined) {
    const pattern = containing(query.search);
    select = select.where(({ eb, or }) =>
      or([eb("users.email", "ilike", pattern), eb("users.name", "ilike", pattern)]),
    );
  }
  return select.execute();
}

function selectInvites(db: Database, accountId: string) {
  return tables(db)
    .selectFrom("invites")
    .select([
      "id",
      "email",
      "role",
      "inviter_email as inviterEmail",
      "created_at as createdAt",
      "updated_at as updatedAt",
      "expires_at as expiresAt",
    ])
    .where("account_id", "=", accountId);
}

export interface InvitesQuery extends MembersQuery {
  readonly status?: "PENDING" | "EXPIRED" | undefined;
  readonly now: Date;
}

export function listInvites(
  db: Database,
  accountId: string,
  query: InvitesQuery,
): Promise<Invite[]> {
  let select = selectInvites(db, accountId).orderBy("id").limit(query.limit);
  if (query.nextId !== undefined) select = select.where("id", ">=", query.nextId);
  if (query.role !== undefined) select = select.where(sql<boolean>`role = ${query.role}`);
  if (query.search !== undefined) select = select.where("email", "ilike", containing(query.search));
  if (query.status === "PENDING") select = select.where("expires_at", ">", query.now);
  if (query.status === "EXPIRED") select = select.where("expires_at", "<=", query.now);
  return select.execute();
}

/**
 * Stores an invite. It replaces an earlier invite to the same address, whose token stops working.
 */
export async function saveInvite(
  db: Database,
  accountId: string,
  invite: Invite & { readonly tokenHash: Buffer },
): Promise<void> {
  const row = {
    id: invite.id,
    account_id: accountId,
    email: invite.email,
    role: invite.role,
    token_hash: invite.tokenHash,
    inviter_email: invite.inviterEmail,
    created_at: invite.createdAt,
    updated_at: invite.updatedAt,
    expires_at: invite.expiresAt,
  };
  await sql`delete from invites where account_id = ${accountId} and lower(email) = lower(${invite.email})`.execute(
    db,
  );
  await tables(db).insertInto("invites").values(row).execute();
}

export interface InviteOfAccount extends Invite {
  readonly accountId: string;
}

const inviteColumns = [
  "id",
  "account_id as accountId",
  "email",
  "role",
  "inviter_email as inviterEmail",
  "created_at as createdAt",
  "updated_at as updatedAt",
  "expires_at as expiresAt",
] as const;

/** Deletes and returns an invite in one statement, so that a token works only once. */
export async function takeInvite(db: Database, tokenHash: Buffer): Promise<InviteOfAccount | null> {
  const row = await tables(db)
    .deleteFrom("invites")
    .where("token_hash", "=", tokenHash)
    .returning(inviteColumns)
    .executeTakeFirst();
  return row ?? null;
}

export async function findInviteByToken(
  db: Database,
  tokenHash: Buffer,
): Promise<InviteOfAccount | null> {
  const row = await tables(db)
    .selectFrom("invites")
    .select(inviteColumns)
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  return row ?? null;
}

export async function deleteInvite(
  db: Database,
  accountId: string,
  id: string,
): Promise<{ readonly email: string } | null> {
  const row = await tables(db)
    .deleteFrom("invites")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .returning("email")
    .executeTakeFirst();
  return row ?? null;
}

/** Subquery for other modules: account_id, user_id, email. */
export const memberRows = `(
  select members.account_id, members.user_id, users.email
  from members join users on users.id = members.user_id)`;
