import { type Database, runPrepared, runSql } from "./database.ts";
import { isUnavailable } from "./http/error-handler.ts";
import type { Log } from "./log.ts";

/** A failed unit of work: one row, or all rows of one check. */
interface QuarantineEntry {
  readonly work: string;
  readonly key: string;
  readonly error: unknown;
  readonly now: Date;
}

/** First delay. Delays double up to two hours, so that all attempts take about 21 hours. */
const firstWaitMs = 10_000;
const maxWaitMs = 7_200_000;
const maxAttempts = 20;
const maxReasonLength = 500;

/** SQLSTATE classes 40 and 55. They report that another session used the same rows or objects. */
const conflictCodes = /^(40|55)...$/;

/** Whether a later attempt may succeed, because the error was not caused by the rows themselves. */
export function isTransient(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return isUnavailable(error) || conflictCodes.test(String(code));
}

function describe(error: unknown): string {
  // Remove NUL, because PostgreSQL text cannot contain it.
  return String(error instanceof Error ? error.message : error)
    .replaceAll("\0", "")
    .slice(0, maxReasonLength);
}

/** Quarantines an entry. Returns the time of the next attempt, or `null` after the last attempt. */
export async function quarantine(
  { db, log }: { readonly db: Database; readonly log: Log },
  { work, key, error, now }: QuarantineEntry,
): Promise<Date | null> {
  const [known] = await runSql<{ attempts: number }>(
    db,
    `insert into set_aside as known (work, key, reason, attempts, retry_at, first_at)
      values ($1, $2, $3, 1, $4, $4)
      on conflict (work, key) do update set reason = excluded.reason, attempts = known.attempts + 1
      returning attempts`,
    [work, key, describe(error), now],
  );
  const attempts = known?.attempts ?? 1;
  const waitMs = Math.min(firstWaitMs * 2 ** (attempts - 1), maxWaitMs);
  const retryAt = new Date(now.getTime() + waitMs);
  await runSql(db, "update set_aside set retry_at = $3 where work = $1 and key = $2", [
    work,
    key,
    retryAt,
  ]);
  const isAbandoned = attempts >= maxAttempts;
  const what = isAbandoned ? "abandoned work that keeps failing" : "quarantined work that failed";
  log.error({ err: error, loop: work, key, attempts }, what);
  return isAbandoned ? null : retryAt;
}

/** How long an entry is retained after its last attempt. */
const retentionMs = 30 * 86_400_000;

/**
 * Deletes entries whose last attempt was long ago. Work that is still retried has an attempt every
 * few hours.
 */
export async function deleteOldQuarantine(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - retentionMs);
  await runSql(db, "delete from set_aside where retry_at < $1", [before]);
}

/** Deletes the quarantine entries of work that has succeeded. */
export async function clearQuarantine(
  db: Database,
  work: string,
  keys: readonly string[],
): Promise<void> {
  await runPrepared(db, {
    name: "clear-set-aside",
    text: "delete from set_aside where work = $1 and key = any($2::text[])",
    values: [work, keys],
  });
}

/** Returns an SQL condition that excludes work in quarantine until its next attempt is due. */
export function isNotQuarantined(sql: {
  readonly work: string;
  readonly key: string;
  readonly now: string;
}) {
  return `not exists (select 1 from set_aside as aside where aside.work = ${sql.work}
    and aside.key = ${sql.key} and aside.retry_at > ${sql.now})`;
}

export async function countQuarantined(db: Database): Promise<number> {
  const [row] = await runSql<{ count: number }>(db, "select count(*)::int as count from set_aside");
  return row?.count ?? 0;
}
