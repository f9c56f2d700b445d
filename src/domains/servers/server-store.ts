import { type Database, runPrepared, runSql } from "../../platform/database.ts";

/** A server that has not reported for this long is dead, and others take over its shards. */
export const aliveForMs = 8_000;
/** Three reports may fail before a server counts as dead. */
export const lookEveryMs = 2_000;
/** A larger clock difference is reported as wrong. */
export const maxClockSkewMs = 2_000;
/** How long a server that disappeared is still listed. */
const listedForMs = 86_400_000;

/** Identifies this process. */
export interface OwnServer {
  readonly id: string;
  readonly instance: string;
  readonly place: string;
  readonly name: string;
  readonly version: string;
  readonly address: string | null;
}

/** The condition of this server, reported to the others. */
export interface Condition {
  readonly isScheduling: boolean;
  readonly lagMs: number;
  readonly slowestLoop: string | null;
  /** The share of runs, from 0 to 1, that it skips because of overload; 0 by default. */
  readonly skippedShare?: number;
}

/** What to do about an overload, the quickest remedy first. */
export const overloadAdvice =
  "Give the server more CPU, run checks less often, start another server on the same database, or " +
  "move some of the runs to probes on other machines.";

/** Describes the effect of an overload; `null` if there is none. */
export function describeOverload(skippedShare: number): string | null {
  if (skippedShare <= 0) return null;
  return `overloaded: ${toSkippedPercent(skippedShare)} % of runs are skipped`;
}

/** Whole percent; rounds neither a small overload to 0 nor a partial one to 100. */
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

/** Another live server. */
export interface LiveServer {
  readonly id: string;
  readonly isScheduling: boolean;
}

/**
 * How far our clock is ahead of the database's, from one round trip: the database read its clock
 * between the two times, most likely half-way.
 */
export function measureSkewMs(sentAtMs: number, answeredAtMs: number, databaseMs: number): number {
  return (sentAtMs + answeredAtMs) / 2 - databaseMs;
}

/** Another live server with the id of this one. */
interface Namesake {
  readonly name: string;
  readonly address: string | null;
}

const announce = "select pg_notify('servers_changed', '')";

/**
 * Registers this server; returns `null` on success. A live server at another place with the same id
 * keeps it.
 */
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

/** Reports that this server is alive and reads the other live servers. */
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

/** Returns the live servers and those that were lost within the last day. */
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

/** Returns the share of runs that the most overloaded of the live servers skips; 0 if none does. */
export async function findWorstOverload(db: Database): Promise<number> {
  const [row] = await runPrepared<{ share: number | null }>(db, {
    name: "find-worst-overload",
    text: `select max(skipped_share) as share from servers
      where seen_at >= clock_timestamp() - $1 * interval '1 ms'`,
    values: [aliveForMs],
  });
  return row?.share ?? 0;
}
