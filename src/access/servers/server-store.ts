import { type Database, runPrepared, runSql } from "../../platform/database.ts";

/** Time without a report after which a server counts as dead. */
export const aliveForMs = 8_000;
/** Interval of reports. Three reports can fail before a server counts as dead. */
export const lookEveryMs = 2_000;
/** Maximum clock difference; a larger one is reported as an error. */
export const maxClockSkewMs = 2_000;
/** How long a dead server is still listed. */
const listedForMs = 86_400_000;

/** Identity of this server process. */
export interface OwnServer {
  readonly id: string;
  readonly instance: string;
  readonly place: string;
  readonly name: string;
  readonly version: string;
  readonly address: string | null;
}

/** State of this server, which it reports to the other servers. */
export interface Condition {
  readonly isScheduling: boolean;
  readonly lagMs: number;
  readonly slowestLoop: string | null;
  /** Share of runs that this server skips because of overload, from 0 to 1; 0 by default. */
  readonly skippedShare?: number;
}

/** Advice about an overload; the quickest remedy comes first. */
export const overloadAdvice =
  "Give the server more CPU, run checks less often, start another server on the same database, or " +
  "move some of the runs to probes on other machines.";

/** Describes an overload; `null` if no runs are skipped. */
export function describeOverload(skippedShare: number): string | null {
  if (skippedShare <= 0) return null;
  return `overloaded: ${toSkippedPercent(skippedShare)} % of runs are skipped`;
}

/** Converts a share to percent: at least 1 % if above 0, at most 99 % if below 1. */
export function toSkippedPercent(skippedShare: number): number {
  if (skippedShare <= 0 || skippedShare >= 1) return skippedShare <= 0 ? 0 : 100;
  return Math.min(99, Math.max(1, Math.round(skippedShare * 100)));
}

export interface Server {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly address: string | null;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly isLive: boolean;
  readonly isScheduling: boolean;
  readonly clockSkewMs: number | null;
  readonly lagMs: number;
  readonly slowestLoop: string | null;
  readonly skippedShare: number;
}

/** A live server other than this one. */
export interface LiveServer {
  readonly id: string;
  readonly isScheduling: boolean;
}

/**
 * Returns how far this server's clock is ahead of the database's clock, measured with one query.
 * The database most likely read its clock half-way between the start and the end of the query.
 */
export function measureSkewMs(sentAtMs: number, answeredAtMs: number, databaseMs: number): number {
  return (sentAtMs + answeredAtMs) / 2 - databaseMs;
}

/** A live server that has the same id as this one. */
interface Namesake {
  readonly name: string;
  readonly address: string | null;
}

const announce = "select pg_notify('servers_changed', '')";

/** Registers this server. Returns `null`, or a live server elsewhere that has the same id. */
export async function enterServer(db: Database, own: OwnServer): Promise<Namesake | null> {
  const { id, instance, place, name, version, address } = own;
  const entered = await runSql(
    db,
    `insert into servers as known
        (id, instance, place, name, version, address, started_at, seen_at, is_scheduling)
      values ($1, $2, $3, $4, $5, $6, clock_timestamp(), clock_timestamp(), true)
      on conflict (id) do update set instance = excluded.instance, place = excluded.place,
        name = excluded.name, version = excluded.version, address = excluded.address,
        started_at = excluded.started_at, seen_at = excluded.seen_at,
        is_scheduling = true, lag_ms = 0, slowest_loop = null, skipped_share = 0
      where known.place = excluded.place
        or known.seen_at < clock_timestamp() - $7 * interval '1 ms'
      returning id`,
    [id, instance, place, name, version, address, aliveForMs],
  );
  if (entered.length > 0) {
    await runSql(db, announce);
    return null;
  }
  const text = "select name, address from servers where id = $1";
  const [namesake] = await runSql<Namesake>(db, text, [id]);
  return namesake ?? enterServer(db, own);
}

interface PresenceReport {
  readonly isOurs: boolean;
  readonly databaseMs: number;
  readonly live: readonly LiveServer[];
}

interface PresenceRow {
  readonly is_ours: boolean;
  readonly database_ms: number;
  readonly live: LiveServer[];
}

/** Reports that this server is alive, and returns the other live servers. */
export async function reportPresence(
  db: Database,
  { id, instance }: OwnServer,
  condition: Condition & { readonly clockSkewMs: number | null; readonly address: string | null },
): Promise<PresenceReport> {
  const { isScheduling, lagMs, slowestLoop, skippedShare = 0, clockSkewMs, address } = condition;
  const rows = await runPrepared<PresenceRow>(db, {
    name: "report-presence",
    text: `with own as (
        update servers set seen_at = clock_timestamp(), is_scheduling = $3, lag_ms = $4,
          slowest_loop = $5, clock_skew_ms = $6, address = $7, skipped_share = $9
          where id = $1 and instance = $2 returning id)
      select exists (select from own) as is_ours,
        extract(epoch from clock_timestamp())::float8 * 1000 as database_ms,
        coalesce((select json_agg(json_build_object('id', id, 'isScheduling', is_scheduling)
            order by id) from servers
          where id <> $1 and seen_at >= clock_timestamp() - $8 * interval '1 ms'), '[]') as live`,
    values: [
      ...[id, instance, isScheduling, lagMs, slowestLoop, clockSkewMs, address, aliveForMs],
      skippedShare,
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("the presence query must return one row");
  return { isOurs: row.is_ours, databaseMs: row.database_ms, live: row.live };
}

export async function removeServer(db: Database, { id, instance }: OwnServer): Promise<void> {
  await runSql(db, "delete from servers where id = $1 and instance = $2", [id, instance]);
  await runSql(db, announce);
}

export async function forgetLostServers(db: Database): Promise<void> {
  const text = "delete from servers where seen_at < clock_timestamp() - $1 * interval '1 ms'";
  await runSql(db, text, [listedForMs]);
}

/** Lists the live servers, and servers that died within the last day. */
export async function listServers(db: Database): Promise<Server[]> {
  return runSql<Server>(
    db,
    `select id, name, version, address, started_at as "startedAt", seen_at as "seenAt",
        seen_at >= clock_timestamp() - $1 * interval '1 ms' as "isLive",
        is_scheduling as "isScheduling", clock_skew_ms as "clockSkewMs", lag_ms as "lagMs",
        slowest_loop as "slowestLoop", skipped_share as "skippedShare"
      from servers order by started_at, id limit 1000`,
    [aliveForMs],
  );
}

/** Returns the share of runs that the most overloaded live server skips; 0 if none does. */
export async function findWorstOverload(db: Database): Promise<number> {
  const [row] = await runPrepared<{ share: number | null }>(db, {
    name: "find-worst-overload",
    text: `select max(skipped_share) as share from servers
      where seen_at >= clock_timestamp() - $1 * interval '1 ms'`,
    values: [aliveForMs],
  });
  return row?.share ?? 0;
}
