/** Pure functions for the sign-in of a device without a browser (RFC 8628): codes and decisions. */
import { randomInt } from "node:crypto";

type DeviceLoginStatus = "PENDING" | "APPROVED" | "DENIED" | "USED";

export interface DeviceLogin {
  readonly id: string;
  /** Code that the device shows and that the user enters. */
  readonly userCode: string;
  /** User agent of the device. */
  readonly client: string;
  readonly address: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly polledAt: Date | null;
  readonly intervalSeconds: number;
  readonly status: DeviceLoginStatus;
  readonly userId: string | null;
}

export const lifetimeSeconds = 600;
export const firstIntervalSeconds = 5;
const slowDownSeconds = 5;

/**
 * Letters of user codes. Without vowels, codes form no words, and contain no I or O, which look
 * like digits.
 */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const codeLength = 8;

export function createUserCode(): string {
  return Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join("");
}

/**
 * Normalises a user code: upper case, without spaces and hyphens. Returns `null` for any other
 * text.
 */
export function parseUserCode(text: string): string | null {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, "");
  const isCode = code.length === codeLength && [...code].every((one) => letters.includes(one));
  return isCode ? code : null;
}

export const formatUserCode = (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`;

export type PollDecision =
  | { readonly kind: "granted" }
  | {
      readonly kind: "rejected";
      readonly error: "expired_token" | "access_denied" | "invalid_grant";
    }
  | { readonly kind: "pending"; readonly error: "authorization_pending" }
  | { readonly kind: "pending"; readonly error: "slow_down"; readonly intervalSeconds: number };

/** Decides how to respond to a device that polls for its login. */
export function decidePoll(login: DeviceLogin | null, nowMs: number): PollDecision {
  if (login === null || login.status === "USED")
    return { kind: "rejected", error: "invalid_grant" };
  if (login.expiresAt.getTime() <= nowMs) return { kind: "rejected", error: "expired_token" };
  if (login.status === "DENIED") return { kind: "rejected", error: "access_denied" };
  const { polledAt, intervalSeconds } = login;
  const isEarly = polledAt !== null && nowMs - polledAt.getTime() < intervalSeconds * 1_000;
  if (isEarly) {
    const next = intervalSeconds + slowDownSeconds;
    return { kind: "pending", error: "slow_down", intervalSeconds: next };
  }
  if (login.status === "APPROVED") return { kind: "granted" };
  return { kind: "pending", error: "authorization_pending" };
}
