import { type Database, inTransaction } from "../../../platform/database.ts";
import { type AuditActor, writeAuditEntry } from "../audit/store.ts";
import type { Role } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { deleteCredentialsOf } from "../credential-store.ts";
import {
  countOwnersForUpdate,
  deleteMember,
  findMember,
  insertMember,
  updateMemberRole,
} from "../members/member-store.ts";
import type { SessionOrigin } from "../sessions/session.ts";
import { findSession } from "../sessions/store.ts";
import { findHomeAccount } from "../store.ts";
import { createUser } from "../users/actions.ts";
import {
  findFirstAccount,
  findIdentity,
  findUser,
  findUserByEmail,
  hasIdentityOf,
  insertIdentity,
  type KnownIdentity,
  lockUser,
  saveProvenEmail,
  saveSignIn,
  saveTakeOver,
  takeInvitesOf,
} from "../users/store.ts";
import type { UserWithPassword } from "../users/user.ts";
import { decideRoleChange, OidcRejection, type OidcSettings, type Person } from "./oidc.ts";

/** Session in the browser that started the sign-in. */
export interface OwnSession {
  readonly id: string;
  readonly userId: string;
}

interface Arrival {
  readonly settings: OidcSettings;
  readonly person: Person;
  readonly origin: SessionOrigin;
  readonly session: OwnSession | null;
  readonly at: Date;
}

/**
 * Returns the local user of a person. Creates the user if necessary, and applies the role from the
 * claim.
 */
export async function admitPerson(
  context: AccountsContext,
  arrival: Omit<Arrival, "at">,
): Promise<UserWithPassword> {
  const here = { ...arrival, at: context.clock.now() };
  const user = await inTransaction(context.db, async (db) => {
    const identity =
      (await findIdentity(db, here.person)) ?? (await linkByEmail(context, db, here));
    if (identity !== null) await followClaim(db, here, identity);
    const userId = identity?.userId ?? (await createPerson(db, here));
    return findUser(db, userId);
  });
  context.credentials.forgetAll();
  if (user === null) throw new OidcRejection("unknown");
  // A user who is no longer a member of any account may not sign in, although the user still
  // exists.
  if ((await findHomeAccount(context.db, user.id)) === null) throw new OidcRejection("no-role");
  return user;
}

/**
 * Finds the local user by email address at a person's first sign-in, and links the user to the
 * provider's subject. Later sign-ins use the subject, even if the person's email address changes.
 */
async function linkByEmail(
  context: AccountsContext,
  db: Database,
  arrival: Arrival,
): Promise<KnownIdentity | null> {
  const { person, at } = arrival;
  const found = await findUserByEmail(db, person.email);
  const user = found === null ? null : await lockUser(db, found.id);
  if (user === null) return null;
  if (await hasIdentityOf(db, user.id, person.issuer)) throw new OidcRejection("taken-email");
  const isOwn = user.isEmailProven || (await hasOpenSession(db, user.id, arrival));
  if (isOwn) await saveProvenEmail(db, user.id, at);
  else await takeOver(context, db, { arrival, user });
  const { issuer, subject } = person;
  const identity = { issuer, subject, userId: user.id, isRoleMapped: false };
  if (!(await insertIdentity(db, { ...identity, at }))) throw new OidcRejection("taken-email");
  return identity;
}

/** Returns whether the browser that started this sign-in has a valid session of the user. */
async function hasOpenSession(
  db: Database,
  userId: string,
  { session, at }: Arrival,
): Promise<boolean> {
  if (session?.userId !== userId) return false;
  const open = await findSession(db, userId, session.id);
  return open !== null && open.expiresAt > at;
}

/**
 * Removes all credentials of a user whose email address was never verified. An administrator could
 * have invited any address and accepted the invite, so the address may not belong to the person who
 * set up the user.
 */
async function takeOver(
  context: AccountsContext,
  db: Database,
  { arrival, user }: { readonly arrival: Arrival; readonly user: UserWithPassword },
): Promise<void> {
  const { at } = arrival;
  const removed = await deleteCredentialsOf(db, user.id);
  await saveTakeOver(db, user.id, at);
  const password = user.passwordHash === null ? 0 : 1;
  const changes = { email: user.email, removed: { password, ...removed } };
  context.log.warn(
    { userId: user.id, ...changes },
    "the verified owner of an email address took over its user",
  );
  const accountId = await findHomeAccount(db, user.id);
  if (accountId === null) return;
  const note = { action: "user.taken-over", targetId: user.id, changes, at };
  await writeAuditEntry(db, actorOf(arrival, accountId), note);
}

async function createPerson(db: Database, arrival: Arrival): Promise<string> {
  const { settings, person, at } = arrival;
  const firstAccountId = await findFirstAccount(db);
  const role = person.mappedRole ?? settings.defaultRole;
  const invites = await takeInvitesOf(db, person.email, at);
  const places = new Map(invites.map((invite) => [invite.accountId, invite.role]));
  if (role !== null && firstAccountId !== null) places.set(firstAccountId, role);
  if (places.size === 0) throw new OidcRejection("unknown");
  const { email, name, issuer, subject } = person;
  const userId = await createUser(db, {
    email,
    name,
    password: null,
    isEmailProven: true,
    at,
  });
  const isRoleMapped = person.mappedRole !== null;
  await insertIdentity(db, { issuer, subject, userId, isRoleMapped, at });
  for (const [accountId, granted] of places) {
    await insertMember(db, accountId, { userId, role: granted, at });
    const changes = { email, role: granted };
    const actor = actorOf(arrival, accountId);
    await writeAuditEntry(db, actor, { action: "member.joined", targetId: userId, changes, at });
  }
  return userId;
}

function actorOf({ settings, origin }: Arrival, accountId: string): AuditActor {
  const { address, requestId } = origin;
  return {
    type: "SYSTEM",
    credentialId: null,
    label: settings.name,
    accountId,
    address,
    requestId,
  };
}

async function followClaim(db: Database, arrival: Arrival, identity: KnownIdentity): Promise<void> {
  const { settings, person, at } = arrival;
  const { mappedRole } = person;
  const change = decideRoleChange(settings, { mappedRole, wasMapped: identity.isRoleMapped });
  const isRoleMapped = change.kind === "keep" ? identity.isRoleMapped : mappedRole !== null;
  await saveSignIn(db, { ...identity, isRoleMapped }, at);
  const accountId = change.kind === "keep" ? null : await findFirstAccount(db);
  if (accountId === null) return;
  const to = change.kind === "set" ? change.role : null;
  await changeRole(db, arrival, { accountId, userId: identity.userId, to });
}

/**
 * Changes a member's role in the account, or removes the member if `to` is `null`. The last owner
 * remains an owner, so that somebody can fix a wrong role configuration.
 */
async function changeRole(
  db: Database,
  arrival: Arrival,
  change: { readonly accountId: string; readonly userId: string; readonly to: Role | null },
): Promise<void> {
  const { accountId, userId, to } = change;
  const { at } = arrival;
  const ownerCount = await countOwnersForUpdate(db, accountId);
  const from = (await findMember(db, accountId, userId))?.role ?? null;
  if (from === to || (from === "OWNER" && ownerCount <= 1)) return;
  if (to === null) await deleteMember(db, accountId, { userId, at });
  else if (from === null) await insertMember(db, accountId, { userId, role: to, at });
  else await updateMemberRole(db, accountId, { userId, role: to, at });
  const action = to === null ? "member.removed" : "member.updated";
  const changes = { email: arrival.person.email, role: { from, to } };
  const actor = actorOf(arrival, accountId);
  await writeAuditEntry(db, actor, { action, targetId: userId, changes, at });
}
