import { randomUUIDv7 } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { inTransaction } from "../../../platform/database.ts";
import { forbidden, KnownError, notFound } from "../../../platform/errors.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { createSecret, hashSecret } from "../../../platform/secrets.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { saveNetwork } from "../credential-store.ts";
import { findHomeAccount } from "../store.ts";
import { getSelf, verifyUser } from "../users/actions.ts";
import { findUserByEmail, lockUser, raiseCredentialVersion } from "../users/store.ts";
import { toWireUser, type User, type UserWithPassword } from "../users/user.ts";
import {
  maxSessionsPerUser,
  type ProvenFactor,
  type Session,
  type SessionOrigin,
  type SignInWay,
  sessionLifetimeMs,
  toWireSession,
  writeSessionCookie,
} from "./session.ts";
import {
  deleteExpiredSessions,
  deleteOldestSessions,
  deleteOtherSessions,
  deleteSession,
  insertSession,
  listSessions,
} from "./store.ts";

/** User as read from the database when the user's identity was verified. */
export type ProvenUser = User & Pick<UserWithPassword, "credentialVersion">;

export interface OpenedSession {
  readonly session: Session;
  readonly token: string;
  readonly user: User;
}

/**
 * Opens a session for a verified user. Throws if the user's credentials have changed since they
 * were verified.
 */
export async function openSession(
  context: AccountsContext,
  user: ProvenUser,
  origin: SessionOrigin & { readonly way: SignInWay; readonly secondFactor?: ProvenFactor },
): Promise<OpenedSession> {
  const at = context.clock.now();
  const token = createSecret();
  const session: Session = {
    id: randomUUIDv7(),
    way: origin.way,
    secondFactor: origin.secondFactor ?? null,
    address: origin.address,
    userAgent: origin.userAgent,
    createdAt: at,
    expiresAt: new Date(at.getTime() + sessionLifetimeMs),
    lastUsedAt: null,
  };
  await inTransaction(context.db, async (db) => {
    const current = await lockUser(db, user.id);
    if (current?.credentialVersion !== user.credentialVersion) throw new KnownError("badSignIn");
    await insertSession(db, user.id, { ...session, tokenHash: hashSecret(token) });
    await deleteOldestSessions(db, user.id, maxSessionsPerUser);
    await saveNetwork(db, user.id, { network: addressKey(origin.address), at });
    const accountId = await findHomeAccount(db, user.id);
    if (accountId === null) return;
    const actor = {
      type: "SESSION" as const,
      credentialId: session.id,
      label: user.email,
      accountId,
      address: origin.address,
      requestId: origin.requestId,
    };
    const { way, secondFactor } = session;
    const changes = { way, ...(secondFactor !== null && { secondFactor }) };
    await writeAuditEntry(db, actor, {
      action: "session.created",
      targetId: session.id,
      changes,
      at,
    });
  });
  return { session, token, user };
}

const maxUserAgentLength = 255;

export function readSessionOrigin({ ip, id, headers }: FastifyRequest): SessionOrigin {
  const userAgent = headers["user-agent"]?.slice(0, maxUserAgentLength) ?? null;
  return { address: ip, requestId: id, userAgent };
}

/** Sets the cookie and returns the session for the response. */
export function presentSession(
  context: AccountsContext,
  reply: FastifyReply,
  { session, token, user }: OpenedSession,
) {
  const cookie = { value: token, expires: session.expiresAt, isSecure: context.isSecure() };
  reply.header("set-cookie", writeSessionCookie(cookie));
  return { ...toWireSession(session), user: toWireUser(user) };
}

interface PasswordProof {
  readonly email: string;
  readonly password: string;
  readonly address: string;
}

/** Returns the user with this email address, if the password is correct. Otherwise throws. */
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

/**
 * Ends all sessions of the user except the one that sent the request. A request with an API key
 * ends all sessions.
 */
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
