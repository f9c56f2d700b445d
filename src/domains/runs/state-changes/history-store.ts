import type { Verdict } from "../../../kinds/verdict.ts";
import { type Database, runPrepared } from "../../../platform/database.ts";
import type { StateDecision } from "../state-decision.ts";

export interface HistoricChange {
  /** Sequence number in recording order. */
  readonly id: string;
  readonly from: Verdict;
  readonly to: Verdict;
  readonly at: Date;
  /** When the next change happened; `null` if none has. */
  readonly until: Date | null;
  readonly resultId: string;
  /** `null` for rows stored before the field existed. */
  readonly decision: StateDecision | null;
}

export interface HistoryQuery {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly limit: number;
  readonly nextId: string | null;
}

/** Newest first. */
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

/** Returns the last change before a given time; `null` if there is none. */
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
