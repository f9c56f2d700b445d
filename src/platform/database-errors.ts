/** Recognises PostgreSQL errors that callers handle. */
import { readCode } from "./errors.ts";

const uniqueViolation = "23505";
const deadlockDetected = "40P01";

/** Returns the name of the violated unique constraint, or `null` for any other error. */
export function findTakenConstraint(error: unknown): string | null {
  if (readCode(error) !== uniqueViolation) return null;
  const { constraint } = error as { readonly constraint?: unknown };
  return typeof constraint === "string" ? constraint : null;
}

/** Whether the transaction was ended and rolled back because of a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return readCode(error) === deadlockDetected;
}

const lockNotAvailable = "55P03";

/** Whether another session held a lock for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return readCode(error) === lockNotAvailable;
}

const duplicateTable = "42P07";

/**
 * Whether another session created the same object concurrently; either error code may be reported.
 */
export function isAlreadyThere(error: unknown): boolean {
  const code = readCode(error);
  return code === duplicateTable || code === uniqueViolation;
}

const undefinedTable = "42P01";

export function isMissingTable(error: unknown): boolean {
  return readCode(error) === undefinedTable;
}
