import { createHmac, timingSafeEqual } from "node:crypto";
import type { Database } from "../../../platform/database.ts";
import { forbidden, invalid, KnownError } from "../../../platform/errors.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { findSessionStart } from "../sessions/store.ts";
import { getSelf, verifyUser } from "../users/actions.ts";
import type { UserWithPassword } from "../users/user.ts";
import { freshSessionMs, hashRecoveryCode } from "./second-factor.ts";
import { advanceStep, findSealedTotp, takeRecoveryCode } from "./store.ts";

/** Length of a time step. Authenticator apps expect RFC 6238 with SHA-1 and six digits. */
const stepMs = 30_000;
const base32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Encodes a secret for manual entry, as base32 of RFC 4648 without padding. */
export function encodeBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => base32Letters[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

export function computeCode(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const number = mac.readUInt32BE(mac.readUInt8(19) & 15) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / stepMs);
}

/**
 * Returns the time step for which a code is valid, or `null`. Accepts the adjacent steps too,
 * because clocks differ.
 */
export function findStep(secret: Buffer, code: string, nowMs: number): number | null {
  const now = stepAt(nowMs);
  const given = Buffer.from(code);
  const isRight = (step: number) => {
    const expected = Buffer.from(computeCode(secret, step));
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  return [now, now - 1, now + 1].find(isRight) ?? null;
}

interface KeyLabel {
  readonly email: string;
  /** Host name, which distinguishes this server from others in the authenticator app. */
  readonly host: string;
}

/** Builds the URL that the QR code for an authenticator app contains. */
export function buildOtpauthUrl(secret: Buffer, { email, host }: KeyLabel): string {
  // In the label, a colon separates the issuer from the email address, so neither may contain one.
  const issuer = `Vedette (${host.replaceAll(":", "-")})`;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  const query = `secret=${encodeBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
  return `otpauth://totp/${label}?${query}&algorithm=SHA1&digits=6&period=30`;
}

/** Password or code that proves that the signed-in user sends the request. */
export interface Proof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

/**
 * Returns the calling user. Requires a session, because a leaked API key must not add a way to sign
 * in.
 */
export async function getSignedInSelf(
  context: AccountsContext,
  caller: Caller,
): Promise<UserWithPassword> {
  if (caller.type !== "SESSION") throw forbidden();
  return getSelf(context, caller);
}

/** Returns the calling user after verifying a password or a code of the authenticator app. */
export async function proveSelf(
  context: AccountsContext,
  caller: Caller,
  { password, code }: Proof,
): Promise<UserWithPassword> {
  const user = await getSignedInSelf(context, caller);
  if (code !== undefined) {
    const guess = { userId: user.id, code };
    const isRight = await context.codeGuard.checkOwn(user.id, () =>
      useTotpCode(context, context.db, guess),
    );
    if (!isRight) throw invalid("code", "is wrong or was already used");
    return user;
  }
  if (password === undefined) throw new KnownError("proofNeeded");
  const isRight = await context.passwordGuard.checkOwn(user.id, () => verifyUser(user, password));
  if (!isRight) throw invalid("password", "is not your password");
  return user;
}

/**
 * Returns the calling user. A proof is needed only if the session was not opened recently. A proof
 * that is sent is always verified.
 */
export async function proveSelfUnlessFresh(
  context: AccountsContext,
  caller: Caller,
  proof: Proof,
): Promise<UserWithPassword> {
  const isGiven = proof.password !== undefined || proof.code !== undefined;
  if (isGiven) return proveSelf(context, caller, proof);
  const user = await getSignedInSelf(context, caller);
  const startedAt = await findSessionStart(context.db, caller.credentialId);
  const isFresh =
    startedAt !== null && context.clock.nowMs() - startedAt.getTime() < freshSessionMs;
  if (!isFresh) throw new KnownError("proofNeeded");
  return user;
}

/** Decrypts a TOTP secret. It is encrypted as base64, because the encryption accepts only text. */
function readSecret(context: AccountsContext, sealed: string): Buffer | null {
  const opened = context.encryption.tryDecrypt(sealed);
  return opened === null ? null : Buffer.from(opened, "base64");
}

/** Verifies and consumes a code of the user's authenticator app. A code works only once. */
export async function useTotpCode(
  context: AccountsContext,
  db: Database,
  guess: { readonly userId: string; readonly code: string },
): Promise<boolean> {
  const sealed = await findSealedTotp(db, guess.userId);
  const secret = sealed === null ? null : readSecret(context, sealed);
  if (secret === null) return false;
  const step = findStep(secret, guess.code.replaceAll(" ", ""), context.clock.nowMs());
  return step !== null && advanceStep(db, guess.userId, step);
}

export function useRecoveryCode(
  db: Database,
  guess: { readonly userId: string; readonly code: string },
): Promise<boolean> {
  return takeRecoveryCode(db, guess.userId, hashRecoveryCode(guess.code));
}
