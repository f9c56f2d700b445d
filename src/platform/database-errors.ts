/** Recognises PostgreSQL errors that callers handle. */

interface PostgresError {
  readonly code?: unknown;
  readonly constraint?: unknown;
}

const uniqueViolation = "23505";
const deadlockDetected = "40P01";

/** Returns the name of the violated unique constraint, or `null` for any other error. */
export function findTakenConstraint(error: unknown): string | null {
  const { code, constraint } = (error ?? {}) as PostgresError;
  return code === uniqueViolation && typeof constraint === "string" ? constraint : null;
}

/** Whether the transaction was ended and rolled back because of a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return ((error ?? {}) as PostgresError).code === deadlockDetected;
}

const lockNotAvailable = "55P03";

/** Whether another session held a lock for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return ((error ?? {}) as PostgresError).code === lockNotAvailable;
}

const duplicateTable = "42P07";

/**
 * Whether another session created the same object concurrently; either error code may be reported.
 */
export function isAlreadyThere(error: unknown): boolean {
  const { code } = (error ?? {}) as PostgresError;
  return code === duplicateTable || code === uniqueViolation;
}

const undefinedTable = "42P01";

export function isMissingTable(error: unknown): boolean {
  return ((error ?? {}) as PostgresError).code === undefinedTable;
}
