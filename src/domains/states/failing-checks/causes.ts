import { isCheckType, kinds } from "../../../kinds/index.ts";
import { explainVerdict } from "../../../kinds/reason-text.ts";
import { findNamedResults, type ResultRow } from "../../results/index.ts";
import type { StatesContext } from "../context.ts";
import { listSilentChecks } from "../current-status.ts";
import { findExplaining, isSeenFromPlaces, nameTroubles } from "./actions.ts";
import { type FailingCheckRow, listFailingRows } from "./store.ts";

export interface Cause {
  /** Identical for checks that fail for the same reason, whatever their figures and targets. */
  readonly key: string;
  /** The reason in one sentence; `null` if the result is no longer stored. */
  readonly explanation: string | null;
}

export interface FailingCause extends Omit<FailingCheckRow, "locations"> {
  readonly cause: Cause;
  /** The locations whose newest run did not pass. */
  readonly places: readonly string[];
}

/**
 * Returns the name of the first reason and its code if it has one, as in "connection-failed
 * ECONNREFUSED".
 */
function findCause(kind: string, row: ResultRow | undefined): Cause {
  const reasons = row?.reasons ?? null;
  const [first] = reasons ?? [];
  if (reasons === null || first === undefined || !isCheckType(kind)) {
    return { key: "unknown", explanation: null };
  }
  const code = "code" in first && typeof first.code === "string" ? ` ${first.code}` : "";
  return { key: `${first.name}${code}`, explanation: explainVerdict(kinds[kind], reasons) };
}

/**
 * Lists failing and degraded checks with their causes but without figures, so that many can be
 * listed.
 */
export async function listFailingCauses(
  context: StatesContext,
  accountId: string,
  limit: number,
): Promise<FailingCause[]> {
  const { db } = context;
  const silentIds = (await listSilentChecks(context, accountId)).map(({ checkId }) => checkId);
  const rows = await listFailingRows(db, accountId, { silentIds, limit });
  const results = await findNamedResults(db, rows.flatMap(nameTroubles));
  const resultsOf = Map.groupBy(results, (row) => row.check_id);
  return rows.map(({ locations, ...row }) => ({
    ...row,
    cause: findCause(row.kind, findExplaining(row, resultsOf.get(row.id) ?? [])),
    places: Object.entries(isSeenFromPlaces(row.kind) ? locations : {})
      .filter(([, { verdict }]) => verdict !== "passing")
      .map(([location]) => location)
      .sort(),
  }));
}
