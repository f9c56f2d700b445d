import { KnownError } from "../../platform/errors.ts";

/** What all addresses that jobs ping share. */

const maxUserAgentLength = 255;
const controls = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * Headers and addresses are shown to people, so they become one line without control characters.
 */
export function toHeaderText(value: string | undefined): string {
  return (value ?? "").toWellFormed().replaceAll(controls, " ").slice(0, maxUserAgentLength);
}

export function tooMany(retryAfterSeconds: number): KnownError {
  return new KnownError("tooManyRequests", { retryAfterSeconds });
}
