export interface SignInSearch {
  /** Path to open after sign-in. */
  readonly return?: string;
  /** `password`: a link has signed the user in, and they choose a password. */
  readonly step?: "password" | "forgotten";
}

const ownPath = /^\/(?![/\\])/;
const ownOrigin = "http://own.invalid";

/** Browsers normalise `/.//host` to `//host`, which is another site. */
function isOwnPath(address: string): boolean {
  if (!ownPath.test(address) || !URL.canParse(address, ownOrigin)) return false;
  const { origin, pathname } = new URL(address, ownOrigin);
  return origin === ownOrigin && ownPath.test(pathname);
}

/** Accepts only paths of this application, to prevent open redirects. */
export function parseSignInSearch(search: Record<string, unknown>): SignInSearch {
  const { return: back, step } = search;
  return {
    ...(typeof back === "string" && isOwnPath(back) ? { return: back } : {}),
    ...(step === "password" || step === "forgotten" ? { step } : {}),
  };
}
