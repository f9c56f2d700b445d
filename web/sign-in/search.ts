export interface SignInSearch {
  /** Path that is opened after the sign-in. */
  readonly return?: string;
  /**
   * Step of the sign-in. `password` means that the user has signed in with a link and must choose a
   * password.
   */
  readonly step?: "password" | "forgotten";
}

const ownPath = /^\/(?![/\\])/;
const ownOrigin = "http://own.invalid";

/**
 * Returns whether an address is a path of this application. The address is parsed first, because
 * browsers normalise `/.//host` to `//host`, which is another site.
 */
function isOwnPath(address: string): boolean {
  if (!ownPath.test(address) || !URL.canParse(address, ownOrigin)) return false;
  const { origin, pathname } = new URL(address, ownOrigin);
  return origin === ownOrigin && ownPath.test(pathname);
}

/**
 * Parses the query parameters. `return` must be a path of this application, to prevent open
 * redirects.
 */
export function parseSignInSearch(search: Record<string, unknown>): SignInSearch {
  const { return: back, step } = search;
  return {
    ...(typeof back === "string" && isOwnPath(back) ? { return: back } : {}),
    ...(step === "password" || step === "forgotten" ? { step } : {}),
  };
}
