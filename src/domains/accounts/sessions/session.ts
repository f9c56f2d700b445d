/** How somebody proved who they are. */
export const signInWays = ["PASSWORD", "LINK", "RESET", "INVITE", "PASSKEY", "OIDC"] as const;
export type SignInWay = (typeof signInWays)[number];

/** With which second factor; the provider may have asked for one in its own way. */
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

/** Where a session is opened from. */
export interface SessionOrigin {
  readonly address: string;
  readonly userAgent: string | null;
  readonly requestId: string;
}

/** How long a session that a one-time link opened may choose a password without the old one. */
const choosingMs = 3_600_000;

export function isOpenedByLink({ way, createdAt }: Session, now: Date): boolean {
  return way === "LINK" && now.getTime() - createdAt.getTime() < choosingMs;
}

export const sessionLifetimeMs = 30 * 86_400_000;
/** Enough for every device of a person; the oldest make room. */
export const maxSessionsPerUser = 50;
