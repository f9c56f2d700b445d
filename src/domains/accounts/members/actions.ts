import { inTransaction } from "../../../platform/database.ts";
import { conflict, forbidden, notFound } from "../../../platform/errors.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller, Role } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import {
  countOwnersForUpdate,
  decideMemberChange,
  deleteMember,
  findMember,
  type Invite,
  listInvites,
  listMembers,
  type Member,
  type MembersQuery,
  updateMemberRole,
} from "./member-store.ts";

export interface RosterQuery extends MembersQuery {
  readonly type?: "member" | "invite" | undefined;
  readonly status?: "ACTIVE" | "PENDING" | "EXPIRED" | undefined;
}

export type RosterEntry =
  | (Member & { readonly type: "member"; readonly id: string })
  | (Invite & { readonly type: "invite" });

/** Lists members and open invites together, ordered by id. */
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
