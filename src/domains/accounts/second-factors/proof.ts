import type { Database } from "../../../platform/database.ts";
import { forbidden, invalid, KnownError } from "../../../platform/errors.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { findSessionStart } from "../sessions/store.ts";
import { getSelf, verifyUser } from "../users/actions.ts";
import type { UserWithPassword } from "../users/user.ts";
import { freshSessionMs, hashRecoveryCode } from "./second-factor.ts";
import { advanceStep, findSealedTotp, takeRecoveryCode } from "./store.ts";
import { findStep } from "./totp.ts";

/** Proves that the person at the keyboard is the one who signed in. */
export interface Proof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

/** Requires a session, so that a leaked API key cannot add a way to sign in. */
export async function getSignedInSelf(
  context: AccountsContext,
  caller: Caller,
): Promise<UserWithPassword> {
  if (caller.type !== "SESSION") throw forbidden();
  return getSelf(context, caller);
}

/** Verifies the password, or a code of the authenticator app. */
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

/** Skips the proof for a session that was opened recently. */
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

/** Secrets are encrypted as base64, because the encryption accepts text. */
function readSecret(context: AccountsContext, sealed: string): Buffer | null {
  const opened = context.encryption.tryDecrypt(sealed);
  return opened === null ? null : Buffer.from(opened, "base64");
}

/** Verifies and consumes a code of the user's authenticator app; a code works once. */
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
