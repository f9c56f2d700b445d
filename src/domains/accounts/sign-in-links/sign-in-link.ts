/** SIGN_IN opens a session; RESET lets its holder choose a new password. */
export type LinkPurpose = "SIGN_IN" | "RESET";

export interface SignInLink {
  readonly userId: string;
  readonly purpose: LinkPurpose;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export const linkLifetimeMs = 3_600_000;

export function isLinkOpen(link: SignInLink, now: Date): boolean {
  return link.expiresAt > now;
}

/** In the fragment, which browsers keep to themselves: no server and no proxy logs a token. */
export function buildSignInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#link=${token}`;
}

export function buildResetUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/reset-password#token=${token}`;
}
