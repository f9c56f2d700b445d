import { randomInt } from "node:crypto";
import { hashSecret } from "../../../platform/secrets.ts";

/** Ways to prove the second factor. */
export const secondFactors = ["TOTP", "PASSKEY", "RECOVERY_CODE"] as const;

export type SecondFactor = (typeof secondFactors)[number];

/** Second factors that a user has set up. */
export interface FactorsOfUser {
  readonly totpSince: Date | null;
  readonly recoveryCodesLeft: number;
  readonly passkeyCount: number;
  /** Number of passkeys created for the host of the request. */
  readonly usablePasskeyCount: number;
}

export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** Host name the passkey was created for; it works on no other host. */
  readonly host: string;
  readonly isSynced: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** A passkey with the data needed to verify its signatures. */
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

/** Returns `null` if no second factor is needed. */
export function decideFactorsToOffer(factors: FactorsOfUser): SecondFactor[] | null {
  if (!hasSecondFactor(factors)) return null;
  return [
    ...(factors.totpSince === null ? [] : ["TOTP" as const]),
    ...(factors.usablePasskeyCount === 0 ? [] : ["PASSKEY" as const]),
    ...(factors.recoveryCodesLeft === 0 ? [] : ["RECOVERY_CODE" as const]),
  ];
}

/** Maximum age of a session that needs no further proof to add a way to sign in. */
export const freshSessionMs = 15 * 60_000;

const recoveryCodeCount = 10;

/** Excludes characters that are easily confused. */
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

const groupCount = 4;

const groupLength = 4;

function createGroup(): string {
  return Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join("");
}

/** Each code has 79 bits of entropy, so an unsalted hash is sufficient. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () =>
    Array.from({ length: groupCount }, createGroup).join("-"),
  );
}

/** Normalises case, spaces and hyphens before hashing. */
export function hashRecoveryCode(code: string): Buffer {
  return hashSecret(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
}
