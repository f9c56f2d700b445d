/** Pure functions that map the claims of an OpenID provider to a person and a role. */
import { isAtLeast, type Role } from "../caller.ts";

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** Display name of the provider on the sign-in screen. */
  readonly name: string;
  /** Email domains that may sign in; `null` allows all domains. */
  readonly allowedDomains: readonly string[] | null;
  /**
   * Path of the claim that contains the roles or groups, such as `groups` or `realm_access.roles`.
   */
  readonly roleClaim: string | null;
  readonly roles: ReadonlyMap<string, Role>;
  /**
   * Role of persons whose claim maps to no role. If `null`, such a person may sign in only as an
   * existing user or with an invite.
   */
  readonly defaultRole: Role | null;
}

/** URL path at which a browser starts a sign-in. */
export const oidcStartPath = "/sign-in/oidc";

export type Claims = Readonly<Record<string, unknown>>;

export interface Person {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly name: string | null;
  /** Role to which the person's claim maps; `null` if it maps to none. */
  readonly mappedRole: Role | null;
  readonly hasSecondFactor: boolean;
}

export const rejections = {
  "not-set-up": { status: 404, words: "Single sign-on is not configured on this server." },
  unreachable: {
    status: 503,
    words: "The sign-in service cannot be reached. Retry shortly, or sign in another way.",
  },
  expired: {
    status: 400,
    words: "This sign-in has expired, was started in another browser, or was already used.",
  },
  denied: { status: 403, words: "The sign-in service denied access." },
  untrusted: {
    status: 400,
    words: "The response of the sign-in service does not match this sign-in and was rejected.",
  },
  "unverified-email": {
    status: 403,
    words: "The sign-in service has not verified your email address.",
  },
  "wrong-domain": { status: 403, words: "Your email domain is not allowed to sign in here." },
  "taken-email": {
    status: 403,
    words: "Your email address is already linked to another identity of the sign-in service.",
  },
  unknown: {
    status: 403,
    words: "You have no user here yet. Request an invite from an owner of the account.",
  },
  "no-role": { status: 403, words: "The sign-in service no longer grants you a role here." },
} as const;
type RejectionReason = keyof typeof rejections;

/** Error with the reason why a sign-in failed. The reason is shown on an HTML page. */
export class OidcRejection extends Error {
  readonly reason: RejectionReason;

  constructor(reason: RejectionReason, cause?: unknown) {
    super(rejections[reason].words, { cause });
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

/**
 * Returns the highest role to which a value of the claim maps, or `null` if no value maps to a
 * role.
 */
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

/** Accepted signature algorithms. They are asymmetric, so only the issuer has the private key. */
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

/**
 * Returns whether the signature algorithm of an ID token is accepted. Tokens with `none` have no
 * signature, and tokens with HS256 can be signed by anyone who has the client secret, so neither is
 * accepted.
 */
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
 * Decides which document identifies the person: the ID token if it contains an email address,
 * otherwise the userinfo response. An email address from one must not be combined with
 * `email_verified` from the other, because nobody has verified that address.
 */
export function decideSource(token: Claims): "id-token" | "userinfo" {
  return token.email === undefined || token.email === null ? "userinfo" : "id-token";
}

/**
 * Combines the ID token with the document that identifies the person (see `decideSource`). Returns
 * the claims of this document, but the issuer, subject and authentication methods of the ID token.
 * Throws if the document has another subject than the ID token.
 */
export function combineClaims(token: Claims, source: Claims): Claims {
  if (source.sub !== token.sub) throw new OidcRejection("untrusted");
  return { ...source, iss: token.iss, sub: token.sub, amr: token.amr };
}

/** Returns the person that the claims describe. Throws if the person may not sign in. */
export function decidePerson(settings: OidcSettings, claims: Claims): Person {
  const { iss, sub, email, email_verified: isVerified, amr } = claims;
  if (typeof iss !== "string") throw new OidcRejection("untrusted");
  if (typeof sub !== "string" || sub === "" || sub.length > 255) {
    throw new OidcRejection("untrusted");
  }
  const isEmail = typeof email === "string" && /^[^\s@<>"]{1,64}@[^\s@<>"]{1,189}$/.test(email);
  // Some providers send `email_verified` as a string instead of a boolean.
  if (!isEmail || (isVerified !== true && isVerified !== "true")) {
    throw new OidcRejection("unverified-email");
  }
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  if (settings.allowedDomains !== null && !settings.allowedDomains.includes(domain)) {
    throw new OidcRejection("wrong-domain");
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

type RoleChange =
  | { readonly kind: "keep" }
  | { readonly kind: "set"; readonly role: Role }
  | { readonly kind: "remove" };

/** Decides how the membership of an existing user changes at a sign-in. */
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

/** Returns the path to open after the sign-in. The path cannot lead to another site. */
export function decideReturn(requested: string | null): string {
  if (requested === null || requested.length > 1_000 || !ownPath.test(requested)) return "/";
  const origin = "http://own.invalid";
  const url = URL.parse(requested, origin);
  // URL parsing turns `/.//host` into `//host`, which browsers would open as another site.
  if (url === null || url.origin !== origin || !ownPath.test(url.pathname)) return "/";
  return `${url.pathname}${url.search}${url.hash}`;
}
