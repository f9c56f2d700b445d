import { type Database, runPrepared, runSql } from "./database.ts";
import { isUnavailable } from "./http/error-handler.ts";
import type { Log } from "./log.ts";

/** One row, or one check's rows, that a loop could not work on. */
export interface QuarantineEntry {
  readonly work: string;
  readonly key: string;
  readonly error: unknown;
  readonly now: Date;
}

/** The waits double from ten seconds to two hours: about a day in all. */
const firstWaitMs = 10_000;
const maxWaitMs = 7_200_000;
const maxAttempts = 20;
const maxReasonLength = 500;

/** Classes 40 and 55 of SQLSTATE: others were at work on the same rows. */
const conflictCodes = /^(40|55)...$/;

/** Trying again later helps, whatever the rows are. */
export function isTransient(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return isUnavailable(error) || conflictCodes.test(String(code));
}

function describe(error: unknown): string {
  // PostgreSQL stores no NUL in a text.
  return String(error instanceof Error ? error.message : error)
    .replaceAll("\0", "")
    .slice(0, maxReasonLength);
}

/** Tells when it is tried again; null when it is given up. */
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
  const isGivenUp = attempts >= maxAttempts;
  const what = isGivenUp
    ? "given up what cannot be worked on"
    : "set aside what cannot be worked on";
  log.error({ err: error, loop: work, key, attempts }, what);
  return isGivenUp ? null : retryAt;
}

/** How long the reason of what was given up, or has gone meanwhile, is kept. */
const keptMs = 30 * 86_400_000;

/** What is still tried has been tried within hours. */
export async function deleteOldQuarantine(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs);
  await runSql(db, "delete from set_aside where retry_at < $1", [before]);
}

/** Those that are worked on again need no reason any more. */
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

/** A condition for queries of work: whether what some SQL names as the key may be worked on. */
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
