import { type Result, toTrouble } from "../../contract/result.ts";
import { isCheckType, kinds } from "../../kinds/index.ts";
import type { Reason, Verdict } from "../../kinds/kit/verdict.ts";
import { type Database, inTransaction, runPrepared, runSql } from "../../platform/database.ts";
import { isAlreadyThere, isLockTimeout } from "../../platform/database-errors.ts";
import { takeEach } from "../../platform/loop.ts";
import { encodeFew } from "../../platform/sketch.ts";
import { deletePathsBefore } from "./path-store.ts";
import {
  deleteGapsBefore,
  type FinalResult,
  type ResultRow,
  verdictCodes,
  verdictNames,
} from "./result-store.ts";
import { idFloor, readDueAtMs } from "./run-id.ts";

export interface JudgedResult {
  readonly result: Result;
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly isFinal: boolean;
}

const insertResults = {
  name: "insert-results",
  // The samples and details of all results are sent as one binary value, from which the statement
  // extracts the part of each result. Sending an array instead would cost twice as much. A result
  // refers to the name of its probe by a number. If a concurrent transaction inserts the same name,
  // this statement does not see the number, so the result stores the name instead.
  text: `
    with named as (
      insert into result_probes (name)
      select distinct name from unnest($4::text[]) as one (name)
      where not exists (select 1 from result_probes as existing where existing.name = one.name)
      on conflict do nothing returning number, name)
    insert into results (check_id, id, location, probe_id, attempt, is_final, verdict, started_at,
      duration_us, response_ms, trouble, reasons, samples, detail, probe_number)
    select check_id, id, location, case when number is null then probe_id end, attempt, is_final,
      verdict, to_timestamp(started_ms / 1000), duration_us, response_ms, trouble::jsonb,
      reasons::jsonb, substring($13::bytea from starts_at for samples_length),
      substring($13::bytea from starts_at + samples_length for detail_length), number
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::smallint[], $6::boolean[],
      $7::smallint[], $8::float8[], $9::int[], $10::real[], $11::text[], $12::text[], $14::int[],
      $15::int[], $16::int[]) as one (check_id, id, location, probe_id, attempt, is_final, verdict,
      started_ms, duration_us, response_ms, trouble, reasons, starts_at, samples_length,
      detail_length)
    left join (select number, name from result_probes union all select number, name from named)
      as probe on probe.name = one.probe_id
    on conflict do nothing returning id`,
};

/** Whether a run has no reasons to store, because all values are within limits. */
function isUneventful(reasons: readonly Reason[]): boolean {
  return reasons.every(({ name }) => name === "all-within-limits");
}

/** Maximum duration to store. Durations are limited, because a probe may report any value. */
const maxDurationUs = 2_147_483_647;

function toDurationUs({ startedAtMs, stoppedAtMs }: Result): number {
  const durationUs = Math.round((stoppedAtMs - startedAtMs) * 1_000) || 0;
  return Math.min(Math.max(durationUs, 0), maxDurationUs);
}

const nothing = new Uint8Array(0);

interface Stored {
  readonly columns: readonly unknown[];
  readonly samples: Uint8Array;
  readonly detail: Uint8Array;
}

function toStored({ result, verdict, reasons, isFinal }: JudgedResult): Stored {
  if (!isCheckType(result.kind)) throw new TypeError(`unknown check kind ${result.kind}`);
  const kind = kinds[result.kind];
  const { outcome } = result;
  const figures = outcome.kind === "measured" ? kind.figures(outcome.measurement) : null;
  const trouble = toTrouble(outcome);
  const columns = [
    result.checkId,
    result.runId,
    result.location,
    result.probeId,
    result.attempt,
    isFinal,
    verdictCodes[verdict],
    result.startedAtMs,
    toDurationUs(result),
    figures?.responseMs ?? null,
    trouble === null ? null : JSON.stringify(trouble),
    isUneventful(reasons) ? null : JSON.stringify(reasons),
  ];
  const samples = figures === null ? nothing : encodeFew(figures.samples);
  return { columns, samples, detail: kind.encode(result) };
}

/** Stores results, ignoring those that are already stored. Returns the ids of the new ones. */
export async function insertNewResults(
  db: Database,
  batch: readonly JudgedResult[],
): Promise<Set<string>> {
  const stored = batch.map(toStored);
  const columns = (stored[0]?.columns ?? []).map((_, place) =>
    stored.map((one) => one.columns[place]),
  );
  const starts: number[] = [];
  let position = 1;
  for (const { samples, detail } of stored) {
    starts.push(position);
    position += samples.length + detail.length;
  }
  const blob = Buffer.concat(stored.flatMap(({ samples, detail }) => [samples, detail]));
  const rows = await runPrepared<{ id: string }>(db, {
    ...insertResults,
    values: [
      ...columns,
      blob,
      starts,
      stored.map(({ samples }) => samples.length),
      stored.map(({ detail }) => detail.length),
    ],
  });
  return new Set(rows.map((row) => row.id));
}

/** Deletes results that mark runs as unanswered, because the real results have arrived. */
export async function deleteUnanswered(db: Database, answered: readonly Result[]): Promise<void> {
  if (answered.length === 0) return;
  await runPrepared(db, {
    name: "delete-unanswered",
    text: `delete from results using unnest($1::uuid[], $2::uuid[]) as late (check_id, id)
      where results.check_id = late.check_id and results.id = late.id
        and results.trouble ->> 'kind' = 'no-answer'`,
    values: [answered.map(({ checkId }) => checkId), answered.map(({ runId }) => runId)],
  });
}

/**
 * An attempt that becomes final. `location` is `null` if the attempt may have run at any location.
 */
interface EarlierAttempt {
  readonly checkId: string;
  readonly dueAtMs: number;
  readonly attempt: number;
  readonly location: string | null;
}

/**
 * Makes attempts final. Returns the attempts that were not final before, with their index in the
 * list. Attempts are found by due time, because the id of each attempt contains the due time of the
 * run.
 */
export function finalizeAttempts(
  db: Database,
  attempts: readonly EarlierAttempt[],
): Promise<(ResultRow & { readonly place: number })[]> {
  return runPrepared<ResultRow & { readonly place: number }>(db, {
    name: "finalize-previous-attempts",
    text: `update results set is_final = true
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[], $5::text[])
        with ordinality as late (check_id, from_id, to_id, attempt, location, place)
      where results.check_id = late.check_id and results.id >= late.from_id
        and results.id < late.to_id and results.attempt = late.attempt
        and (late.location is null or results.location = late.location) and not is_final
      returning (late.place - 1)::int as place, results.*`,
    values: [
      attempts.map(({ checkId }) => checkId),
      attempts.map(({ dueAtMs }) => idFloor(dueAtMs)),
      attempts.map(({ dueAtMs }) => idFloor(dueAtMs + 1)),
      attempts.map(({ attempt }) => attempt),
      attempts.map(({ location }) => location),
    ],
  });
}

/** Nearest runs with a verdict before and after a late run. */
export interface Neighbours {
  readonly before: Verdict | null;
  readonly after: (FinalResult & { readonly startedAtMs: number }) | null;
}

interface LateRun {
  readonly checkId: string;
  readonly dueAtMs: number;
  /** Location of the neighbours; `null` if runs at all locations count. */
  readonly location: string | null;
}

interface NeighbourRow {
  readonly before: number | null;
  readonly id: string | null;
  readonly location: string | null;
  readonly verdict: number | null;
  readonly startedAt: Date | null;
}

/** Maximum time between a late run and the earlier run that counts as its neighbour. */
const lookBackMs = 86_400_000;

/**
 * Finds the neighbours of each late run, in the order of the list. The later neighbour must already
 * be part of the check's state, so runs in `unfoldedIds` are excluded.
 */
export async function findNeighbours(
  db: Database,
  late: readonly LateRun[],
  unfoldedIds: readonly string[],
): Promise<Neighbours[]> {
  if (late.length === 0) return [];
  const rows = await runPrepared<NeighbourRow>(db, {
    name: "find-neighbours-of-late-runs",
    text: `select earlier.verdict as before, later.id, later.location, later.verdict,
        later.started_at as "startedAt"
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) with ordinality
        as late (check_id, oldest_id, first_id, end_id, place, number)
      left join lateral (select verdict from results as one
        where one.check_id = late.check_id and one.id >= oldest_id and one.id < first_id
          and one.is_final and one.verdict <> 0
          and (place is null or one.location = place)
        order by one.id desc limit 1) as earlier on true
      left join lateral (select id, location, verdict, started_at from results as one
        where one.check_id = late.check_id and one.id >= end_id
          and one.is_final and one.verdict <> 0 and one.id <> all($6::uuid[])
          and (place is null or one.location = place)
        order by one.id limit 1) as later on true
      order by late.number`,
    values: [
      late.map(({ checkId }) => checkId),
      late.map(({ dueAtMs }) => idFloor(dueAtMs - lookBackMs)),
      late.map(({ dueAtMs }) => idFloor(dueAtMs)),
      late.map(({ dueAtMs }) => idFloor(dueAtMs + 1)),
      late.map(({ location }) => location),
      unfoldedIds,
    ],
  });
  return rows.map(({ before, id, location, verdict, startedAt }) => ({
    before: before === null ? null : (verdictNames[before] ?? null),
    after:
      id === null || verdict === null || startedAt === null
        ? null
        : {
            resultId: id,
            location: location ?? "",
            verdict: verdictNames[verdict] ?? "unknown",
            dueAtMs: readDueAtMs(id),
            startedAtMs: startedAt.getTime(),
          },
  }));
}

const dayMs = 86_400_000;

function partitionName(dayStartMs: number): string {
  return `results_${new Date(dayStartMs).toISOString().slice(0, 10).replaceAll("-", "_")}`;
}

/** Creates the daily partitions from yesterday to the day after tomorrow, if missing. */
export async function ensurePartitions(db: Database, nowMs: number): Promise<void> {
  const today = Math.floor(nowMs / dayMs) * dayMs;
  for (const start of [today - dayMs, today, today + dayMs, today + 2 * dayMs]) {
    await createPartition(db, start);
  }
}

export async function createPartition(db: Database, dayStartMs: number): Promise<void> {
  const name = partitionName(dayStartMs);
  const bounds = `from ('${idFloor(dayStartMs)}') to ('${idFloor(dayStartMs + dayMs)}')`;
  const text = `create table if not exists ${name} partition of results for values ${bounds}`;
  await runSql(db, text).catch((error) => {
    // A concurrent server may have created the partition.
    if (!isAlreadyThere(error)) throw error;
  });
}

async function listPartitions(db: Database): Promise<{ name: string; startMs: number }[]> {
  const rows = await runSql<{ name: string }>(
    db,
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'results'::regclass order by 1`,
  );
  return rows.flatMap(({ name }) => {
    const day = /^results_(\d{4})_(\d\d)_(\d\d)$/.exec(name);
    const startMs = day === null ? Number.NaN : Date.parse(`${day[1]}-${day[2]}-${day[3]}`);
    return Number.isNaN(startMs) ? [] : [{ name, startMs }];
  });
}

/**
 * Deletes old results by dropping partitions. A drop must wait for readers such as a backup, and
 * inserts would queue behind the drop. The lock timeout is therefore short, and the next round
 * tries again.
 */
export async function dropPartitionsBefore(db: Database, beforeMs: number): Promise<string[]> {
  const old = (await listPartitions(db)).filter(({ startMs }) => startMs + dayMs <= beforeMs);
  const dropped: string[] = [];
  for (const { name } of old) {
    const isDropped = await inTransaction(db, async (transaction) => {
      await runSql(transaction, "set local lock_timeout = '300ms'");
      await runSql(transaction, `drop table if exists ${name}`);
      return true;
    }).catch((error) => {
      if (isLockTimeout(error)) return false;
      throw error;
    });
    if (!isDropped) break;
    dropped.push(name);
  }
  return dropped;
}

/** Deletes old results, gaps and path reports. Returns the names of the dropped partitions. */
export async function deleteResultsBefore(db: Database, before: Date): Promise<string[]> {
  let dropped: string[] = [];
  await takeEach([
    async () => {
      dropped = await dropPartitionsBefore(db, before.getTime());
    },
    () => deleteGapsBefore(db, before),
    () => deletePathsBefore(db, before),
  ]);
  return dropped;
}

/** Returns the start of the oldest partition, or infinity if there is none. */
export async function findOldestPartition(db: Database): Promise<number> {
  const [oldest] = await listPartitions(db);
  return oldest?.startMs ?? Number.POSITIVE_INFINITY;
}

/**
 * Returns whether any result was due in the range. The range must consist of whole days: the query
 * then stops at the first row, whereas it would otherwise scan part of a partition.
 */
export async function hasResults(
  db: Database,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<boolean> {
  const rows = await runSql(db, "select 1 from results where id >= $1 and id < $2 limit 1", [
    idFloor(fromMs),
    idFloor(toMs),
  ]);
  return rows.length > 0;
}
