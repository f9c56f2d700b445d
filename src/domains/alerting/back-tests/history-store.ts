import type pg from "pg";
import type { RunVerdict } from "../alert-state.ts";
import type { FinalRun } from "../observation.ts";

export type PastRun = Pick<FinalRun, "verdict" | "location" | "dueAtMs" | "resultId">;

interface HistoryRow {
  readonly id: string;
  readonly location: string;
  readonly verdict: number;
}

/** By the codes of the results' column. */
const verdicts: readonly RunVerdict[] = ["unknown", "passing", "degraded", "failing"];

/** A result's id begins with the 48 bits of the moment it was due. */
const toIdFloor = (ms: number) => {
  const digits = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
};
const toDueAtMs = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Oldest first. The bounds are ids, so that only the days asked for are looked at. */
export async function listPastRuns(
  pool: pg.Pool,
  checkId: string,
  span: { readonly fromMs: number; readonly toMs: number; readonly limit: number },
): Promise<PastRun[]> {
  const { rows } = await pool.query<HistoryRow>({
    name: "list-past-runs",
    text: `select id, location, verdict from results
      where check_id = $1 and id >= $2 and id < $3 and is_final order by id limit $4`,
    values: [checkId, toIdFloor(span.fromMs), toIdFloor(span.toMs), span.limit],
  });
  return rows.map(({ id, location, verdict }) => ({
    verdict: verdicts[verdict] ?? "unknown",
    location,
    dueAtMs: toDueAtMs(id),
    resultId: id,
  }));
}
