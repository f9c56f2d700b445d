import { type Database, runSql } from "../../../platform/database.ts";
import { containing } from "../../../platform/text/patterns.ts";
import { type GrantableRole, isAtLeast, type Role } from "../caller.ts";

export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Invite {
  readonly id: string;
  readonly email: string;
  readonly role: GrantableRole;
  readonly inviterEmail: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
}

/** What each role may do. In invitations, the text follows "You may". */
export const roleWords: Readonly<Record<GrantableRole, string>> = {
  READ_ONLY: "view everything and change nothing",
  READ_RUN: "view everything and run checks",
  READ_WRITE: "change checks, alerts and pages",
  ADMIN: "change everything and invite people",
};

export function buildInviteUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/invite#token=${token}`;
}

type MemberDecision = "allowed" | "needs-owner" | "last-owner";

export const inviteLifetimeMs = 7 * 86_400_000;

/**
 * Decides whether a role change is allowed. Only owners may grant or withdraw ownership, and one
 * owner must remain.
 */
export function decideMemberChange(
  callerRole: Role,
  change: { readonly from: Role; readonly to: Role | null; readonly ownerCount: number },
): MemberDecision {
  const concernsOwner = change.from === "OWNER" || change.to === "OWNER";
  if (concernsOwner && !isAtLeast(callerRole, "OWNER")) return "needs-owner";
  const losesOwner = change.from === "OWNER" && change.to !== "OWNER";
  return losesOwner && change.ownerCount <= 1 ? "last-owner" : "allowed";
}

/**
 * Returns whether a member may grant a role in an invite. The role must not be above the member's
 * own.
 */
export function mayInvite(callerRole: Role, invitedRole: GrantableRole): boolean {
  return isAtLeast(callerRole, invitedRole);
}

export function isInviteOpen(invite: Invite, now: Date): boolean {
  return invite.expiresAt > now;
}

export async function insertMember(
  db: Database,
  accountId: string,
  member: { readonly userId: string; readonly role: Role; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `insert into members (account_id, user_id, role, created_at, updated_at)
      values ($1, $2, $3, $4, $4)`,
    [accountId, member.userId, member.role, member.at],
  );
  await runSql(db, "delete from former_members where account_id = $1 and user_id = $2", [
    accountId,
    member.userId,
  ]);
}

const selectMembers = `select members.user_id as "userId", users.email, users.name, members.role,
    members.created_at as "createdAt", members.updated_at as "updatedAt"
  from members join users on users.id = members.user_id`;

export async function findMember(
  db: Database,
  accountId: string,
  userId: string,
): Promise<Member | null> {
  const text = `${selectMembers} where members.account_id = $1 and members.user_id = $2`;
  const [row] = await runSql<Member>(db, text, [accountId, userId]);
  return row ?? null;
}

/**
 * Locks the account and counts its owners, so that two owners cannot demote each other
 * concurrently.
 */
export async function countOwnersForUpdate(db: Database, accountId: string): Promise<number> {
  await runSql(db, "select 1 from accounts where id = $1 for update", [accountId]);
  const [row] = await runSql<{ count: number }>(
    db,
    "select count(*) as count from members where account_id = $1 and role = 'OWNER'",
    [accountId],
  );
  return row?.count ?? 0;
}

export async function updateMemberRole(
  db: Database,
  accountId: string,
  change: { readonly userId: string; readonly role: Role; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    "update members set role = $3, updated_at = $4 where account_id = $1 and user_id = $2",
    [accountId, change.userId, change.role, change.at],
  );
}

/** Deletes a member, and records the time at which the member left. */
export async function deleteMember(
  db: Database,
  accountId: string,
  { userId, at }: { readonly userId: string; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `with gone as (delete from members where account_id = $1 and user_id = $2 returning user_id)
      insert into former_members (account_id, user_id, name, left_at)
      select $1, users.id, coalesce(nullif(users.name, ''), users.email), $3
      from gone join users on users.id = gone.user_id
      on conflict (account_id, user_id) do update set left_at = excluded.left_at`,
    [accountId, userId, at],
  );
}

export interface MembersQuery {
  readonly limit: number;
  readonly nextId?: string | undefined;
  readonly search?: string | undefined;
  readonly role?: Role | undefined;
}

const writePattern = (search: string | undefined) =>
  search === undefined ? null : containing(search);

export function listMembers(
  db: Database,
  accountId: string,
  { limit, nextId, search, role }: MembersQuery,
): Promise<Member[]> {
  return runSql(
    db,
    `${selectMembers} where members.account_id = $1
      and ($3::uuid is null or members.user_id >= $3)
      and ($4::text is null or members.role = $4)
      and ($5::text is null or users.email ilike $5 or users.name ilike $5)
      order by members.user_id limit $2`,
    [accountId, limit, nextId, role, writePattern(search)],
  );
}

const inviteColumns = `id, email, role, inviter_email as "inviterEmail", created_at as "createdAt",
  updated_at as "updatedAt", expires_at as "expiresAt"`;

interface InvitesQuery extends MembersQuery {
  readonly status?: "PENDING" | "EXPIRED" | undefined;
  readonly now: Date;
}

export function listInvites(
  db: Database,
  accountId: string,
  { limit, nextId, search, role, status, now }: InvitesQuery,
): Promise<Invite[]> {
  const isPending = status === undefined ? null : status === "PENDING";
  return runSql(
    db,
    `select ${inviteColumns} from invites where account_id = $1
      and ($3::uuid is null or id >= $3)
      and ($4::text is null or role = $4)
      and ($5::text is null or email ilike $5)
      and ($6::bool is null or (expires_at > $7) = $6)
      order by id limit $2`,
    [accountId, limit, nextId, role, writePattern(search), isPending, now],
  );
}

/** Stores an invite. It replaces earlier invites of the account for the same address. */
export async function saveInvite(
  db: Database,
  accountId: string,
  invite: Invite & { readonly tokenHash: Buffer },
): Promise<void> {
  await runSql(db, "delete from invites where account_id = $1 and lower(email) = lower($2)", [
    accountId,
    invite.email,
  ]);
  await runSql(
    db,
    `insert into invites (id, account_id, email, role, token_hash, inviter_email, created_at,
        updated_at, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      invite.id,
      accountId,
      invite.email,
      invite.role,
      invite.tokenHash,
      invite.inviterEmail,
      invite.createdAt,
      invite.updatedAt,
      invite.expiresAt,
    ],
  );
}

export interface InviteOfAccount extends Invite {
  readonly accountId: string;
}

/** Deletes and returns an invite in one statement, so that its token works only once. */
export async function takeInvite(db: Database, tokenHash: Buffer): Promise<InviteOfAccount | null> {
  const text = `delete from invites where token_hash = $1
    returning ${inviteColumns}, account_id as "accountId"`;
  const [row] = await runSql<InviteOfAccount>(db, text, [tokenHash]);
  return row ?? null;
}

export async function findInviteByToken(
  db: Database,
  tokenHash: Buffer,
): Promise<InviteOfAccount | null> {
  const text = `select ${inviteColumns}, account_id as "accountId" from invites
    where token_hash = $1`;
  const [row] = await runSql<InviteOfAccount>(db, text, [tokenHash]);
  return row ?? null;
}

export async function deleteInvite(
  db: Database,
  accountId: string,
  id: string,
): Promise<{ readonly email: string } | null> {
  const text = "delete from invites where account_id = $1 and id = $2 returning email";
  const [row] = await runSql<{ email: string }>(db, text, [accountId, id]);
  return row ?? null;
}

/** Lists the user ids of an account's owners in the order in which they joined, up to a limit. */
export async function listOwnerIds(db: Database, accountId: string): Promise<string[]> {
  const rows = await runSql<{ userId: string }>(
    db,
    `select user_id as "userId" from members where account_id = $1 and role = 'OWNER'
      order by created_at, user_id limit 20`,
    [accountId],
  );
  return rows.map(({ userId }) => userId);
}
