import { type Result, toTrouble } from "../../contract/result.ts";
import { decodeDetail, encodeDetail, type ResultDetail } from "../../kinds/icmp/detail-codec.ts";
import type { IcmpMeasurement } from "../../kinds/icmp/measurement.ts";
import { encodePackets } from "../../kinds/icmp/packet-codec.ts";
import type { Reason, Verdict } from "../../kinds/verdict.ts";
import { type Database, runPrepared, runSql } from "../../platform/database.ts";
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
  // Packets and details of all results travel as one value, cut apart here: an array costs twice.
  // A probe that another transaction names at this very moment is stored by its name.
  text: `
    with named as (
      insert into result_probes (name)
      select distinct name from unnest($4::text[]) as one (name)
      where not exists (select 1 from result_probes as known where known.name = one.name)
      on conflict do nothing returning number, name)
    insert into results (check_id, id, location, probe_id, attempt, is_final, verdict, started_at,
      packets_sent, packets_received, loss_percent, min_ms, avg_ms, max_ms, std_dev_ms, trouble,
      reasons, packets, detail, probe_number)
    select check_id, id, location, case when number is null then probe_id end, attempt, is_final,
      verdict, to_timestamp(started_ms / 1000), packets_sent, packets_received, loss_percent,
      min_ms, avg_ms, max_ms, std_dev_ms, trouble::jsonb, reasons::jsonb,
      case when packets_length > 0
        then substring($18::bytea from starts_at for packets_length) end,
      substring($18::bytea from starts_at + packets_length for detail_length), number
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::smallint[], $6::boolean[],
      $7::smallint[], $8::float8[], $9::smallint[], $10::smallint[], $11::real[], $12::real[],
      $13::real[], $14::real[], $15::real[], $16::text[], $17::text[], $19::int[], $20::int[],
      $21::int[]) as one (check_id, id, location, probe_id, attempt, is_final, verdict, started_ms,
      packets_sent, packets_received, loss_percent, min_ms, avg_ms, max_ms, std_dev_ms, trouble,
      reasons, starts_at, packets_length, detail_length)
    left join (select number, name from result_probes union all select number, name from named)
      as probe on probe.name = one.probe_id
    on conflict do nothing returning id`,
};

const columnCount = 17;

function toColumns(judged: JudgedResult): unknown[] {
  const { result, verdict, reasons, isFinal } = judged;
  const { outcome } = result;
  const measured = outcome.kind === "measured" ? (outcome.measurement as IcmpMeasurement) : null;
  const statistics = measured?.statistics;
  return [
    result.checkId,
    result.runId,
    result.location,
    result.probeId,
    result.attempt,
    isFinal,
    verdictCodes[verdict],
    result.startedAtMs,
    statistics?.packetsSent ?? null,
    statistics?.packetsReceived ?? null,
    statistics?.packetLossPercent ?? null,
    statistics?.minMs ?? null,
    statistics?.avgMs ?? null,
    statistics?.maxMs ?? null,
    statistics?.stdDevMs ?? null,
    measured === null ? JSON.stringify(toTrouble(outcome)) : null,
    isUneventful(reasons) ? null : JSON.stringify(reasons),
  ];
}

/** As most runs are; one that passes because it failed as expected says so. */
function isUneventful(reasons: readonly Reason[]): boolean {
  return reasons.every(({ name }) => name === "all-within-limits");
}

/** Gives back the ids that were new: a run seen before is recorded once. */
export async function insertNewResults(
  db: Database,
  batch: readonly JudgedResult[],
): Promise<Set<string>> {
  const columns: unknown[][] = Array.from({ length: columnCount }, () => []);
  const blobs: Buffer[] = [];
  const starts: number[] = [];
  const packetsLengths: number[] = [];
  const detailLengths: number[] = [];
  let position = 1;
  for (const judged of batch) {
    for (const [index, value] of toColumns(judged).entries()) columns[index]?.push(value);
    const { outcome, startedAtMs } = judged.result;
    const packets =
      outcome.kind === "measured" ? (outcome.measurement as IcmpMeasurement).packets : [];
    const packetsBlob = encodePackets(packets, startedAtMs);
    const detailBlob = encodeDetail(judged.result as Parameters<typeof encodeDetail>[0]);
    blobs.push(packetsBlob, detailBlob);
    starts.push(position);
    packetsLengths.push(packetsBlob.length);
    detailLengths.push(detailBlob.length);
    position += packetsBlob.length + detailBlob.length;
  }
  const values = [...columns, Buffer.concat(blobs), starts, packetsLengths, detailLengths];
  const rows = await runPrepared<{ id: string }>(db, { ...insertResults, values });
  return new Set(rows.map((row) => row.id));
}

export interface ResultRow extends Omit<ResultDetail, "durationMs"> {
  readonly id: string;
  readonly check_id: string;
  readonly location: string;
  readonly probe_id: string;
  readonly attempt: number;
  readonly is_final: boolean;
  readonly verdict: number;
  readonly started_at: Date;
  readonly stopped_at: Date;
  readonly packets_sent: number | null;
  readonly packets_received: number | null;
  readonly loss_percent: number | null;
  readonly min_ms: number | null;
  readonly avg_ms: number | null;
  readonly max_ms: number | null;
  readonly std_dev_ms: number | null;
  readonly trouble: Record<string, unknown> | null;
  readonly reasons: readonly Reason[] | null;
  readonly packets?: Buffer | null;
}

/** Without a packed detail it is a result from before there was one, and has columns for it. */
interface StoredRow extends ResultRow {
  readonly detail: Buffer | null;
}

const listedColumns = `id, check_id, location,
  coalesce(probe_id, (select name from result_probes where number = probe_number)) as probe_id,
  attempt, is_final, verdict, started_at, stopped_at, hostname, ip_family, ping_count, resolved_ip,
  dns_ms, packet_size, packets_sent, packets_received, loss_percent, min_ms, avg_ms, max_ms,
  std_dev_ms, jitter_ms, loss_burst, duplicates, reordered, late_replies, trouble, reasons, detail`;

function toResultRow({ detail, ...row }: StoredRow): ResultRow {
  if (detail === null) return row;
  const { durationMs, ...found } = decodeDetail(detail);
  return { ...row, ...found, stopped_at: new Date(row.started_at.getTime() + durationMs) };
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

/** Newest first. The bounds are ids, so that only the days asked for are looked at. */
export async function listResults(
  db: Database,
  checkId: string,
  query: ResultQuery,
): Promise<ResultRow[]> {
  const rows = await runPrepared<StoredRow>(db, {
    name: "list-results",
    text: `select ${listedColumns} from results
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
  return rows.map(toResultRow);
}

export async function findResult(
  db: Database,
  checkId: string,
  id: string,
): Promise<ResultRow | null> {
  const rows = await runPrepared<StoredRow>(db, {
    name: "find-result",
    text: `select ${listedColumns}, packets from results where check_id = $1 and id = $2`,
    values: [checkId, id],
  });
  const [row] = rows;
  return row === undefined ? null : toResultRow(row);
}

/** Several results of one check, and every attempt of their runs, in the order they were made. */
export async function listAttempts(
  db: Database,
  checkId: string,
  dueAtMs: readonly number[],
): Promise<ResultRow[]> {
  if (dueAtMs.length === 0) return [];
  const floors = dueAtMs.map((ms) => idFloor(ms));
  const ceilings = dueAtMs.map((ms) => idFloor(ms + 1));
  const rows = await runSql<StoredRow>(
    db,
    `select ${listedColumns} from unnest($2::uuid[], $3::uuid[]) as due (first, after)
      join results on check_id = $1 and id >= due.first and id < due.after
      order by due.first, attempt, id limit 500`,
    [checkId, floors, ceilings],
  );
  return rows.map(toResultRow);
}

/** The newest final run with a verdict between two due times. */
export async function findNewestFinal(
  db: Database,
  checkId: string,
  span: { readonly fromMs: number; readonly toMs: number; readonly verdict: Verdict },
): Promise<ResultRow | null> {
  const query = { ...span, limit: 1, resultType: "FINAL" } as const;
  const [newest] = await listResults(db, checkId, query);
  return newest ?? null;
}

/** Of many checks at once. */
export async function findNamedResults(
  db: Database,
  named: readonly { readonly checkId: string; readonly resultId: string }[],
): Promise<ResultRow[]> {
  if (named.length === 0) return [];
  const rows = await runSql<StoredRow>(
    db,
    `select ${listedColumns} from unnest($1::uuid[], $2::uuid[]) as named (check_id, id)
      join results using (check_id, id) order by id desc`,
    [named.map(({ checkId }) => checkId), named.map(({ resultId }) => resultId)],
  );
  return rows.map(toResultRow);
}
