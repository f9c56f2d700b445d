/** What PostgreSQL refused, for those who can say it in the caller's words. */

interface RefusedByDatabase {
  readonly code?: unknown;
  readonly constraint?: unknown;
}

const uniqueViolation = "23505";
const deadlockDetected = "40P01";

/** The name of the unique constraint that a write ran against; null for every other error. */
export function findTakenConstraint(error: unknown): string | null {
  const { code, constraint } = (error ?? {}) as RefusedByDatabase;
  return code === uniqueViolation && typeof constraint === "string" ? constraint : null;
}

/** Two transactions waited for each other and this one was ended; nothing of it was kept. */
export function isDeadlock(error: unknown): boolean {
  return ((error ?? {}) as RefusedByDatabase).code === deadlockDetected;
}

const lockNotAvailable = "55P03";

/** Somebody else held what was to be locked for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return ((error ?? {}) as RefusedByDatabase).code === lockNotAvailable;
}

const duplicateTable = "42P07";

/** Somebody else created the same at the same moment; which of the two it is, is chance. */
export function isAlreadyThere(error: unknown): boolean {
  const { code } = (error ?? {}) as RefusedByDatabase;
  return code === duplicateTable || code === uniqueViolation;
}

const undefinedTable = "42P01";

export function isMissingTable(error: unknown): boolean {
  return ((error ?? {}) as RefusedByDatabase).code === undefinedTable;
}
