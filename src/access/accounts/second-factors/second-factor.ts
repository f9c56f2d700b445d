import { randomInt } from "node:crypto";
import { hashSecret } from "../../../platform/secrets.ts";

/** Methods for proving the second factor. */
export const secondFactors = ["TOTP", "PASSKEY", "RECOVERY_CODE"] as const;

export type SecondFactor = (typeof secondFactors)[number];

/** Second factors that a user has set up. */
export interface FactorsOfUser {
  readonly totpSince: Date | null;
  readonly recoveryCodesLeft: number;
  readonly passkeyCount: number;
  /** Number of passkeys that work on the host of the request. */
  readonly usablePasskeyCount: number;
}

export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** Host name for which the passkey was created. It works on no other host. */
  readonly host: string;
  readonly isSynced: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** A passkey with the data that is needed to verify its signatures. */
export interface PasskeyWithKey extends Passkey {
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

export function hasSecondFactor(factors: FactorsOfUser): boolean {
  return factors.totpSince !== null || factors.passkeyCount > 0;
}

/**
 * Returns the second factors that the user can choose from, or `null` if the user has set up none.
 */
export function decideFactorsToOffer(factors: FactorsOfUser): SecondFactor[] | null {
  if (!hasSecondFactor(factors)) return null;
  return [
    ...(factors.totpSince === null ? [] : ["TOTP" as const]),
    ...(factors.usablePasskeyCount === 0 ? [] : ["PASSKEY" as const]),
    ...(factors.recoveryCodesLeft === 0 ? [] : ["RECOVERY_CODE" as const]),
  ];
}

/** Maximum age of a session that may add a sign-in method without further proof of identity. */
export const freshSessionMs = 15 * 60_000;

const recoveryCodeCount = 10;

/** Characters of recovery codes, without characters that are easily confused. */
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

const groupCount = 4;

const groupLength = 4;

function createGroup(): string {
  return Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join("");
}

/** Creates recovery codes. Each code has 79 bits of entropy, so an unsalted hash is sufficient. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () =>
    Array.from({ length: groupCount }, createGroup).join("-"),
  );
}

/** Hashes a recovery code. Case, spaces and hyphens do not matter. */
export function hashRecoveryCode(code: string): Buffer {
  return hashSecret(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
}
