/** How the user authenticated. */
export const signInWays = ["PASSWORD", "LINK", "RESET", "INVITE", "PASSKEY", "OIDC"] as const;
export type SignInWay = (typeof signInWays)[number];

/** Second factor used; `PROVIDER` if the OpenID provider verified it. */
export const provenFactors = ["TOTP", "PASSKEY", "RECOVERY_CODE", "PROVIDER"] as const;
export type ProvenFactor = (typeof provenFactors)[number];

export interface Session {
  readonly id: string;
  readonly way: SignInWay;
  readonly secondFactor: ProvenFactor | null;
  readonly address: string;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Origin of the request that opened a session. */
export interface SessionOrigin {
  readonly address: string;
  readonly userAgent: string | null;
  readonly requestId: string;
}

/** How long after a sign-in by one-time link the password can be set without the current one. */
const choosingMs = 3_600_000;

export function isOpenedByLink({ way, createdAt }: Session, now: Date): boolean {
  return way === "LINK" && now.getTime() - createdAt.getTime() < choosingMs;
}

export const sessionLifetimeMs = 30 * 86_400_000;
/** Enough for all devices of a person; a new session replaces the oldest. */
export const maxSessionsPerUser = 50;
