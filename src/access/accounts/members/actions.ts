import { randomUUIDv7 } from "node:crypto";
import { renderInviteMail } from "../../../pages/mails/account-mails.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, forbidden, invalid, notFound } from "../../../platform/errors.ts";
import { createSecret, hashSecret } from "../../../platform/secrets.ts";
import { writeAuditEntry } from "../audit/store.ts";
import { type Caller, type GrantableRole, type Role, requireAccess } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import type { ProvenUser } from "../sessions/actions.ts";
import { listAccounts } from "../store.ts";
import { createUser, getSelf, verifyUser } from "../users/actions.ts";
import { findUserByEmail, getUser } from "../users/store.ts";
import { findPasswordFault, type UserWithPassword } from "../users/user.ts";
import {
  buildInviteUrl,
  countOwnersForUpdate,
  decideMemberChange,
  deleteInvite,
  deleteMember,
  findInviteByToken,
  findMember,
  type Invite,
  type InviteOfAccount,
  insertMember,
  inviteLifetimeMs,
  isInviteOpen,
  listInvites,
  listMembers,
  type Member,
  type MembersQuery,
  mayInvite,
  roleWords,
  saveInvite,
  takeInvite,
  updateMemberRole,
} from "./member-store.ts";

interface RosterQuery extends MembersQuery {
  readonly type?: "member" | "invite" | undefined;
  readonly status?: "ACTIVE" | "PENDING" | "EXPIRED" | undefined;
}

export type RosterEntry =
  | (Member & { readonly type: "member"; readonly id: string })
  | (Invite & { readonly type: "invite" });

/** Lists members and open or expired invites together, sorted by id. */
export async function listRoster(
  context: Pick<AccountsContext, "db" | "clock">,
  caller: Caller,
  query: RosterQuery,
): Promise<RosterEntry[]> {
  const { db, clock } = context;
  const { type, status } = query;
  const includesMembers = type !== "invite" && (status === undefined || status === "ACTIVE");
  const includesInvites = type !== "member" && status !== "ACTIVE";
  const openness = status === "PENDING" || status === "EXPIRED" ? status : undefined;
  const inviteQuery = { ...query, status: openness, now: clock.now() };
  const members = includesMembers ? await listMembers(db, caller.accountId, query) : [];
  const invites = includesInvites ? await listInvites(db, caller.accountId, inviteQuery) : [];
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
  requireAccess(caller, "admin");
  const { accountId } = caller;
  await inTransaction(context.db, async (db) => {
    const ownerCount = await countOwnersForUpdate(db, accountId);
    const member = await findMember(db, accountId, change.userId);
    if (member === null) throw notFound();
    const { role: from, email } = member;
    const decision = decideMemberChange(caller.role, { from, to: change.role, ownerCount });
    if (decision === "needs-owner") throw forbidden();
    if (decision === "last-owner") throw conflict("an account must have at least one owner");
    const at = context.clock.now();
    const { userId } = change;
    if (change.role === null) await deleteMember(db, accountId, { userId, at });
    else await updateMemberRole(db, accountId, { userId, role: change.role, at });
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

interface SentInvite extends Invite {
  /** Token, which lets anyone join, and URL of the invite; `null` if a mail with it was sent. */
  readonly token: string | null;
  readonly url: string | null;
  readonly isMailed: boolean;
  /** Why the mail could not be sent; `null` if it was sent, or if the server cannot send mail. */
  readonly mailFault: string | null;
}

/** Creates an invite. Either the mail or, if none was sent, the response contains its token. */
export async function inviteMember(
  context: AccountsContext,
  caller: Caller,
  input: { readonly email: string; readonly role: GrantableRole },
): Promise<SentInvite> {
  // Only these two fields are copied, because the body may contain others, such as an id.
  const { email, role } = input;
  requireAccess(caller, "admin");
  if (!mayInvite(caller.role, role)) throw forbidden();
  const at = context.clock.now();
  const token = createSecret();
  const invite: Invite = {
    id: randomUUIDv7(),
    email,
    role,
    inviterEmail: caller.label,
    createdAt: at,
    updatedAt: at,
    expiresAt: new Date(at.getTime() + inviteLifetimeMs),
  };
  await inTransaction(context.db, async (db) => {
    const user = await findUserByEmail(db, email);
    const member = user && (await findMember(db, caller.accountId, user.id));
    if (member !== null) throw conflict(`${email} is already a member`);
    await saveInvite(db, caller.accountId, { ...invite, tokenHash: hashSecret(token) });
    const action = "invite.created";
    await writeAuditEntry(db, caller, {
      action,
      targetId: invite.id,
      changes: { email, role },
      at,
    });
  });
  const url = buildInviteUrl(context.publicUrl(), token);
  const mail = await mailInvite(context, caller, { ...invite, url });
  return { ...invite, ...(mail.isMailed ? { token: null, url: null } : { token, url }), ...mail };
}

async function mailInvite(
  context: AccountsContext,
  caller: Caller,
  invite: Invite & { readonly url: string },
): Promise<{ readonly isMailed: boolean; readonly mailFault: string | null }> {
  const { db, mailer } = context;
  if (mailer === null) return { isMailed: false, mailFault: null };
  const [account] = await listAccounts(db, [caller.accountId]);
  const words = {
    url: invite.url,
    accountName: account?.name ?? "Vedette",
    inviter: caller.label,
    role: roleWords[invite.role],
    publicUrl: context.publicUrl(),
    daysValid: inviteLifetimeMs / 86_400_000,
  };
  const outcome = await mailer.send({
    to: invite.email,
    content: renderInviteMail(words),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    messageId: invite.id,
  });
  return outcome.kind === "sent"
    ? { isMailed: true, mailFault: null }
    : { isMailed: false, mailFault: outcome.reason };
}

export async function withdrawInvite(
  context: AccountsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  requireAccess(caller, "admin");
  await inTransaction(context.db, async (db) => {
    const invite = await deleteInvite(db, caller.accountId, id);
    if (invite === null) throw notFound();
    const at = context.clock.now();
    const changes = { email: invite.email };
    await writeAuditEntry(db, caller, { action: "invite.withdrawn", targetId: id, changes, at });
  });
}

/** Verifies a password with a rate limit, so that holders of an invite cannot guess passwords. */
function verifyExistingUser(
  { passwordGuard }: AccountsContext,
  db: Database,
  proof: { readonly known: UserWithPassword; readonly password: string; readonly address: string },
): Promise<boolean> {
  const { known, password, address } = proof;
  return passwordGuard.check(db, { email: known.email, address }, () =>
    verifyUser(known, password),
  );
}

export interface InviteView extends InviteOfAccount {
  readonly accountName: string;
  /** Whether a user with the invited email address already exists. */
  readonly isKnown: boolean;
}

/**
 * Returns the account and role of an invite to the holder of its token. Does not consume the token.
 */
export async function viewInvite(context: AccountsContext, token: string): Promise<InviteView> {
  const { db, clock } = context;
  const invite = await findInviteByToken(db, hashSecret(token));
  if (invite === null || !isInviteOpen(invite, clock.now())) throw notFound();
  const [account] = await listAccounts(db, [invite.accountId]);
  const user = await findUserByEmail(db, invite.email);
  return { ...invite, accountName: account?.name ?? "", isKnown: user !== null };
}

interface Joined {
  readonly accountId: string;
  readonly user: ProvenUser;
  readonly member: Member;
}

/**
 * Consumes the token of an invite, and adds the user that `decideUser` returns as a member. If
 * `decideUser` throws, the invite stays open.
 */
async function join(
  context: AccountsContext,
  answer: { readonly token: string; readonly address: string; readonly requestId: string },
  decideUser: (db: Database, invite: InviteOfAccount) => Promise<ProvenUser>,
): Promise<Joined> {
  const at = context.clock.now();
  const { accountId, user } = await inTransaction(context.db, async (db) => {
    const invite = await takeInvite(db, hashSecret(answer.token));
    if (invite === null || !isInviteOpen(invite, at)) throw notFound();
    const joining = await decideUser(db, invite);
    if ((await findMember(db, invite.accountId, joining.id)) !== null) {
      throw conflict(`${joining.email} is already a member`);
    }
    await insertMember(db, invite.accountId, { userId: joining.id, role: invite.role, at });
    const actor = {
      type: "SESSION" as const,
      credentialId: null,
      label: joining.email,
      accountId: invite.accountId,
      address: answer.address,
      requestId: answer.requestId,
    };
    const changes = { email: joining.email, role: invite.role };
    const action = "member.joined";
    await writeAuditEntry(db, actor, { action, targetId: joining.id, changes, at });
    return { accountId: invite.accountId, user: joining };
  });
  context.credentials.forgetAll();
  const member = await findMember(context.db, accountId, user.id);
  if (member === null) throw notFound();
  return { accountId, user, member };
}

interface InviteAnswer {
  readonly token: string;
  readonly name: string | null;
  readonly password: string;
  readonly address: string;
  readonly requestId: string;
}

/**
 * Accepts an invite and consumes its token. New users choose a password, existing users enter
 * theirs.
 */
export async function acceptInvite(
  context: AccountsContext,
  answer: InviteAnswer,
): Promise<Joined & { readonly isNew: boolean }> {
  const { name, password, address } = answer;
  let isNew = false;
  const joined = await join(context, answer, async (db, { email }) => {
    const known = await findUserByEmail(db, email);
    if (known !== null) {
      if (await verifyExistingUser(context, db, { known, password, address })) return known;
      throw invalid(
        "password",
        `must be the current password of ${email}, who already has a user here`,
      );
    }
    const fault = findPasswordFault(password, email);
    if (fault !== null) throw invalid("password", fault);
    isNew = true;
    const at = context.clock.now();
    return getUser(db, await createUser(db, { name, password, email, at }));
  });
  return { ...joined, isNew };
}

/** Accepts an invite for a signed-in user, whose email address must be the invited one. */
export async function joinByInvite(
  context: AccountsContext,
  caller: Caller,
  token: string,
): Promise<Joined> {
  if (caller.type !== "SESSION") throw forbidden();
  const self = await getSelf(context, caller);
  return join(context, { token, ...caller }, async (_db, { email }) => {
    if (self.email.toLowerCase() === email.toLowerCase()) return self;
    throw conflict(`this invite is for ${email}, but you are signed in as ${self.email}`);
  });
}
