import { randomInt } from "node:crypto";
import { hashSecret } from "../../../platform/secrets.ts";

export const recoveryCodeCount = 10;

/** Excludes characters that are easily confused. */
const letters = "abcdefghjkmnpqrstuvwxyz23456789";
const groupCount = 4;
const groupLength = 4;

function createGroup(): string {
  return Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join("");
}

/** Each code has 79 bits of entropy, so an unsalted hash is sufficient. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () =>
    Array.from({ length: groupCount }, createGroup).join("-"),
  );
}

/** Normalises case, spaces and hyphens before hashing. */
export function hashRecoveryCode(code: string): Buffer {
  return hashSecret(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
}
