import type { SignInWay } from "../sessions/session.ts";

/**
 * Contents of a challenge token, by purpose. The client carries it from one sign-in step to the
 * next.
 */
export interface ChallengeContents {
  /** The first factor is verified, the second is not. */
  readonly "second-factor": {
    readonly userId: string;
    readonly way: SignInWay;
    readonly credentialVersion: number;
  };
  readonly "totp-set-up": { readonly userId: string; readonly secret: string };
  readonly "passkey-registration": { readonly userId: string; readonly challenge: string };
  /** `userId` is `null` for a sign-in with any passkey of this host. */
  readonly "passkey-sign-in": { readonly userId: string | null; readonly challenge: string };
  readonly oidc: {
    readonly state: string;
    readonly nonce: string;
    readonly codeVerifier: string;
    readonly returnTo: string;
    /** Session of the browser that started the sign-in; it proves ownership of the local user. */
    readonly session: { readonly id: string; readonly userId: string } | null;
  };
}
export type ChallengePurpose = keyof ChallengeContents;

const minuteMs = 60_000;

export const challengeLifetimesMs: Readonly<Record<ChallengePurpose, number>> = {
  "second-factor": 5 * minuteMs,
  "totp-set-up": 15 * minuteMs,
  "passkey-registration": 5 * minuteMs,
  "passkey-sign-in": 5 * minuteMs,
  oidc: 10 * minuteMs,
};

export interface OpenedChallenge<Purpose extends ChallengePurpose> {
  readonly id: string;
  readonly expiresAt: Date;
  readonly content: ChallengeContents[Purpose];
}

export interface IssuedChallenge {
  readonly token: string;
  readonly expiresAt: Date;
}
