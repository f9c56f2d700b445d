import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntries } from "../../accounts/index.ts";
import type { CheckListContext } from "../context.ts";
import { holdGroup } from "../groups/store.ts";
import type { ListFilter } from "../lists/list-filter.ts";
import {
  type BulkAction,
  type BulkChange,
  type BulkDecision,
  decideBulkChange,
} from "./bulk-change.ts";
import {
  deleteBulkChecks,
  findFilteredIds,
  lockBulkChecks,
  type PlacedEdit,
  updateBulkChecks,
} from "./store.ts";

export const maxBulkIds = 1_000;
/** By a filter; more are to be changed in parts. */
export const maxBulkFound = 10_000;

export interface BulkRequest {
  readonly ids?: readonly string[] | undefined;
  readonly filter?: ListFilter | undefined;
  readonly expectedCount?: number | undefined;
  readonly action: BulkAction;
  readonly tags?: readonly string[] | undefined;
  readonly groupId?: number | null | undefined;
}

export interface BulkAnswer {
  readonly id: string;
  readonly outcome: BulkDecision["outcome"] | "notFound";
  readonly message: string | null;
}

/** Rules between the fields of a request. */
function assertWhole({ ids, filter, expectedCount, action, tags, groupId }: BulkRequest): void {
  if ((ids === undefined) === (filter === undefined)) {
    throw invalid("ids", "or filter must be there, and not both");
  }
  if (filter !== undefined && expectedCount === undefined) {
    throw invalid("expectedCount", "must say how many checks the filter is to find");
  }
  if ((action === "addTags" || action === "removeTags") && tags === undefined) {
    throw invalid("tags", `must be there with ${action}`);
  }
  if (action === "move" && groupId === undefined) {
    throw invalid("groupId", "must be there with move; null: out of every group");
  }
}

async function findIds(
  context: CheckListContext,
  { accountId }: Caller,
  { ids, filter = {}, expectedCount }: BulkRequest,
): Promise<readonly string[]> {
  if (ids !== undefined) return [...new Set(ids.map((id) => id.toLowerCase()))];
  const silentIds = await context.listSilentIds(accountId);
  const facts = { silentIds, defaultLocation: context.defaultLocation };
  const found = await findFilteredIds(context.db, accountId, filter, {
    facts,
    limit: maxBulkFound,
  });
  if (found.length > maxBulkFound) {
    throw conflict(`the filter finds more than ${maxBulkFound} checks; change them in parts`);
  }
  if (found.length !== expectedCount) {
    throw conflict(`the filter finds ${found.length} checks, not ${expectedCount}: look again`);
  }
  return found;
}

async function toChange(
  db: Database,
  { accountId }: Caller,
  { action, tags = [], groupId = null }: BulkRequest,
): Promise<BulkChange> {
  const isMove = action === "move" && groupId !== null;
  const group = isMove ? await holdGroup(db, accountId, groupId) : null;
  if (isMove && group === null) throw invalid("groupId", "is not known in this account");
  return { action, tags, group };
}

/** Changes many checks in one transaction, and says of each what became of it. */
export async function changeChecks(
  context: CheckListContext,
  caller: Caller,
  request: BulkRequest,
): Promise<BulkAnswer[]> {
  assertWhole(request);
  const ids = await findIds(context, caller, request);
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const wanted = await toChange(db, caller, request);
    const checks = await lockBulkChecks(db, caller.accountId, ids);
    const decided = checks.map((check) => ({ check, ...decideBulkChange(check, wanted) }));
    const edits: PlacedEdit[] = decided.flatMap((one) =>
      one.outcome === "changed" ? [{ id: one.check.id, edit: one.edit }] : [],
    );
    await updateBulkChecks(db, caller.accountId, { edits, at });
    const gone = decided.filter(({ outcome }) => outcome === "deleted");
    await deleteBulkChecks(
      db,
      caller.accountId,
      gone.map(({ check }) => check.id),
    );
    await writeAuditEntries(db, caller, [
      ...edits.map(({ id, edit }) => ({
        action: "check.updated",
        targetId: id,
        changes: { fields: Object.keys(edit), bulk: request.action },
        at,
      })),
      ...gone.map(({ check: { id, name } }) => ({
        action: "check.deleted",
        targetId: id,
        changes: { name, bulk: request.action },
        at,
      })),
    ]);
    const outcomes = new Map(decided.map((one) => [one.check.id, one]));
    return ids.map((id) => toAnswer(id, outcomes.get(id)));
  });
}

function toAnswer(id: string, decision: BulkDecision | undefined): BulkAnswer {
  if (decision === undefined) return { id, outcome: "notFound", message: null };
  const message = decision.outcome === "refused" ? decision.message : null;
  return { id, outcome: decision.outcome, message };
}
