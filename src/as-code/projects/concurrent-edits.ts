/** Finds edits that somebody else makes while a deployment or an import runs. */
import { listTargetsChangedSince } from "../../access/accounts/index.ts";
import type { AdapterTools } from "./adapters/adapter.ts";
import { adapters } from "./adapters/index.ts";
import { isAssignment } from "./assignments.ts";
import type { PlanEntry } from "./plan.ts";

/** Actions of a plan that write resources. */
const writtenActions: readonly PlanEntry["action"][] = ["CREATE", "UPDATE", "ADOPT", "DELETE"];

export const describeMeanwhile = ({ type, logicalId }: PlanEntry) =>
  `${type} "${logicalId}" was changed outside of the project during the deployment. Nothing was ` +
  "changed by the deployment. Plan again, or deploy again to overwrite the change.";

/**
 * Returns a resource that somebody else has changed since the mark, which is set before the plan of
 * this transaction is made. A plan writes whole resources, and would undo such a change unnoticed.
 */
export async function findChangedMeanwhile(
  tools: AdapterTools,
  { mark, entries }: { readonly mark: string; readonly entries: readonly PlanEntry[] },
): Promise<PlanEntry | null> {
  const { context, caller } = tools;
  const listIds = ({ type, physicalId }: PlanEntry) => {
    // An assignment is stored with its check or group, which the plan changes too.
    if (isAssignment(type)) return [];
    const own = physicalId === null ? [] : [physicalId];
    return adapters[type].listAuditedIds?.(tools, physicalId) ?? own;
  };
  const written = entries.filter(({ action }) => writtenActions.includes(action));
  const targetIds = [...new Set(written.flatMap(listIds))];
  const changed = new Set(await listTargetsChangedSince(context.db, caller, { mark, targetIds }));
  return written.find((entry) => listIds(entry).some((id) => changed.has(id))) ?? null;
}
