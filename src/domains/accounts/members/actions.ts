import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, forbidden, invalid, notFound } from "../../../platform/errors.ts";
import { createSecret, hashSecret } from "../../../platform/secrets.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import type { GrantableRole, Role } from "../role.ts";
import { createUser, verifyUser } from "../users/actions.ts";
import { findUserByEmail } from "../users/store.ts";
import type { UserWithPassword } from "../users/user.ts";
import {
  decideMemberChange,
  type Invite,
  inviteLifetimeMs,
  isInviteOpen,
  type Member,
  mayInvite,
} from "./member.ts";
import {
  countOwnersForUpdate,
  deleteInvite,
  deleteMember,
  findMember,
  insertMember,
  listInvites,
  listMembers,
  type MembersQuery,
  saveInvite,
  takeInvite,
  updateMemberRole,
} from "./store.ts";

export interface RosterQuery extends MembersQuery {
  readonly type?: "member" | "invite" | undefined;
  readonly status?: "ACTIVE" | "PENDING" | "EXPIRED" | undefined;
}

export type RosterEntry =
  | (Member & { readonly type: "member"; readonly id: string })
  | (Invite & { readonly type: "invite" });

/** Members and open invites in one list, in the order of their ids. */
export async function listRoster(
  context: AccountsContext,
  caller: Caller,
  query: RosterQuery,
): Promise<RosterEntry[]> {
  const { db, clock } = context;
  const { type, status } = query;
  const wantsMembers = type !== "invite" && (status === undefined || status === "ACTIVE");
  const wantsInvites = type !== "member" && status !== "ACTIVE";
  const openness = status === "PENDING" || status === "EXPIRED" ? status : undefined;
  const inviteQuery = { ...query, status: openness, now: clock.now() };
  const members = wantsMembers ? await listMembers(db, caller.accountId, query) : [];
  const invites = wantsInvites ? await listInvites(db, caller.accountId, inviteQuery) : [];
  const entries: RosterEntry[] = [
    ...members.map((member) => ({ ...member, type: "member" as const, id: member.userId })),
    ...invites.map((invite) => ({ ...invite, type: "invite" as const })),
  ];
  return entries.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, query.limit);
}

async function changeMember(
  context: AccountsContext,
  caller: Caller,
  change: { readonly userId: string; readonly role: Role | null },
): Promise<void> {
  const { accountId } = caller;
  await inTransaction(context.db, async (db) => {
    const ownerCount = await countOwnersForUpdate(db, accountId);
    const member = await findMember(db, accountId, change.userId);
    if (member === null) throw notFound();
    const { role: from, email } = member;
    const decision = decideMemberChange(caller.role, { from, to: change.role, ownerCount });
    if (decision === "needs-owner") throw forbidden();
    if (decision === "last-owner") throw conflict("an account keeps at least one owner");
    const at = context.clock.now();
    if (change.role === null) await deleteMember(db, accountId, change.userId);
    else await updateMemberRole(db, accountId, { userId: change.userId, role: change.role, at });
    const action = change.role === null ? "member.removed" : "member.updated";
    const changes = { email, role: { from, to: change.role } };
    await writeAuditEntry(db, caller, { action, targetId: change.userId, changes, at });
  });
  context.credentials.forgetAll();
}

export async function changeMemberRole(
  context: AccountsContext,
  caller: Caller,
  change: { readonly userId: string; readonly role: Role },
): Promise<Member> {
  await changeMember(context, caller, change);
  const member = await findMember(context.db, caller.accountId, change.userId);
  if (member === null) throw notFound();
  return member;
}

export async function removeMember(
  context: AccountsContext,
  caller: Caller,
  userId: string,
): Promise<void> {
  await changeMember(context, caller, { userId, role: null });
}

/** The token is only in this answer; its holder may join. */
export async function inviteMember(
  context: AccountsContext,
  caller: Caller,
  input: { readonly email: string; readonly role: GrantableRole },
): Promise<Invite & { readonly token: string }> {
  if (!mayInvite(caller.role, input.role)) throw forbidden();
  const at = context.clock.now();
  const token = createSecret();
  const invite: Invite = {
    id: randomUUIDv7(),
    ...input,
    inviterEmail: caller.label,
    createdAt: at,
    updatedAt: at,
    expiresAt: new Date(at.getTime() + inviteLifetimeMs),
  };
  await inTransaction(context.db, async (db) => {
    const user = await findUserByEmail(db, input.email);
    const member = user && (await findMember(db, caller.accountId, user.id));
    if (member !== null) throw conflict(`${input.email} is a member already`);
    await saveInvite(db, caller.accountId, { ...invite, tokenHash: hashSecret(token) });
    const action = "invite.created";
    await writeAuditEntry(db, caller, { action, targetId: invite.id, changes: { ...input }, at });
  });
  return { ...invite, token };
}

export async function withdrawInvite(
  context: AccountsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    const invite = await deleteInvite(db, caller.accountId, id);
    if (invite === null) throw notFound();
    const at = context.clock.now();
    const changes = { email: invite.email };
    await writeAuditEntry(db, caller, { action: "invite.withdrawn", targetId: id, changes, at });
  });
}

/** The holder of an invite must not be able to guess the invited user's password. */
function proveKnown(
  { passwordGuard }: AccountsContext,
  db: Database,
  proof: { readonly known: UserWithPassword; readonly password: string; readonly address: string },
): Promise<boolean> {
  const { known, password, address } = proof;
  return passwordGuard.check(db, { email: known.email, address }, () =>
    verifyUser(known, password),
  );
}

interface InvitedPerson {
  readonly name: string | null;
  readonly password: string;
}

/** A new user chooses a password, a known one confirms theirs; the token is spent either way. */
export async function acceptInvite(
  context: AccountsContext,
  answer: { readonly token: string; readonly person: InvitedPerson; readonly address: string },
): Promise<{ readonly accountId: string; readonly member: Member }> {
  const { person, address } = answer;
  const at = context.clock.now();
  const joined = await inTransaction(context.db, async (db) => {
    const invite = await takeInvite(db, hashSecret(answer.token));
    if (invite === null || !isInviteOpen(invite, at)) throw notFound();
    const known = await findUserByEmail(db, invite.email);
    if (known !== null && !(await proveKnown(context, db, { known, ...person, address }))) {
      throw invalid("password", `must be the one of ${invite.email}, who is known here`);
    }
    const userId = known?.id ?? (await createUser(db, { ...person, email: invite.email, at }));
    await insertMember(db, invite.accountId, { userId, role: invite.role, at });
    const actor = {
      type: "SESSION" as const,
      credentialId: null,
      label: invite.email,
      accountId: invite.accountId,
      address,
      requestId: null,
    };
    const changes = { email: invite.email, role: invite.role };
    await writeAuditEntry(db, actor, { action: "member.joined", targetId: userId, changes, at });
    return { accountId: invite.accountId, userId };
  });
  context.credentials.forgetAll();
  const member = await findMember(context.db, joined.accountId, joined.userId);
  if (member === null) throw notFound();
  return { accountId: joined.accountId, member };
}
