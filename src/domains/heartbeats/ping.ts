import { invalid } from "../../platform/errors.ts";
import type { Ping } from "./heartbeat.ts";

/** What a job tells with its ping. */
export type Signal = Pick<Ping, "signal" | "exitCode">;

const success: Signal = { signal: "success", exitCode: null };
const wholeNumber = /^\d{1,3}$/;
const maxExitCode = 255;

/** The last part of the address: nothing, `start`, `fail` or an exit code. */
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

/** So much of a body is kept; the rest is read and forgotten. */
export const maxKeptBytes = 10_000;
/** Longer bodies are refused. */
export const maxReadBytes = 1_048_576;

export interface KeptBody {
  readonly bytes: Buffer;
  /** Of the whole body. */
  readonly length: number;
}

const maxUserAgentLength = 255;
const controls = /[\p{Cc}\u2028\u2029]+/gu;

/** Headers and addresses are shown to people: one line, no control characters. */
export function toHeaderText(value: string | undefined): string {
  return (value ?? "").toWellFormed().replaceAll(controls, " ").slice(0, maxUserAgentLength);
}

/** Bytes that are no UTF-8, such as half of the last character, show as U+FFFD. */
export function toBodyText({ bytes }: KeptBody): string {
  return bytes.toString("utf8");
}
