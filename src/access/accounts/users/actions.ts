import { randomUUIDv7 } from "node:crypto";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { findTakenConstraint } from "../../../platform/database-errors.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { createSecret, hashPassword, verifyPassword } from "../../../platform/secrets.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { isOpenedByLink } from "../sessions/session.ts";
import { deleteLinksOfUser, deleteOtherSessions, findSession } from "../sessions/store.ts";
import {
  findEmailChange,
  findUser,
  insertUser,
  lockUser,
  updatePassword,
  updateUserName,
} from "./store.ts";
import { findPasswordFault, isPlaceholderEmail, type User, type UserWithPassword } from "./user.ts";

interface NewUser {
  readonly name: string | null;
  /** Password of the user; `null` if the user has other ways to sign in. */
  readonly password: string | null;
  /** Whether it is verified that the person owns this email address. */
  readonly isEmailProven?: boolean;
}

export async function createUser(
  db: Database,
  input: NewUser & { readonly email: string; readonly at: Date },
): Promise<string> {
  const id = randomUUIDv7();
  const { email, name, at, isEmailProven = false } = input;
  const passwordHash = input.password === null ? null : await hashPassword(input.password);
  try {
    await insertUser(db, { id, email, name, passwordHash, isEmailProven, at });
  } catch (error) {
    if (findTakenConstraint(error) !== "users_email") throw error;
    throw conflict(`${email} was added by a concurrent request; retry`);
  }
  return id;
}

let decoyHash: Promise<string> | undefined;
function getDecoyHash(): Promise<string> {
  decoyHash ??= hashPassword(createSecret());
  return decoyHash;
}

/** Verifies a password. Takes the same time if the user is unknown or has no password. */
export async function verifyUser(
  user: UserWithPassword | null,
  password: string,
): Promise<boolean> {
  const hash = user?.passwordHash ?? null;
  const isRight = await verifyPassword(password, hash ?? (await getDecoyHash()));
  return isRight && hash !== null;
}

/** Returns the calling user. Throws a 404 error for a service key, because it has no user. */
export async function getSelf(context: AccountsContext, caller: Caller): Promise<UserWithPassword> {
  const user = caller.userId === null ? null : await findUser(context.db, caller.userId);
  if (user === null) throw notFound();
  return user;
}

export async function renameSelf(
  context: AccountsContext,
  caller: Caller,
  change: { readonly name: string | null },
): Promise<User> {
  const { id } = await getSelf(context, caller);
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const user = await lockUser(db, id);
    if (user === null) throw notFound();
    await updateUserName(db, user.id, { name: change.name, at });
    const changes = { name: { from: user.name, to: change.name } };
    await writeAuditEntry(db, caller, { action: "user.updated", targetId: user.id, changes, at });
    return { ...user, name: change.name };
  });
}

/**
 * Returns whether the caller may set a password without the current one, because the session was
 * recently opened by a one-time link.
 */
export async function mayChoosePassword(
  context: AccountsContext,
  caller: Caller,
): Promise<boolean> {
  if (caller.type !== "SESSION" || caller.userId === null) return false;
  const session = await findSession(context.db, caller.userId, caller.credentialId);
  return session !== null && isOpenedByLink(session, context.clock.now());
}

export interface OwnUser extends User {
  readonly hasPassword: boolean;
  readonly mayChoosePassword: boolean;
  readonly isEmailPlaceholder: boolean;
  /** New email address that the user has requested but not confirmed; `null` if there is none. */
  readonly pendingEmail: string | null;
}

export async function viewSelf(context: AccountsContext, caller: Caller): Promise<OwnUser> {
  const { id, email, name, passwordHash } = await getSelf(context, caller);
  const change = await findEmailChange(context.db, id);
  const isPending = change !== null && change.expiresAt > context.clock.now();
  return {
    ...{ id, email, name },
    hasPassword: passwordHash !== null,
    mayChoosePassword: await mayChoosePassword(context, caller),
    isEmailPlaceholder: isPlaceholderEmail(email),
    pendingEmail: isPending ? change.newEmail : null,
  };
}

export async function proveRightToChoose(
  context: AccountsContext,
  caller: Caller,
  claim: { readonly user: UserWithPassword; readonly currentPassword?: string | undefined },
): Promise<void> {
  const { user, currentPassword } = claim;
  if (currentPassword === undefined) {
    if (await mayChoosePassword(context, caller)) return;
    throw invalid(
      "currentPassword",
      "is required, unless you signed in with a one-time link within the last hour",
    );
  }
  const verify = () => verifyUser(user, currentPassword);
  if (await context.passwordGuard.checkOwn(user.id, verify)) return;
  throw invalid("currentPassword", "is wrong");
}

/** Changes the password and ends all other sessions of the user. */
export async function changePassword(
  context: AccountsContext,
  caller: Caller,
  change: { readonly currentPassword?: string | undefined; readonly newPassword: string },
): Promise<void> {
  const user = await getSelf(context, caller);
  const { currentPassword } = change;
  await proveRightToChoose(context, caller, { user, currentPassword });
  const fault = findPasswordFault(change.newPassword, user.email);
  if (fault !== null) throw invalid("newPassword", fault);
  const passwordHash = await hashPassword(change.newPassword);
  const keptSessionId = caller.type === "SESSION" ? caller.credentialId : null;
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    // A concurrent request may have replaced the password that this request has verified.
    const isUnchanged = (await lockUser(db, user.id))?.passwordHash === user.passwordHash;
    if (!isUnchanged) throw invalid("currentPassword", "is wrong");
    await updatePassword(db, user.id, { passwordHash, at });
    await deleteOtherSessions(db, user.id, keptSessionId);
    await deleteLinksOfUser(db, user.id);
    await writeAuditEntry(db, caller, { action: "user.password-changed", targetId: user.id, at });
  });
  context.credentials.forgetAll();
}
