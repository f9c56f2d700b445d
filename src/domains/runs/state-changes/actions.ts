import type { Caller } from "../../accounts/index.ts";
import { getCheck } from "../../checks/index.ts";
import type { RunsContext } from "../context.ts";
import { listStateChanges, type StateChangeQuery, type StateChangeRecord } from "./store.ts";

/** Lists status changes of the account's checks. */
export async function listOwnStateChanges(
  context: Pick<RunsContext, "db">,
  caller: Caller,
  query: StateChangeQuery,
): Promise<StateChangeRecord[]> {
  if (query.checkId !== null) await getCheck(context, caller, query.checkId);
  return listStateChanges(context.db, caller.accountId, query);
}
