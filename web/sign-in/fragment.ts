const methods = ["TOTP", "PASSKEY", "RECOVERY_CODE"] as const;

export interface HandedChallenge {
  readonly challengeToken: string;
  readonly methods: (typeof methods)[number][];
}

/** What a provider's sign-in still lacks: the server hands it over in the fragment. */
export function readChallenge(hash: string): HandedChallenge | null {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const challengeToken = given.get("challenge");
  if (challengeToken === null || !/^[\w+/=-]{20,4000}$/.test(challengeToken)) return null;
  const named = (given.get("methods") ?? "").split(",");
  return { challengeToken, methods: methods.filter((method) => named.includes(method)) };
}

/** A token in the part of the address that browsers send to nobody; null: there is none. */
export function readToken(hash: string, name: "link" | "token"): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get(name);
  return token !== null && /^[\w-]{20,200}$/.test(token) ? token : null;
}
