const methods = ["TOTP", "PASSKEY", "RECOVERY_CODE"] as const;

export interface HandedChallenge {
  readonly challengeToken: string;
  readonly methods: (typeof methods)[number][];
}

/**
 * Parses the second-factor challenge that the server passes in the fragment after a provider
 * sign-in.
 */
export function readChallenge(hash: string): HandedChallenge | null {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const challengeToken = given.get("challenge");
  if (challengeToken === null || !/^[\w+/=-]{20,4000}$/.test(challengeToken)) return null;
  const named = (given.get("methods") ?? "").split(",");
  return { challengeToken, methods: methods.filter((method) => named.includes(method)) };
}

/** Returns a token from the fragment, which browsers do not send to servers, or `null`. */
export function readToken(hash: string, name: "link" | "token"): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get(name);
  return token !== null && /^[\w-]{20,200}$/.test(token) ? token : null;
}
