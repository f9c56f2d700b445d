import { type Database, runPrepared } from "../../platform/database.ts";
import type { LastRun } from "../scheduling/index.ts";
import type { CheckState } from "./state.ts";

export interface StateRow {
  readonly check_id: string;
  readonly status: CheckState["status"];
  readonly since: Date;
  readonly last_due_at: Date;
  readonly last_result_id: string;
  readonly last_location: string;
  readonly last_response_ms: number | null;
  readonly shortest_run_ms: number | null;
  readonly longest_run_ms: number | null;
  readonly consecutive_failures: number;
  readonly locations: CheckState["locations"];
  /** Time of the newest change; `null` in rows stored before the column existed. */
  readonly changed_at: Date | null;
  readonly before_unknown: CheckState["beforeUnknown"];
  readonly created_at: Date;
  readonly updated_at: Date;
}

function toState(row: StateRow): CheckState {
  return {
    status: row.status,
    sinceMs: row.since.getTime(),
    changedAtMs: (row.changed_at ?? row.since).getTime(),
    beforeUnknown: row.before_unknown,
    lastResultId: row.last_result_id,
    lastRunLocation: row.last_location,
    lastRunAtMs: row.last_due_at.getTime(),
    consecutiveFailures: row.consecutive_failures,
    locations: row.locations,
  };
}

/** Finds a state without locking the row; `null` if the check never ran. */
export async function findState(db: Database, checkId: string): Promise<CheckState | null> {
  const rows = await runPrepared<StateRow>(db, {
    name: "find-state",
    text: "select * from check_states where check_id = $1",
    values: [checkId],
  });
  return rows[0] === undefined ? null : toState(rows[0]);
}

/** Lists passing checks after the given id, in id order, with the location of their last run. */
export function listPassingPlaces(
  db: Database,
  afterId: string,
  limit: number,
): Promise<{ readonly checkId: string; readonly location: string }[]> {
  return runPrepared(db, {
    name: "list-passing-places",
    text: `select check_id as "checkId", last_location as location from check_states
      where check_id > $1 and status = 'passing' order by check_id limit $2`,
    values: [afterId, limit],
  });
}

/**
 * First of the two keys of an advisory lock that protects the creation of states. The second key is
 * the number of a shard.
 */
const firstStateLocks = 1;

/** Locks the states in the order of the check ids, so that concurrent recorders never deadlock. */
export async function lockStates(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, CheckState>> {
  const states = await lockExistingStates(db, checkIds);
  const missing = checkIds.filter((id) => !states.has(id));
  if (missing.length === 0) return states;
  // A missing row cannot be locked, so two recorders could create the same state concurrently. An
  // advisory lock prevents this. The lock covers all checks of a shard. Recorders rarely wait for
  // it, because each state is created only once.
  await runPrepared(db, {
    name: "lock-first-states",
    text: `select pg_advisory_xact_lock($2, shard) from (
      select distinct get_byte(uuid_send(id), 15) & 63 as shard
      from unnest($1::uuid[]) as id order by 1) as missing`,
    values: [missing, firstStateLocks],
  });
  const made = await lockExistingStates(db, missing);
  return new Map([...states, ...made]);
}

async function lockExistingStates(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, CheckState>> {
  const rows = await runPrepared<StateRow>(db, {
    name: "lock-states",
    text: "select * from check_states where check_id = any($1::uuid[]) order by check_id for update",
    values: [checkIds],
  });
  return new Map(rows.map((row) => [row.check_id, toState(row)]));
}

interface SavedState {
  readonly checkId: string;
  readonly state: CheckState;
  /**
   * Response time of the last run in `state`. Ignored if the stored state has the same last run.
   */
  readonly responseMs: number | null;
  /** Shortest and longest response time of all newly recorded runs. */
  readonly shortestMs: number | null;
  readonly longestMs: number | null;
}

export async function saveStates(
  db: Database,
  saved: readonly SavedState[],
  at: Date,
): Promise<void> {
  await runPrepared(db, {
    name: "save-states",
    text: `
      insert into check_states as existing (check_id, status, since, last_due_at, last_result_id,
        last_location, last_response_ms, shortest_run_ms, longest_run_ms, consecutive_failures,
        locations, changed_at, before_unknown, created_at, updated_at)
      select check_id, status, to_timestamp(since_ms / 1000), to_timestamp(due_ms / 1000),
        result_id, location, response_ms, shortest_ms, longest_ms, failures, places::jsonb,
        to_timestamp(changed_ms / 1000), before_unknown::jsonb, $9, $9
      from unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[], $5::uuid[], $6::text[],
        $7::real[], $8::int[], $10::text[], $11::real[], $12::real[], $13::float8[],
        $14::text[]) as one (check_id, status,
        since_ms, due_ms, result_id, location, response_ms, failures, places, shortest_ms,
        longest_ms, changed_ms, before_unknown)
      order by check_id
      on conflict (check_id) do update set status = excluded.status, since = excluded.since,
        last_due_at = excluded.last_due_at, last_result_id = excluded.last_result_id,
        last_location = excluded.last_location,
        last_response_ms = case when excluded.last_result_id = existing.last_result_id
          then existing.last_response_ms else excluded.last_response_ms end,
        shortest_run_ms = least(existing.shortest_run_ms, excluded.shortest_run_ms),
        longest_run_ms = greatest(existing.longest_run_ms, excluded.longest_run_ms),
        consecutive_failures = excluded.consecutive_failures, locations = excluded.locations,
        changed_at = excluded.changed_at, before_unknown = excluded.before_unknown,
        updated_at = excluded.updated_at`,
    values: [
      saved.map(({ checkId }) => checkId),
      saved.map(({ state }) => state.status),
      saved.map(({ state }) => state.sinceMs),
      saved.map(({ state }) => state.lastRunAtMs),
      saved.map(({ state }) => state.lastResultId),
      saved.map(({ state }) => state.lastRunLocation),
      saved.map(({ responseMs }) => responseMs),
      saved.map(({ state }) => state.consecutiveFailures),
      at,
      saved.map(({ state }) => JSON.stringify(state.locations)),
      saved.map(({ shortestMs }) => shortestMs),
      saved.map(({ longestMs }) => longestMs),
      saved.map(({ state }) => state.changedAtMs),
      saved.map(({ state }) => state.beforeUnknown && JSON.stringify(state.beforeUnknown)),
    ],
  });
}

/** Maximum number of states in a list without a requested limit. */
export const maxListedStates = 100_000;

/** Lists the states of an account's checks that have run, in the order of the check ids. */
export async function listStates(
  db: Database,
  accountId: string,
  query: { readonly checkId?: string; readonly limit?: number; readonly page?: number } = {},
): Promise<(StateRow & { readonly name: string })[]> {
  const { checkId = null, limit = maxListedStates, page = 1 } = query;
  const rows = await runPrepared<StateRow & { name: string }>(db, {
    name: "list-states",
    text: `select s.*, c.name from checks_with_period c join check_states s on s.check_id = c.id
      where c.account_id = $1 and ($2::uuid is null or c.id = $2)
      order by c.id limit $3 offset $4`,
    values: [accountId, checkId, limit, Math.max(0, page - 1) * limit],
  });
  return rows;
}

export async function countStates(db: Database, accountId: string): Promise<number> {
  const rows = await runPrepared<{ count: number }>(db, {
    name: "count-states",
    text: `select count(*)::int as count from checks_with_period c join check_states s on s.check_id = c.id
      where c.account_id = $1`,
    values: [accountId],
  });
  return rows[0]?.count ?? 0;
}

export interface StaleState {
  readonly checkId: string;
  readonly status: CheckState["status"];
  readonly lastDueAt: Date;
}

/**
 * Lists states that may be overdue, because there was no result for two periods. The exact rule
 * allows more time, so callers must check each state. Usually there are very few such states.
 */
export async function listStaleStates(
  db: Database,
  accountId: string,
  now: Date,
): Promise<StaleState[]> {
  const rows = await runPrepared<StaleState>(db, {
    name: "list-stale-states",
    text: `select s.check_id as "checkId", s.status, s.last_due_at as "lastDueAt"
      from checks_with_period c join check_states s on s.check_id = c.id
      where c.account_id = $1 and s.status <> 'unknown' and s.last_due_at < $2::timestamptz
        - 2 * interval '1 second' * c.period_seconds
      order by c.id limit $3`,
    values: [accountId, now, maxListedStates],
  });
  return rows;
}

/** Lists the last runs of a shard's checks. The scheduler uses them to find unanswered runs. */
export async function listLastRuns(db: Database, shard: number): Promise<LastRun[]> {
  const rows = await runPrepared<Pick<StateRow, "check_id" | "last_due_at" | "locations">>(db, {
    name: "list-last-runs",
    text: `select check_id, last_due_at, locations from check_states
      where get_byte(uuid_send(check_id), 15) & 63 = $1`,
    values: [shard],
  });
  return rows.map(toLastRun);
}

export async function listLastRunsOf(
  db: Database,
  checkIds: readonly string[],
): Promise<LastRun[]> {
  const rows = await runPrepared<Pick<StateRow, "check_id" | "last_due_at" | "locations">>(db, {
    name: "list-last-runs-of",
    text: `select check_id, last_due_at, locations from check_states
      where check_id = any($1::uuid[])`,
    values: [checkIds],
  });
  return rows.map(toLastRun);
}

function toLastRun(row: Pick<StateRow, "check_id" | "last_due_at" | "locations">): LastRun {
  return {
    checkId: row.check_id,
    lastDueAtMs: row.last_due_at.getTime(),
    locations: row.locations,
  };
}

interface PublicState {
  readonly name: string;
  readonly status: CheckState["status"];
  readonly responseMs: number | null;
  readonly lastDueAt: Date | null;
}

/** Finds a state by check id, without an account, because badges are public. */
export async function findPublicState(db: Database, checkId: string): Promise<PublicState | null> {
  const rows = await runPrepared<PublicState>(db, {
    name: "find-public-state",
    text: `select c.name, c.status, s.last_response_ms as "responseMs",
        s.last_due_at as "lastDueAt"
      from checks_with_period c left join check_states s on s.check_id = c.id where c.id = $1`,
    values: [checkId],
  });
  return rows[0] ?? null;
}

interface StoredStatus {
  readonly checkId: string;
  readonly status: CheckState["status"];
  readonly since: Date;
  readonly lastDueAt: Date;
}

/** Lists the stored status of checks, regardless of their account. */
export function listStoredStatuses(
  db: Database,
  checkIds: readonly string[],
): Promise<StoredStatus[]> {
  return runPrepared<StoredStatus>(db, {
    name: "list-stored-statuses",
    text: `select check_id as "checkId", status, since, last_due_at as "lastDueAt"
      from check_states where check_id = any($1::uuid[])`,
    values: [checkIds],
  });
}

/** Returns the due time of the newest run of each check, if this run has a verdict. */
export async function findLastResultTimes(
  db: Database,
  checkIds: readonly string[],
): Promise<Map<string, Date>> {
  const rows = await runPrepared<{ check_id: string; last_due_at: Date }>(db, {
    name: "find-last-result-times",
    text: `select check_id, last_due_at from check_states
      where check_id = any($1::uuid[]) and status <> 'unknown'`,
    values: [checkIds],
  });
  return new Map(rows.map((row) => [row.check_id, row.last_due_at]));
}

export interface CheckWithState {
  readonly checkId: string;
  readonly name: string;
  /** State of the check; `null` if the check has not run yet. */
  readonly state: StateRow | null;
}

type Named = { readonly id: string; readonly name: string };

/** Lists states, worst first (failing, degraded, unknown, passing), of all or the given checks. */
export async function listWorstStates(
  db: Database,
  accountId: string,
  query: {
    readonly checkIds: readonly string[] | null;
    /** Ids of checks without recent results, which are sorted as unknown. */
    readonly silentIds: readonly string[];
    readonly limit: number;
  },
): Promise<CheckWithState[]> {
  const rows = await runPrepared<Named & { state: StateRow | null }>(db, {
    name: "list-worst-states",
    text: `select c.id, c.name, case when s.check_id is null then null else to_jsonb(s) end as state
      from checks_with_period c left join check_states s on s.check_id = c.id
      where c.account_id = $1 and ($2::uuid[] is null or c.id = any($2))
      order by case case when c.id = any($4::uuid[]) then 'unknown' else c.status end
        when 'failing' then 0 when 'degraded' then 1 when 'unknown' then 2
        else 3 end, c.id limit $3`,
    values: [accountId, query.checkIds, query.limit, query.silentIds],
  });
  return rows.map(({ id, name, state }) => ({
    checkId: id,
    name,
    state: state === null ? null : parseDates(state),
  }));
}

/** Parses the dates of a state, because dates inside JSON are strings. */
function parseDates(state: StateRow): StateRow {
  const { since, last_due_at, created_at, updated_at } = state;
  return {
    ...state,
    since: new Date(since),
    last_due_at: new Date(last_due_at),
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
  };
}
