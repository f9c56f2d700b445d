const methods = ["TOTP", "PASSKEY", "RECOVERY_CODE"] as const;

export interface HandedChallenge {
  readonly challengeToken: string;
  readonly methods: (typeof methods)[number][];
}

/**
 * Parses the second-factor challenge in the URL fragment. The server passes the challenge this way
 * after a sign-in with an identity provider.
 */
export function readChallenge(hash: string): HandedChallenge | null {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const challengeToken = given.get("challenge");
  if (challengeToken === null || !/^[\w+/=-]{20,4000}$/.test(challengeToken)) return null;
  const named = (given.get("methods") ?? "").split(",");
  return { challengeToken, methods: methods.filter((method) => named.includes(method)) };
}

/** Returns a token from the URL fragment, which browsers do not send to servers, or `null`. */
export function readToken(hash: string, name: "link" | "token"): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get(name);
  return token !== null && /^[\w-]{20,200}$/.test(token) ? token : null;
}
