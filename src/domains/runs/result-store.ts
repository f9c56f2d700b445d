import { type Result, toTrouble } from "../../contract/result.ts";
import { isCheckType, kinds } from "../../kinds/index.ts";
import type { Kind, Run } from "../../kinds/kind.ts";
import type { Reason, Verdict } from "../../kinds/verdict.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
import { encodeFew } from "../../platform/sketch.ts";
import { idFloor } from "./run-id.ts";

export const verdictCodes: Readonly<Record<Verdict, number>> = {
  unknown: 0,
  passing: 1,
  degraded: 2,
  failing: 3,
};
export const verdictNames = ["unknown", "passing", "degraded", "failing"] as const;

export interface JudgedResult {
  readonly result: Result;
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly isFinal: boolean;
}

const insertResults = {
  name: "insert-results",
  // Samples and details of all results are sent as one value and split here, because an array costs
  // twice as much. If another transaction inserts a probe name concurrently, the name is stored
  // inline.
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

/**
 * Whether a run passed without a notable reason, as most do. A run that failed as expected has one.
 */
function isUneventful(reasons: readonly Reason[]): boolean {
  return reasons.every(({ name }) => name === "all-within-limits");
}

/** Upper bound of the stored duration; a probe may report any value. */
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

/** Returns the ids that were new. A run is recorded only once. */
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

/** Deletes "unanswered" results of runs whose real results arrived after all. */
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

export interface ResultRow {
  readonly id: string;
  readonly check_id: string;
  readonly location: string;
  readonly probe_id: string;
  readonly attempt: number;
  readonly is_final: boolean;
  readonly verdict: number;
  readonly started_at: Date;
  readonly duration_us: number;
  readonly response_ms: number | null;
  readonly trouble: Record<string, unknown> | null;
  readonly reasons: readonly Reason[] | null;
  /** Encoded by the kind of the check. */
  readonly detail: Buffer;
}

const columns = `id, check_id, location, probe_id, attempt, is_final, verdict, started_at,
  duration_us, response_ms, trouble, reasons, detail`;

export function readStoppedAt({ started_at, duration_us }: ResultRow): Date {
  return new Date(started_at.getTime() + duration_us / 1_000);
}

/** Decodes the request and the outcome of a run. */
export function readRun(kind: Pick<Kind, "decode">, row: ResultRow): Run {
  const { detail, started_at, trouble } = row;
  return kind.decode(detail, { startedAtMs: started_at.getTime(), trouble });
}

export interface ResultQuery {
  readonly limit: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** The newest id of the page; ids sort by time. */
  readonly nextId?: string | undefined;
  readonly location?: string | undefined;
  readonly hasFailures?: boolean | undefined;
  readonly resultType: "FINAL" | "ATTEMPT" | "ALL";
  readonly verdict?: Verdict | undefined;
}

/** Lists results, newest first. Filters by id range, so that only the requested days are read. */
export async function listResults(
  db: Database,
  checkId: string,
  query: ResultQuery,
): Promise<ResultRow[]> {
  return runPrepared<ResultRow>(db, {
    name: "list-results",
    text: `select ${columns} from readable_results
      where check_id = $1 and id >= $2 and id < $3 and ($4::uuid is null or id <= $4)
        and ($5::text is null or location = $5)
        and ($6::boolean is null or (verdict = 3) = $6)
        and ($7::boolean is null or is_final = $7) and ($9::smallint is null or verdict = $9)
      order by id desc limit $8`,
    values: [
      checkId,
      idFloor(query.fromMs),
      idFloor(query.toMs),
      query.nextId ?? null,
      query.location ?? null,
      query.hasFailures ?? null,
      query.resultType === "ALL" ? null : query.resultType === "FINAL",
      query.limit,
      query.verdict === undefined ? null : verdictCodes[query.verdict],
    ],
  });
}

export async function findResult(
  db: Database,
  checkId: string,
  id: string,
): Promise<ResultRow | null> {
  const rows = await runPrepared<ResultRow>(db, {
    name: "find-result",
    text: `select ${columns} from readable_results where check_id = $1 and id = $2`,
    values: [checkId, id],
  });
  return rows[0] ?? null;
}

/** Lists all attempts of several runs of one check, in order. */
export async function listAttempts(
  db: Database,
  checkId: string,
  dueAtMs: readonly number[],
): Promise<ResultRow[]> {
  if (dueAtMs.length === 0) return [];
  const floors = dueAtMs.map((ms) => idFloor(ms));
  const ceilings = dueAtMs.map((ms) => idFloor(ms + 1));
  return runSql<ResultRow>(
    db,
    `select ${columns} from unnest($2::uuid[], $3::uuid[]) as due (first, after)
      join readable_results on check_id = $1 and id >= due.first and id < due.after
      order by due.first, attempt, id limit 500`,
    [checkId, floors, ceilings],
  );
}

/** Finds the newest final run with a verdict between two due times. */
export async function findNewestFinal(
  db: Database,
  checkId: string,
  span: { readonly fromMs: number; readonly toMs: number; readonly verdict: Verdict },
): Promise<ResultRow | null> {
  const query = { ...span, limit: 1, resultType: "FINAL" } as const;
  const [newest] = await listResults(db, checkId, query);
  return newest ?? null;
}

/** Finds results of several checks. */
export async function findNamedResults(
  db: Database,
  named: readonly { readonly checkId: string; readonly resultId: string }[],
): Promise<ResultRow[]> {
  if (named.length === 0) return [];
  return runSql<ResultRow>(
    db,
    `select ${columns} from unnest($1::uuid[], $2::uuid[]) as named (check_id, id)
      join readable_results using (check_id, id) order by id desc`,
    [named.map(({ checkId }) => checkId), named.map(({ resultId }) => resultId)],
  );
}
