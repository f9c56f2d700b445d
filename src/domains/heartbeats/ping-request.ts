import type { Ping } from "./heartbeat.ts";

/** What the requests of all addresses that jobs ping share. */

const wholeNumber = /^\d{1,3}$/;
const maxExitCode = 255;

/** What a job reports with its ping. */
type Signal = Pick<Ping, "signal" | "exitCode">;

const success: Signal = { signal: "success", exitCode: null };

/** Parses the last path segment: none, `start`, `fail` or an exit code; `null` if invalid. */
export function parseSignal(text: string | undefined): Signal | null {
  if (text === undefined) return success;
  if (text === "start") return { signal: "start", exitCode: null };
  if (text === "fail") return { signal: "failure", exitCode: null };
  const exitCode = wholeNumber.test(text) ? Number(text) : Number.NaN;
  if (!(exitCode <= maxExitCode)) return null;
  return { signal: exitCode === 0 ? "success" : "failure", exitCode };
}

/** The beginning of a body. */
export interface KeptBody {
  readonly bytes: Buffer;
  /** Length of the whole body. */
  readonly length: number;
}

/** Invalid UTF-8, such as a truncated last character, becomes U+FFFD. */
export function toBodyText({ bytes }: KeptBody): string {
  return bytes.toString("utf8");
}

export const noBody: KeptBody = { bytes: Buffer.alloc(0), length: 0 };
