import { randomUUIDv7 } from "node:crypto";
import { addressKey } from "../../../platform/address-key.ts";
import { inTransaction } from "../../../platform/database.ts";
import { forbidden, KnownError, notFound } from "../../../platform/errors.ts";
import {
  createSecret,
  hashPassword,
  hashSecret,
  verifyPassword,
} from "../../../platform/secrets.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { presentSecret } from "../credentials.ts";
import { saveNetwork } from "../sign-in-network-store.ts";
import { getSelf } from "../users/actions.ts";
import { findUserByEmail } from "../users/store.ts";
import type { User } from "../users/user.ts";
import { maxSessionsPerUser, type Session, sessionLifetimeMs } from "./session.ts";
import {
  deleteExpiredSessions,
  deleteOldestSessions,
  deleteSession,
  insertSession,
  listSessions,
} from "./store.ts";

export interface SignIn {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  readonly userAgent: string | null;
  readonly requestId: string;
}

/** An unknown email costs as much work as a known one, so that timing reveals nothing. */
let decoyHash: Promise<string> | undefined;
function getDecoyHash(): Promise<string> {
  decoyHash ??= hashPassword(createSecret());
  return decoyHash;
}

export async function signIn(
  context: AccountsContext,
  attempt: SignIn,
): Promise<{ readonly session: Session; readonly token: string; readonly user: User }> {
  const user = await findUserByEmail(context.db, attempt.email);
  const hash = user?.passwordHash ?? (await getDecoyHash());
  const verify = async () => (await verifyPassword(attempt.password, hash)) && user !== null;
  const isRight = await context.passwordGuard.check(context.db, attempt, verify);
  if (user === null || !isRight) throw new KnownError("badSignIn");
  const at = context.clock.now();
  const token = createSecret();
  const session: Session = {
    id: randomUUIDv7(),
    address: attempt.address,
    userAgent: attempt.userAgent,
    createdAt: at,
    expiresAt: new Date(at.getTime() + sessionLifetimeMs),
    lastUsedAt: null,
  };
  await inTransaction(context.db, async (db) => {
    await insertSession(db, user.id, { ...session, tokenHash: hashSecret(token) });
    await deleteOldestSessions(db, user.id, maxSessionsPerUser);
    await saveNetwork(db, user.id, { network: addressKey(attempt.address), at });
  });
  await recordSignIn(context, token, attempt);
  return { session, token, user };
}

/** Written to the audit log of the session's home account. */
async function recordSignIn(
  context: AccountsContext,
  token: string,
  { address, requestId }: SignIn,
): Promise<void> {
  const credential = await context.credentials.find(presentSecret("SESSION", token));
  if (credential === null || credential.homeAccountId === null) return;
  const actor = {
    type: "SESSION" as const,
    credentialId: credential.id,
    label: credential.label,
    accountId: credential.homeAccountId,
    address,
    requestId,
  };
  const at = context.clock.now();
  await writeAuditEntry(context.db, actor, {
    action: "session.created",
    targetId: credential.id,
    at,
  });
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

export async function signOut(context: AccountsContext, caller: Caller): Promise<void> {
  if (caller.type !== "SESSION") throw forbidden();
  await endSession(context, caller, caller.credentialId);
}

export async function pruneSessions(context: AccountsContext): Promise<void> {
  await deleteExpiredSessions(context.db, context.clock.now());
}
