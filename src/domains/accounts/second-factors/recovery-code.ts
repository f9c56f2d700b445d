import { randomInt } from "node:crypto";
import { hashSecret } from "../../../platform/secrets.ts";

export const recoveryCodeCount = 10;

/** Without letters that look like a digit, or like each other. */
const letters = "abcdefghjkmnpqrstuvwxyz23456789";
const groupCount = 4;
const groupLength = 4;

function createGroup(): string {
  return Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join("");
}

/** 79 bits each: enough that a plain hash keeps it secret. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () =>
    Array.from({ length: groupCount }, createGroup).join("-"),
  );
}

/** However it was typed: in capitals, with spaces, without the hyphens. */
export function hashRecoveryCode(code: string): Buffer {
  return hashSecret(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
}
