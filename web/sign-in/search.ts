export interface SignInSearch {
  /** Where to go afterwards. */
  readonly return?: string;
  /** `password`: a link has signed them in, and they choose one. */
  readonly step?: "password" | "forgotten";
}

const ownPath = /^\/(?![/\\])/;
const ownOrigin = "http://own.invalid";

/** Without its dots `/.//host` is `//host`, which may be taken for another site. */
function isOwnPath(address: string): boolean {
  if (!ownPath.test(address) || !URL.canParse(address, ownOrigin)) return false;
  const { origin, pathname } = new URL(address, ownOrigin);
  return origin === ownOrigin && ownPath.test(pathname);
}

/** Only a path of ours: an address of another site must not be reached through the sign-in. */
export function parseSignInSearch(search: Record<string, unknown>): SignInSearch {
  const { return: back, step } = search;
  return {
    ...(typeof back === "string" && isOwnPath(back) ? { return: back } : {}),
    ...(step === "password" || step === "forgotten" ? { step } : {}),
  };
}
