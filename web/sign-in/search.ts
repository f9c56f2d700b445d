export interface SignInSearch {
  /** Where to go afterwards. */
  readonly return?: string;
  /** `password`: a link has signed them in, and they choose one. */
  readonly step?: "password" | "forgotten";
}

/** Only a path of ours: an address of another site must not be reached through the sign-in. */
export function parseSignInSearch(search: Record<string, unknown>): SignInSearch {
  const { return: back, step } = search;
  const isOwnPath = typeof back === "string" && /^\/(?![/\\])/.test(back);
  return {
    ...(isOwnPath ? { return: back } : {}),
    ...(step === "password" || step === "forgotten" ? { step } : {}),
  };
}
