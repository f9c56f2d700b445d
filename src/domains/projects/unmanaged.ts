/** Finds subscriptions and private locations of a project's checks that no project owns. */
import type { AdapterTools } from "./adapters/adapter.ts";
import { formatSubscriptionId, loadSubscriptions } from "./adapters/channels.ts";
import { mapDeployedSlugs, type Planned } from "./desired-state.ts";
import { nameSubscription } from "./imports/importable.ts";
import { joinOrigins, type PlanEntry } from "./plan.ts";
import { type Fields, keyOf } from "./resource.ts";
import { listOwners, maxOwners } from "./store.ts";

const listSlugs = (fields: Fields | null) => (fields?.privateLocations ?? []) as readonly string[];

/** Whether the change only removes locations that the project did not assign. */
function isPruned({ before, after }: PlanEntry, deployed: readonly string[]): boolean {
  const removed = listSlugs(before).filter((slug) => !listSlugs(after).includes(slug));
  const isAdding = listSlugs(after).some((slug) => !listSlugs(before).includes(slug));
  return !isAdding && removed.length > 0 && removed.every((slug) => !deployed.includes(slug));
}

/** Marks the removal of private locations that somebody else assigned. */
function markPruned({ entries, owned }: Planned): PlanEntry[] {
  const slugs = mapDeployedSlugs(owned);
  return entries.map((entry) => {
    if (!isPruned(entry, slugs.get(entry.physicalId ?? "") ?? [])) return entry;
    const changes = entry.changes.map((change) =>
      change.path === "/privateLocations" ? { ...change, origin: "unmanaged" as const } : change,
    );
    return { ...entry, changes, origin: joinOrigins(changes) };
  });
}

/** Deletes the subscriptions of the project's checks and groups that no project owns. */
async function addSubscriptions(tools: AdapterTools, planned: Planned): Promise<Planned> {
  const { context, caller } = tools;
  const stays = ["ADOPT", "UPDATE", "UNCHANGED"];
  const subscribers = planned.entries.filter(({ action }) => stays.includes(action));
  const listIds = (type: string) =>
    subscribers.flatMap((one) => (one.type === type ? (one.physicalId ?? []) : []));
  const groupIds = listIds("check-group").map(Number);
  const found = await loadSubscriptions(tools, { checkIds: listIds("check"), groupIds });
  const type = "alert-channel-subscription" as const;
  const owners = await listOwners(context.db, caller.accountId, { type, limit: maxOwners });
  const desired = planned.entries.filter((entry) => entry.type === type);
  const managed = new Set([
    ...owners.map(({ physicalId }) => physicalId),
    ...desired.flatMap(({ after }) => (after === null ? [] : formatSubscriptionId(after as never))),
  ]);
  const folders = new Map(subscribers.map((one) => [`${one.type} ${one.physicalId}`, one]));
  const names = new Map([...folders].map(([key, { logicalId }]) => [key, logicalId]));
  const current = new Map(planned.current);
  const entries = [...found].flatMap(([physicalId, definition]): PlanEntry[] => {
    const { checkId, groupId } = definition.clear;
    const key = checkId === null ? `check-group ${groupId}` : `check ${checkId}`;
    const folder = folders.get(key);
    const logicalId = nameSubscription({ ...definition.clear, activated: true }, names);
    if (managed.has(physicalId) || folder === undefined || logicalId === null) return [];
    const entry = { type, logicalId, physicalId, action: "DELETE" as const, changes: [] };
    current.set(keyOf(entry), definition);
    const foldedInto = { type: folder.type, logicalId: folder.logicalId };
    return [{ ...entry, origin: "unmanaged", before: definition.shown, after: null, foldedInto }];
  });
  return { ...planned, current, entries: [...planned.entries, ...entries] };
}

/** Adds the removal of relations that no project owns to a plan that prunes them. */
export function pruneUnmanaged(tools: AdapterTools, planned: Planned): Promise<Planned> {
  return addSubscriptions(tools, { ...planned, entries: markPruned(planned) });
}
