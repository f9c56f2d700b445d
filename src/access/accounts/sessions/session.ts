import { parseCookie, stringifySetCookie } from "cookie";
import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Described, Email, Guid, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { UserSchema } from "../users/user.ts";

/** How a user has authenticated to open a session. */
const signInWays = ["PASSWORD", "LINK", "RESET", "INVITE", "PASSKEY", "OIDC"] as const;

export type SignInWay = (typeof signInWays)[number];

/**
 * Second factors that a session records. `PROVIDER` means that the OpenID provider verified a
 * second factor.
 */
const provenFactors = ["TOTP", "PASSKEY", "RECOVERY_CODE", "PROVIDER"] as const;

export type ProvenFactor = (typeof provenFactors)[number];

export interface Session {
  readonly id: string;
  readonly way: SignInWay;
  readonly secondFactor: ProvenFactor | null;
  readonly address: string;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Origin of the request that opened the session. */
export interface SessionOrigin {
  readonly address: string;
  readonly userAgent: string | null;
  readonly requestId: string;
}

/** How long after a sign-in by link the user may set a new password without the current one. */
const choosingMs = 3_600_000;

export function isOpenedByLink({ way, createdAt }: Session, now: Date): boolean {
  return way === "LINK" && now.getTime() - createdAt.getTime() < choosingMs;
}

export const sessionLifetimeMs = 30 * 86_400_000;

/** Maximum number of sessions per user. Beyond it, a new session replaces the oldest one. */
export const maxSessionsPerUser = 50;

const cookieName = "vedette_session";

export function readSessionToken(header: string | undefined): string | null {
  return header === undefined ? null : (parseCookie(header)[cookieName] ?? null);
}

interface SessionCookie {
  readonly value: string;
  readonly expires: Date;
  readonly isSecure: boolean;
}

export function writeSessionCookie({ value, expires, isSecure }: SessionCookie): string {
  const rules = { path: "/", httpOnly: true, sameSite: "lax", secure: isSecure } as const;
  return stringifySetCookie({ name: cookieName, value, expires, ...rules });
}

/** Writes a cookie that has already expired, so that the browser deletes it. */
export function writeEndedCookie(isSecure: boolean): string {
  return writeSessionCookie({ value: "", expires: new Date(0), isSecure });
}

/**
 * Browsers in order of precedence, because the user agent of a browser such as Edge also contains
 * "Chrome".
 */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?(?:iOS)?\//, "Edge"],
  [/\bOPR\/|\bOpera\b/, "Opera"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFxiOS\/|\bFirefox\//, "Firefox"],
  [/\bCriOS\/|\bChrome\/|\bChromium\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

function findName(names: readonly (readonly [RegExp, string])[], text: string): string | null {
  return names.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/**
 * Describes the device of a session by browser and operating system, so that users can recognise a
 * session that is not theirs.
 */
export function describeDevice(userAgent: string | null): string {
  const text = userAgent ?? "";
  const browser = findName(browsers, text);
  const system = findName(systems, text);
  if (browser === null) return system === null ? "Unknown" : `A program on ${system}`;
  return system === null ? browser : `${browser} on ${system}`;
}

export const SignInBody = Type.Object(
  {
    email: Described(Email, "The email address.", "ada@example.com"),
    password: Type.String({
      description: "The password.",
      examples: ["correct horse battery"],
      minLength: 1,
      maxLength: 200,
    }),
  },
  { title: "SessionInput" },
);
export const SessionParams = Type.Object({ id: Described(Guid, "The session's id.") });

const shown = {
  id: Described(Guid, "Its id."),
  way: Described(OneOf(signInWays), "How you signed in.", "PASSWORD"),
  secondFactor: Described(
    OrNull(OneOf(provenFactors)),
    "Second factor used; `PROVIDER` if the OpenID provider verified it, `null` if none.",
    "TOTP",
  ),
  address: Type.String({
    description: "IP address the session was opened from.",
    examples: ["192.0.2.7"],
  }),
  userAgent: Described(
    OrNull(Type.String()),
    "User agent the session was opened with; `null` if unknown.",
    "Firefox",
  ),
  device: Type.String({
    description: "Browser and operating system.",
    examples: ["Firefox on Linux"],
  }),
  created_at: Described(DateTime, "Creation time."),
  expiresAt: Described(DateTime, "Expiry time."),
  lastUsedAt: Described(OrNull(DateTime), "Time of the last use; `null` if never used."),
};

const SessionSchema = Type.Object(
  {
    ...shown,
    isCurrent: Type.Boolean({ description: "Whether it is the session of this request." }),
  },
  { title: "Session" },
);
export const SessionList = Type.Array(SessionSchema);
export const CreatedSessionSchema = Type.Object(
  {
    ...shown,
    user: Described(UserSchema, "The user who signed in."),
  },
  { title: "CreatedSession" },
);

export function toWireSession(session: Session) {
  return {
    id: session.id,
    way: session.way,
    secondFactor: session.secondFactor,
    address: session.address,
    userAgent: session.userAgent,
    device: describeDevice(session.userAgent),
    created_at: formatDateTime(session.createdAt),
    expiresAt: formatDateTime(session.expiresAt),
    lastUsedAt: session.lastUsedAt && formatDateTime(session.lastUsedAt),
  };
}
