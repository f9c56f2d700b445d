/** Codes of an authenticator app: RFC 6238 with SHA-1, 30 seconds, six digits, as apps expect. */
import { createHmac, timingSafeEqual } from "node:crypto";

const stepMs = 30_000;
const base32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** As a person types it into an app: RFC 4648 without padding. */
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

/** The step that a code is for: now, or one step to either side for a clock that is off. */
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
  /** Told apart in the app by it. */
  readonly host: string;
}

/** What the QR code holds. */
export function buildOtpauthUrl(secret: Buffer, { email, host }: KeyLabel): string {
  // A colon parts the two halves of the label, so neither may have one.
  const issuer = `Vedette (${host.replaceAll(":", "-")})`;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  const query = `secret=${encodeBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
  return `otpauth://totp/${label}?${query}&algorithm=SHA1&digits=6&period=30`;
}
