import { createDatabase } from "../../src/platform/database-pool.ts";
import { idFloor } from "../../src/runs/results/run-id.ts";
import { findRolledTimes } from "../../src/runs/statistics/analytics/analytics-store.ts";
import {
  alignWindow,
  blockMs,
  dayMs,
  hourMs,
  planMarks,
  planPieces,
  type Span,
} from "../../src/runs/statistics/window.ts";
import type { History } from "./generate.ts";

const scanResultsText = `select count(*)::int as rows, sum(octet_length(samples)), sum(octet_length(detail)),
    sum(verdict)
  from results where check_id = any($1::uuid[]) and id >= $2 and id < $3 and is_final`;

const scanTotalsText = (table: string) => `
  select count(*)::int as rows, sum(octet_length(samples)), sum(octet_length(parts[1]))
  from ${table} where check_id = any($1::uuid[]) and starts_at in (select to_timestamp(ms / 1000) from unnest($2::float8[]) as mark (ms))`;

/**
 * Returns the milliseconds to read the rows of the statistics by plain index scans inside the
 * database, without sending them. This is the limit that the statistics are compared with.
 */
export async function scanSameRows(history: History, window: Span): Promise<number> {
  const { pool, checkIds, nowMs } = history;
  const aligned = alignWindow(window, nowMs);
  const pieces = planPieces(aligned, await findRolledTimes(createDatabase(pool), aligned, "day"));
  // A running total is stored at the last hour or day before the end of its mark.
  const days = planMarks(pieces.days, blockMs).map(({ toMs }) => toMs - dayMs);
  const hours = planMarks(pieces.hours, dayMs).map(({ toMs }) => toMs - hourMs);
  const startedMs = performance.now();
  let found = 0;
  const read = async (text: string, values: unknown[]) => {
    found += (await pool.query<{ rows: number }>(text, values)).rows[0]?.rows ?? 0;
  };
  await read(scanTotalsText("daily_running_totals"), [checkIds, days]);
  await read(scanTotalsText("hourly_running_totals"), [checkIds, hours]);
  for (const { fromMs, toMs } of pieces.raw) {
    await read(scanResultsText, [checkIds, idFloor(fromMs), idFloor(toMs)]);
  }
  const tookMs = performance.now() - startedMs;
  if (found < checkIds.length * (days.length + hours.length)) throw new Error("rows are missing");
  return tookMs;
}
