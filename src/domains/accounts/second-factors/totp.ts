/**
 * Codes of an authenticator app: RFC 6238 with SHA-1, 30-second steps and six digits, as apps
 * expect.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

const stepMs = 30_000;
const base32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Encodes a secret for manual entry: RFC 4648 without padding. */
export function encodeBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => base32Letters[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

export function computeCode(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const number = mac.readUInt32BE(mac.readUInt8(19) & 15) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / stepMs);
}

/**
 * Returns the time step of a valid code: the current one or an adjacent one, to tolerate clock
 * skew.
 */
export function findStep(secret: Buffer, code: string, nowMs: number): number | null {
  const now = stepAt(nowMs);
  const given = Buffer.from(code);
  const isRight = (step: number) => {
    const expected = Buffer.from(computeCode(secret, step));
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  return [now, now - 1, now + 1].find(isRight) ?? null;
}

export interface KeyLabel {
  readonly email: string;
  /** Distinguishes several servers in the app. */
  readonly host: string;
}

/** Builds the content of the QR code. */
export function buildOtpauthUrl(secret: Buffer, { email, host }: KeyLabel): string {
  // A colon separates the two parts of the label, so neither may contain one.
  const issuer = `Vedette (${host.replaceAll(":", "-")})`;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  const query = `secret=${encodeBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
  return `otpauth://totp/${label}?${query}&algorithm=SHA1&digits=6&period=30`;
}
