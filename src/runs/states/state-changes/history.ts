import type { Caller } from "../../../access/accounts/index.ts";
import { getCheck } from "../../../checks/checks/index.ts";
import { kinds } from "../../../kinds/index.ts";
import type { Reason, Verdict } from "../../../kinds/kit/verdict.ts";
import { findNamedResults, type ResultRow } from "../../results/index.ts";
import type { StatesContext } from "../current-status.ts";
import { explainState } from "../state.ts";
import {
  findChangeBefore,
  type HistoricChange,
  type HistoryQuery,
  listHistory,
  listStateChanges,
  type StateChangeQuery,
  type StateChangeRecord,
} from "../state-change-store.ts";

export interface ExplainedChange extends HistoricChange {
  readonly explanation: string;
  /** Reasons of the run that explains the new status; `null` if they are no longer stored. */
  readonly reasons: readonly Reason[] | null;
}

/** Lists the state changes of a check with explanations, newest first. */
export async function listStateHistory(
  context: StatesContext,
  caller: Caller,
  query: HistoryQuery & { readonly checkId: string },
): Promise<ExplainedChange[]> {
  const check = await getCheck(context, caller, query.checkId);
  const changes = await listHistory(context.db, check.id, query);
  const named = changes.map((change) => ({
    checkId: check.id,
    resultId: findExplainingRun(change),
  }));
  const rows = await findNamedResults(context.db, named);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return changes.map((change) => {
    const reasons = readReasons(change, byId.get(findExplainingRun(change)));
    const { rule = "newest-run-decides", votes = [] } = change.decision ?? {};
    const explanation = explainState(kinds[check.kind], {
      status: change.to,
      rule,
      votes,
      reasons,
    });
    return { ...change, reasons, explanation };
  });
}

/**
 * Returns the id of the result that explains the new status. If one location recovered but another
 * one still fails, the result of the failing location explains the status.
 */
function findExplainingRun({ decision, to, resultId }: HistoricChange): string {
  const own = decision?.votes.find((vote) => vote.resultId === resultId);
  if (own === undefined || own.verdict === to) return resultId;
  return decision?.votes.find(({ verdict }) => verdict === to)?.resultId ?? resultId;
}

const allWithinLimits: readonly Reason[] = [{ name: "all-within-limits" }];

function readReasons(change: HistoricChange, row: ResultRow | undefined): readonly Reason[] | null {
  if (row !== undefined) return row.reasons ?? allWithinLimits;
  return findExplainingRun(change) === change.resultId ? (change.decision?.reasons ?? null) : null;
}

export interface StateSpan {
  readonly state: Verdict;
  readonly fromMs: number;
  readonly toMs: number;
}

const maxSpans = 500;

/**
 * Lists the states of a check in a time range, oldest first. If there are too many changes, only
 * the newest are returned. The caller must have verified that the account owns the check.
 */
export async function listStateSpans(
  { db }: Pick<StatesContext, "db">,
  checkId: string,
  span: { readonly fromMs: number; readonly toMs: number },
): Promise<{ readonly spans: StateSpan[]; readonly isTruncated: boolean }> {
  const from = new Date(span.fromMs);
  const to = new Date(span.toMs);
  const query = { from, to, limit: maxSpans + 1, nextId: null };
  const found = await listHistory(db, checkId, query);
  const changes = found.slice(0, maxSpans).toReversed();
  const isTruncated = found.length > maxSpans;
  const before = isTruncated ? null : await findChangeBefore(db, checkId, from);
  const spans: StateSpan[] = [];
  const firstMs = changes[0]?.at.getTime() ?? span.toMs;
  if (before !== null && firstMs > span.fromMs) {
    spans.push({ state: before.to, fromMs: span.fromMs, toMs: firstMs });
  }
  for (const [place, change] of changes.entries()) {
    const toMs = changes[place + 1]?.at.getTime() ?? span.toMs;
    spans.push({ state: change.to, fromMs: change.at.getTime(), toMs });
  }
  return { spans, isTruncated };
}

/** Lists state changes of the caller's account, optionally of one check. */
export async function listOwnStateChanges(
  context: Pick<StatesContext, "db">,
  caller: Caller,
  query: StateChangeQuery,
): Promise<StateChangeRecord[]> {
  if (query.checkId !== null) await getCheck(context, caller, query.checkId);
  return listStateChanges(context.db, caller.accountId, query);
}
