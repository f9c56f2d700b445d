import { invalid } from "../../platform/errors.ts";
import type { Ping } from "./heartbeat.ts";

/** What a job reports with its ping. */
export type Signal = Pick<Ping, "signal" | "exitCode">;

const success: Signal = { signal: "success", exitCode: null };
const wholeNumber = /^\d{1,3}$/;
const maxExitCode = 255;

/** Parses the last path segment: none, `start`, `fail` or an exit code. */
export function parseSignal(text: string | undefined): Signal {
  if (text === undefined) return success;
  if (text === "start") return { signal: "start", exitCode: null };
  if (text === "fail") return { signal: "failure", exitCode: null };
  const exitCode = wholeNumber.test(text) ? Number(text) : Number.NaN;
  if (!(exitCode <= maxExitCode)) {
    throw invalid("signal", "must be start, fail or an exit code from 0 to 255", "params");
  }
  return { signal: exitCode === 0 ? "success" : "failure", exitCode };
}

/** Bytes of a body to store; the rest is read and discarded. */
export const maxKeptBytes = 10_000;
/** Longer bodies are rejected. */
export const maxReadBytes = 1_048_576;

export interface KeptBody {
  readonly bytes: Buffer;
  /** Length of the whole body. */
  readonly length: number;
}

const maxUserAgentLength = 255;
const controls = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * Headers and addresses are shown to people, so they become one line without control characters.
 */
export function toHeaderText(value: string | undefined): string {
  return (value ?? "").toWellFormed().replaceAll(controls, " ").slice(0, maxUserAgentLength);
}

/** Invalid UTF-8, such as a truncated last character, becomes U+FFFD. */
export function toBodyText({ bytes }: KeptBody): string {
  return bytes.toString("utf8");
}
