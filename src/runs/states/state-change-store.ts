import type { Verdict } from "../../kinds/kit/verdict.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import type { StateDecision } from "./state.ts";

export interface HistoricChange {
  /** Sequence number of the change, in the order of recording. */
  readonly id: string;
  readonly from: Verdict;
  readonly to: Verdict;
  readonly at: Date;
  /** Time of the next change; `null` if this is the newest change. */
  readonly until: Date | null;
  readonly resultId: string;
  /** Explanation of the change; `null` in rows stored before the column existed. */
  readonly decision: StateDecision | null;
}

export interface HistoryQuery {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly limit: number;
  readonly nextId: string | null;
}

/** Lists the state changes of a check, newest first. */
export async function listHistory(
  db: Database,
  checkId: string,
  query: HistoryQuery,
): Promise<HistoricChange[]> {
  return runPrepared<HistoricChange>(db, {
    name: "list-state-history",
    text: `select s.id::text, s.from_status as "from", s.to_status as "to", s.at,
        s.result_id as "resultId", s.decision,
        (select later.at from state_changes later where later.check_id = s.check_id
          and later.id > s.id order by later.id limit 1) as until
      from state_changes s
      where s.check_id = $1 and ($2::timestamptz is null or s.at >= $2)
        and ($3::timestamptz is null or s.at < $3) and ($4::bigint is null or s.id <= $4)
      order by s.id desc limit $5`,
    values: [checkId, query.from, query.to, query.nextId, query.limit],
  });
}

/** Returns the last change of a check before the given time, or `null`. */
export async function findChangeBefore(
  db: Database,
  checkId: string,
  before: Date,
): Promise<{ readonly to: Verdict; readonly at: Date } | null> {
  const rows = await runPrepared<{ to: Verdict; at: Date }>(db, {
    name: "find-change-before",
    text: `select to_status as "to", at from state_changes where check_id = $1 and at < $2
      order by id desc limit 1`,
    values: [checkId, before],
  });
  return rows[0] ?? null;
}

interface StateChangeRow {
  readonly accountId: string;
  readonly checkId: string;
  readonly from: string;
  readonly to: string;
  readonly atMs: number;
  readonly resultId: string;
  readonly decision: StateDecision;
}

export async function insertStateChanges(
  db: Database,
  changes: readonly StateChangeRow[],
): Promise<void> {
  if (changes.length === 0) return;
  await runPrepared(db, {
    name: "insert-state-changes",
    text: `insert into state_changes (account_id, check_id, from_status, to_status, at, result_id,
        decision)
      select account_id, check_id, from_status, to_status, to_timestamp(at_ms / 1000), result_id,
        decision::jsonb
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::float8[], $6::uuid[],
        $7::text[])
        as one (account_id, check_id, from_status, to_status, at_ms, result_id, decision)`,
    values: [
      changes.map((change) => change.accountId),
      changes.map((change) => change.checkId),
      changes.map((change) => change.from),
      changes.map((change) => change.to),
      changes.map((change) => change.atMs),
      changes.map((change) => change.resultId),
      changes.map((change) => JSON.stringify(change.decision)),
    ],
  });
}

export interface StateChangeRecord {
  readonly checkId: string;
  /** Name of the check; `null` if the check was deleted. */
  readonly name: string | null;
  readonly from: Verdict;
  readonly to: Verdict;
  readonly at: Date;
  readonly resultId: string;
}

export interface StateChangeQuery {
  readonly checkId: string | null;
  readonly from: Date;
  readonly to: Date;
  readonly limit: number;
}

/** Lists state changes of an account, newest first. */
export async function listStateChanges(
  db: Database,
  accountId: string,
  query: StateChangeQuery,
): Promise<StateChangeRecord[]> {
  return runSql<StateChangeRecord>(
    db,
    `select s.check_id as "checkId", c.name,
        s.from_status as "from", s.to_status as "to", s.at, s.result_id as "resultId"
      from state_changes s left join checks_with_period c on c.id = s.check_id
      where s.account_id = $1 and s.at >= $2 and s.at < $3
        and ($4::uuid is null or s.check_id = $4) order by s.at desc, s.id desc limit $5`,
    [accountId, query.from, query.to, query.checkId, query.limit],
  );
}

/**
 * Deletes state changes before the given time, up to a limit, and returns the number of deleted
 * changes. The newest change of an existing check is never deleted, because it contains the start
 * of the current status.
 */
export async function deleteStateChangesBefore(
  db: Database,
  before: Date,
  limit: number,
): Promise<number> {
  const rows = await runSql(
    db,
    `delete from state_changes where id = any(array(
      select old.id from state_changes old where old.at < $1 and (
        exists (select 1 from state_changes later
          where later.check_id = old.check_id and later.id > old.id)
        or not exists (select 1 from checks_with_period c where c.id = old.check_id))
      order by old.at limit $2)) returning 1`,
    [before, limit],
  );
  return rows.length;
}

/** Status changes of one check within one time slot. */
export interface SlotChanges {
  /** Position of the check in the requested list, counted from 1. */
  readonly place: number;
  readonly slot: number;
  /** Status of the check before the first change in the slot. */
  readonly first: Verdict;
  /** All statuses that the check had in the slot, including the one before the first change. */
  readonly seen: readonly Verdict[];
}

/** Returns one row for each check and slot in which the status changed. */
export function listSlotChanges(
  db: Database,
  checkIds: readonly string[],
  { fromMs, slotMs }: { readonly fromMs: number; readonly slotMs: number },
): Promise<SlotChanges[]> {
  return runPrepared<SlotChanges>(db, {
    name: "list-slot-changes",
    text: `select place::int, slot, first, seen
      from unnest($1::uuid[]) with ordinality as requested (check_id, place)
      cross join lateral (
        select
          floor((extract(epoch from at)::float8 * 1000 - $2::float8) / $3::float8)::int as slot,
          (array_agg(from_status order by id))[1] as first,
          array_agg(distinct from_status) || array_agg(distinct to_status) as seen
        from state_changes
        where state_changes.check_id = requested.check_id and at >= to_timestamp($2::float8 / 1000)
        group by 1
      ) as found`,
    values: [checkIds, fromMs, slotMs],
  });
}
