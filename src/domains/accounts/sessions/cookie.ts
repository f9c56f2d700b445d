import { parseCookie, stringifySetCookie } from "cookie";

const name = "vedette_session";

export function readSessionToken(header: string | undefined): string | null {
  return header === undefined ? null : (parseCookie(header)[name] ?? null);
}

interface SessionCookie {
  readonly value: string;
  readonly expires: Date;
  readonly isSecure: boolean;
}

export function writeSessionCookie({ value, expires, isSecure }: SessionCookie): string {
  const rules = { path: "/", httpOnly: true, sameSite: "lax", secure: isSecure } as const;
  return stringifySetCookie({ name, value, expires, ...rules });
}

/** An expiry time in the past makes the browser delete the cookie. */
export function writeEndedCookie(isSecure: boolean): string {
  return writeSessionCookie({ value: "", expires: new Date(0), isSecure });
}
