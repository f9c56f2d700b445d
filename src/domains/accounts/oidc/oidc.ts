/** What an OpenID provider says of a person, and what that means here. Pure. */
import { isAtLeast, type Role } from "../role.ts";

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** How people know the provider. */
  readonly name: string;
  /** Null: addresses of any domain. */
  readonly allowedDomains: readonly string[] | null;
  /** Where the claim with the roles is, such as `groups` or `realm_access.roles`. */
  readonly roleClaim: string | null;
  readonly roles: ReadonlyMap<string, Role>;
  /** Null: only people who are known or invited. */
  readonly defaultRole: Role | null;
}

/** Where a browser begins. */
export const oidcStartPath = "/sign-in/oidc";

export type Claims = Readonly<Record<string, unknown>>;

export interface Person {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly name: string | null;
  /** Of the claim; null when none of its values has a role here. */
  readonly mappedRole: Role | null;
  readonly hasSecondFactor: boolean;
}

export const refusals = {
  "not-set-up": { status: 404, words: "Signing in this way is not set up on this server." },
  unreachable: {
    status: 503,
    words: "The sign-in service cannot be reached. Try again in a moment, or sign in another way.",
  },
  expired: {
    status: 400,
    words: "This sign-in took too long, was begun in another browser, or was used already.",
  },
  denied: { status: 403, words: "The sign-in service did not let you in." },
  untrusted: {
    status: 400,
    words: "The answer of the sign-in service does not fit this sign-in, so it is not believed.",
  },
  "unverified-email": {
    status: 403,
    words: "The sign-in service has not verified an email address of yours.",
  },
  "wrong-domain": { status: 403, words: "Addresses of your email domain may not sign in here." },
  "taken-email": {
    status: 403,
    words: "Somebody else at the sign-in service already uses your email address here.",
  },
  unknown: {
    status: 403,
    words: "Nobody here knows you yet. Ask an owner of the account for an invite.",
  },
  "no-role": { status: 403, words: "The sign-in service gives you no role here any more." },
} as const;
export type RefusalReason = keyof typeof refusals;

/** Why nobody was signed in, for a page that says so. */
export class OidcRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, cause?: unknown) {
    super(refusals[reason].words, { cause });
    this.reason = reason;
  }
}

function findClaim(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let found: unknown = claims;
  for (const part of path.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, part)) {
      return undefined;
    }
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}

/** The most powerful of the roles that the claim stands for. */
export function decideMappedRole(settings: OidcSettings, claims: Claims): Role | null {
  if (settings.roleClaim === null) return null;
  const values = [findClaim(claims, settings.roleClaim)].flat();
  let best: Role | null = null;
  for (const value of values) {
    const role = typeof value === "string" ? settings.roles.get(value) : undefined;
    if (role !== undefined && (best === null || isAtLeast(role, best))) best = role;
  }
  return best;
}

function readText(value: unknown, maxLength: number): string | null {
  if (typeof value !== "string") return null;
  const text = value.trim();
  return text === "" ? null : text.slice(0, maxLength);
}

/** Algorithms that only the holder of the issuer's private key can sign with. */
const acceptedAlgorithms: ReadonlySet<unknown> = new Set([
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
]);

/** `none` has no signature, and anybody who knows the client secret can sign with HS256. */
export function isAcceptedAlgorithm(idToken: string): boolean {
  const [header = ""] = idToken.split(".");
  try {
    const { alg } = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
    return acceptedAlgorithms.has(alg);
  } catch {
    return false;
  }
}

/**
 * The document that says who somebody is: the ID token if it names an email address, else the
 * answer of the userinfo endpoint. Never both: an address of one and the verification of another
 * address in the other would prove an address that nobody verified.
 */
export function decideSource(token: Claims): "id-token" | "userinfo" {
  return token.email === undefined || token.email === null ? "userinfo" : "id-token";
}

/** What the ID token alone may say: who issued it for whom, and how they proved themselves. */
export function combineClaims(token: Claims, source: Claims): Claims {
  if (source.sub !== token.sub) throw new OidcRefusal("untrusted");
  return { ...source, iss: token.iss, sub: token.sub, amr: token.amr };
}

/** Throws a refusal for somebody who may not even ask. */
export function decidePerson(settings: OidcSettings, claims: Claims): Person {
  const { iss, sub, email, email_verified: isVerified, amr } = claims;
  if (typeof iss !== "string") throw new OidcRefusal("untrusted");
  if (typeof sub !== "string" || sub === "" || sub.length > 255) {
    throw new OidcRefusal("untrusted");
  }
  const isEmail = typeof email === "string" && /^[^\s@<>"]{1,64}@[^\s@<>"]{1,189}$/.test(email);
  // Some providers write the truth as text.
  if (!isEmail || (isVerified !== true && isVerified !== "true")) {
    throw new OidcRefusal("unverified-email");
  }
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  if (settings.allowedDomains !== null && !settings.allowedDomains.includes(domain)) {
    throw new OidcRefusal("wrong-domain");
  }
  return {
    issuer: iss,
    subject: sub,
    email,
    name: readText(claims.name, 255),
    mappedRole: decideMappedRole(settings, claims),
    hasSecondFactor: Array.isArray(amr) && amr.includes("mfa"),
  };
}

export type RoleChange =
  | { readonly kind: "keep" }
  | { readonly kind: "set"; readonly role: Role }
  | { readonly kind: "remove" };

/** What becomes of the membership of somebody who is known, at each sign-in. */
export function decideRoleChange(
  settings: OidcSettings,
  known: { readonly mappedRole: Role | null; readonly wasMapped: boolean },
): RoleChange {
  if (known.mappedRole !== null) return { kind: "set", role: known.mappedRole };
  if (!known.wasMapped) return { kind: "keep" };
  if (settings.defaultRole !== null) return { kind: "set", role: settings.defaultRole };
  return { kind: "remove" };
}

const ownPath = /^\/(?![/\\])/;

/** Only a path of ours: an address of another site must not be reached through the sign-in. */
export function decideReturn(asked: string | null): string {
  if (asked === null || asked.length > 1_000 || !ownPath.test(asked)) return "/";
  const origin = "http://own.invalid";
  const url = URL.parse(asked, origin);
  // Without its dots `/.//host` is `//host`, which a browser takes for another site.
  if (url === null || url.origin !== origin || !ownPath.test(url.pathname)) return "/";
  return `${url.pathname}${url.search}${url.hash}`;
}
