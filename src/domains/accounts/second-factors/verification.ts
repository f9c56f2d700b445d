import type { Database } from "../../../platform/database.ts";
import type { AccountsContext } from "../context.ts";
import { hashRecoveryCode } from "./recovery-code.ts";
import { advanceStep, findSealedTotp, takeRecoveryCode } from "./store.ts";
import { findStep } from "./totp.ts";

/** Secrets are encrypted as base64, because the encryption accepts text. */
export function readSecret(context: AccountsContext, sealed: string): Buffer | null {
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
