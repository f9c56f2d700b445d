/** SIGN_IN opens a session; RESET allows its holder to set a new password. */
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

/** The token goes into the fragment, which browsers never send, so no server or proxy logs it. */
export function buildSignInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#link=${token}`;
}

export function buildResetUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/reset-password#token=${token}`;
}
