/** How a second proof can be given. */
export const secondFactors = ["TOTP", "PASSKEY", "RECOVERY_CODE"] as const;
export type SecondFactor = (typeof secondFactors)[number];

/** What a user has set up. */
export interface FactorsOfUser {
  readonly totpSince: Date | null;
  readonly recoveryCodesLeft: number;
  readonly passkeyCount: number;
  /** Of those, the ones made for the host that is asked. */
  readonly usablePasskeyCount: number;
}

export function hasSecondFactor(factors: FactorsOfUser): boolean {
  return factors.totpSince !== null || factors.passkeyCount > 0;
}

/** Null: nothing but the first factor is asked of them. */
export function decideFactorsToOffer(factors: FactorsOfUser): SecondFactor[] | null {
  if (!hasSecondFactor(factors)) return null;
  return [
    ...(factors.totpSince === null ? [] : ["TOTP" as const]),
    ...(factors.usablePasskeyCount === 0 ? [] : ["PASSKEY" as const]),
    ...(factors.recoveryCodesLeft === 0 ? [] : ["RECOVERY_CODE" as const]),
  ];
}

/** A session this young needs no further proof to add a way to sign in. */
export const freshSessionMs = 15 * 60_000;
