import { inTransaction } from "../../../platform/database.ts";
import { forbidden, KnownError, notFound } from "../../../platform/errors.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { getSelf, verifyUser } from "../users/actions.ts";
import { findUserByEmail, raiseCredentialVersion } from "../users/store.ts";
import type { UserWithPassword } from "../users/user.ts";
import type { Session } from "./session.ts";
import {
  deleteExpiredSessions,
  deleteOtherSessions,
  deleteSession,
  listSessions,
} from "./store.ts";

export interface PasswordProof {
  readonly email: string;
  readonly password: string;
  readonly address: string;
}

/** Returns the user with this email address and password. */
export async function provePassword(
  context: AccountsContext,
  proof: PasswordProof,
): Promise<UserWithPassword> {
  const user = await findUserByEmail(context.db, proof.email);
  const verify = () => verifyUser(user, proof.password);
  const isRight = await context.passwordGuard.check(context.db, proof, verify);
  if (user === null || !isRight) throw new KnownError("badSignIn");
  return user;
}

export async function listOwnSessions(
  context: AccountsContext,
  caller: Caller,
): Promise<Session[]> {
  const user = await getSelf(context, caller);
  return listSessions(context.db, user.id, context.clock.now());
}

export async function endSession(
  context: AccountsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const user = await getSelf(context, caller);
  await inTransaction(context.db, async (db) => {
    if (!(await deleteSession(db, user.id, id))) throw notFound();
    const at = context.clock.now();
    await writeAuditEntry(db, caller, { action: "session.ended", targetId: id, at });
  });
  context.credentials.forgetAll();
}

/** Ends all sessions except the caller's; with an API key, all of them. */
export async function endOtherSessions(context: AccountsContext, caller: Caller): Promise<void> {
  const user = await getSelf(context, caller);
  const keptId = caller.type === "SESSION" ? caller.credentialId : null;
  await inTransaction(context.db, async (db) => {
    await deleteOtherSessions(db, user.id, keptId);
    await raiseCredentialVersion(db, user.id);
    const at = context.clock.now();
    await writeAuditEntry(db, caller, { action: "session.others-ended", targetId: user.id, at });
  });
  context.credentials.forgetAll();
}

export async function signOut(context: AccountsContext, caller: Caller): Promise<void> {
  if (caller.type !== "SESSION") throw forbidden();
  await endSession(context, caller, caller.credentialId);
}

export async function pruneSessions(context: AccountsContext): Promise<void> {
  await deleteExpiredSessions(context.db, context.clock.now());
}
