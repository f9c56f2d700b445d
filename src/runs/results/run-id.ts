import { hash } from "node:crypto";
import { isUuid } from "../../platform/text/patterns.ts";

export interface RunKey {
  readonly checkId: string;
  readonly dueAtMs: number;
  readonly location: string;
  /** Number of the attempt, starting at 1. */
  readonly attempt: number;
}

const maxTimeMs = 2 ** 48 - 1;

/**
 * Returns the id of a run: a UUID in the layout of version 7, whose random part is a digest of the
 * run's key. The same run always has the same id, and ids sort by due time.
 */
export function deriveRunId({ checkId, dueAtMs, location, attempt }: RunKey): string {
  if (!Number.isSafeInteger(dueAtMs) || dueAtMs < 0 || dueAtMs > maxTimeMs) {
    throw new RangeError(`due time must be an integer of at most 48 bits, got ${dueAtMs}`);
  }
  // The digest is computed from JSON, because its quoted strings give each key a different text.
  const digest = hash("sha256", JSON.stringify([checkId, dueAtMs, location, attempt]), "hex");
  const variant = (0x8 | (Number.parseInt(digest.charAt(3), 16) & 0x3)).toString(16);
  const chance = `7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
  return `${writeTime(dueAtMs)}-${chance}`;
}

/** Returns the lowest UUID for a time. Runs due at this time or later have higher ids. */
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
