import { notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import { type Check, getCheck } from "../../checks/index.ts";
import type { RunsContext } from "../context.ts";
import { findResult, listResults, type ResultQuery, type ResultRow } from "../result-store.ts";

export interface ResultsWish extends Omit<ResultQuery, "fromMs" | "toMs"> {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Without bounds: the last day, which is where people look. */
const defaultSpanMs = 86_400_000;
const aheadMs = 60_000;

export async function listCheckResults(
  context: RunsContext,
  caller: Caller,
  wish: ResultsWish & { readonly checkId: string },
): Promise<{ readonly check: Check; readonly rows: ResultRow[] }> {
  const check = await getCheck(context, caller, wish.checkId);
  const nowMs = context.clock.now().getTime();
  const toMs = wish.to === undefined ? nowMs + aheadMs : wish.to * 1_000;
  const fromMs = wish.from === undefined ? toMs - defaultSpanMs - aheadMs : wish.from * 1_000;
  const rows = await listResults(context.db, check.id, { ...wish, fromMs, toMs });
  return { check, rows };
}

export async function getResult(
  context: RunsContext,
  caller: Caller,
  { checkId, resultId }: { readonly checkId: string; readonly resultId: string },
): Promise<{ readonly check: Check; readonly row: ResultRow }> {
  const check = await getCheck(context, caller, checkId);
  const row = await findResult(context.db, check.id, resultId);
  if (row === null) throw notFound();
  return { check, row };
}
