import { hash } from "node:crypto";
import { isUuid } from "../../platform/text/patterns.ts";

export interface RunKey {
  readonly checkId: string;
  readonly dueAtMs: number;
  readonly location: string;
  /** 1 for the scheduled run; incremented by retries. */
  readonly attempt: number;
}

const maxTimeMs = 2 ** 48 - 1;

/**
 * Returns a UUID in the layout of version 7 whose random part is a digest of the run's key.
 * Ordering a run again gives the same id, and ids sort by due time.
 */
export function deriveRunId({ checkId, dueAtMs, location, attempt }: RunKey): string {
  if (!Number.isSafeInteger(dueAtMs) || dueAtMs < 0 || dueAtMs > maxTimeMs) {
    throw new RangeError(`due time must be an integer of at most 48 bits, got ${dueAtMs}`);
  }
  // JSON quotes strings, so different keys never have the same text.
  const digest = hash("sha256", JSON.stringify([checkId, dueAtMs, location, attempt]), "hex");
  const variant = (0x8 | (Number.parseInt(digest.charAt(3), 16) & 0x3)).toString(16);
  const chance = `7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
  return `${writeTime(dueAtMs)}-${chance}`;
}

/**
 * Returns the smallest UUID of a millisecond: greater ids were due then or later. Times outside 48
 * bits are clamped.
 */
export function idFloor(ms: number): string {
  const time = writeTime(Math.min(Math.max(Math.floor(ms), 0), maxTimeMs));
  return `${time}-0000-0000-000000000000`;
}

export function readDueAtMs(id: string): number {
  if (!isUuid(id)) throw new RangeError("run id must be a UUID");
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function writeTime(ms: number): string {
  const digits = ms.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
