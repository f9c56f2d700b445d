export interface Session {
  readonly id: string;
  readonly address: string;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
}

export const sessionLifetimeMs = 30 * 86_400_000;
/** Enough for every device of a person; the oldest make room. */
export const maxSessionsPerUser = 50;
