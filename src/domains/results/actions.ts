import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { notFound } from "../../platform/errors.ts";
import type { Caller } from "../accounts/index.ts";
import { type Check, getCheck } from "../checks/index.ts";
import { findResult, listResults, type ResultQuery, type ResultRow } from "./result-store.ts";

/** Dependencies of the actions. */
export interface ResultsContext {
  readonly db: Database;
  readonly clock: Clock;
}

export interface ResultsRequest extends Omit<ResultQuery, "fromMs" | "toMs"> {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Default time range: the last day. */
const defaultSpanMs = 86_400_000;
const aheadMs = 60_000;

export async function listCheckResults(
  context: ResultsContext,
  caller: Caller,
  request: ResultsRequest & { readonly checkId: string },
): Promise<{ readonly check: Check; readonly rows: ResultRow[] }> {
  const check = await getCheck(context, caller, request.checkId);
  const nowMs = context.clock.now().getTime();
  const toMs = request.to === undefined ? nowMs + aheadMs : request.to * 1_000;
  const fromMs = request.from === undefined ? toMs - defaultSpanMs - aheadMs : request.from * 1_000;
  const rows = await listResults(context.db, check.id, { ...request, fromMs, toMs });
  return { check, rows };
}

export async function getResult(
  context: ResultsContext,
  caller: Caller,
  { checkId, resultId }: { readonly checkId: string; readonly resultId: string },
): Promise<{ readonly check: Check; readonly row: ResultRow }> {
  const check = await getCheck(context, caller, checkId);
  const row = await findResult(context.db, check.id, resultId);
  if (row === null) throw notFound();
  return { check, row };
}
