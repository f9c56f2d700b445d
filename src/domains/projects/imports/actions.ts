import { randomUUIDv7 } from "node:crypto";
import { inTransaction } from "../../../platform/database.ts";
import { conflict, KnownError, notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import type { AdapterTools } from "../adapters/adapter.ts";
import { type AdaptedType, adaptedTypes, adapters } from "../adapters/index.ts";
import type { ProjectsContext } from "../context.ts";
import { type Fields, maxResources } from "../resource.ts";
import { deleteOwnedResources, findProject, listOwners, saveOwnedResources } from "../store.ts";
import {
  type ImportedResource,
  type ImportFilter,
  isIncluded,
  nameResources,
  type StoredResource,
  simplifyPayload,
} from "./importable.ts";
import {
  deleteImport,
  insertImport,
  listImports,
  lockImport,
  markImport,
  type ProjectImport,
} from "./store.ts";

/** An import with the resources that it offers. */
export type PlannedImport = ProjectImport;

/** Loads everything that no project owns. */
async function loadUnowned(tools: AdapterTools): Promise<StoredResource[]> {
  const { context, caller } = tools;
  const owners = await listOwners(context.db, caller.accountId, { limit: 100_000 });
  const owned = new Set(owners.map(({ type, physicalId }) => `${type} ${physicalId}`));
  const found: StoredResource[] = [];
  for (const type of adaptedTypes) {
    const all = await adapters[type].listIds(tools);
    const ids = all.filter((id) => !owned.has(`${type} ${id}`));
    if (ids.length === 0) continue;
    const definitions = await adapters[type].load(tools, ids);
    for (const [physicalId, { shown }] of definitions) found.push({ type, physicalId, shown });
  }
  return found;
}

/** Subscriptions are named as the constructs of the client name them. */
function nameSubscription(shown: Fields, names: ReadonlyMap<string, string>): string | null {
  const { alertChannelId, checkId, groupId } = shown;
  const channel = names.get(`alert-channel ${alertChannelId}`);
  const isGroup = checkId === null;
  const subscriber = names.get(isGroup ? `check-group ${groupId}` : `check ${checkId}`);
  if (channel === undefined || subscriber === undefined) return null;
  return `${isGroup ? "check-group" : "check"}-alert-channel-subscription#${subscriber}#${channel}`;
}

/** Cards show their services with names. */
function showPayload(
  { type, physicalId, shown }: StoredResource,
  services: ReadonlyMap<string, string>,
) {
  const id = adapters[type as AdaptedType].hasNumbers ? Number(physicalId) : physicalId;
  if (type === "dashboard") return { ...shown, dashboardId: physicalId, id: physicalId };
  if (type !== "status-page") return { ...shown, id };
  const cards = shown.cards as readonly { name: string; services: readonly string[] }[];
  const named = cards.map((card) => ({
    ...card,
    services: card.services.map((one) => ({ id: one, name: services.get(one) ?? "" })),
  }));
  return { ...shown, id, cards: named };
}

async function findImportable(
  tools: AdapterTools,
  filters: readonly ImportFilter[],
): Promise<ImportedResource[]> {
  const unowned = await loadUnowned(tools);
  const chosen = unowned.filter((one) => isIncluded(one, filters));
  const names = nameResources(chosen.filter(({ type }) => type !== "alert-channel-subscription"));
  const services = new Map(
    unowned
      .filter(({ type }) => type === "status-page-service")
      .map(({ physicalId, shown }) => [physicalId, String(shown.name)]),
  );
  return chosen.flatMap((one): ImportedResource[] => {
    const { type, physicalId, shown } = one;
    const logicalId =
      type === "alert-channel-subscription"
        ? nameSubscription(shown, names)
        : (names.get(`${type} ${physicalId}`) ?? null);
    if (logicalId === null) return [];
    return [{ type, logicalId, physicalId, payload: simplifyPayload(showPayload(one, services)) }];
  });
}

/** Offers resources that no project owns. Stores the offer unless it is a preview. */
export async function planImport(
  context: ProjectsContext,
  caller: Caller,
  request: {
    readonly logicalId: string;
    readonly filters: readonly ImportFilter[];
    readonly isPreview: boolean;
  },
): Promise<ProjectImport> {
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const project = await findProject(db, caller.accountId, request.logicalId);
    if (project === null) throw notFound();
    const tools = { context: { ...context, db }, caller };
    const resources = await findImportable(tools, request.filters);
    if (resources.length === 0) {
      throw new KnownError("notFound", { message: "No importable resources were found" });
    }
    if (resources.length > maxResources) {
      throw conflict(`more than ${maxResources} resources match; narrow the filters`);
    }
    const never = { appliedAt: null, committedAt: null };
    const plan = { id: randomUUIDv7(), projectId: project.id, resources, createdAt: at, ...never };
    if (request.isPreview) return plan;
    await insertImport(db, caller.accountId, plan);
    const changes = { name: project.name, resources: resources.length };
    const note = { action: "project.import-planned", targetId: project.id, changes, at };
    await writeAuditEntry(db, caller, note);
    return plan;
  });
}

const maxImports = 50;

export async function listProjectImports(
  { db }: ProjectsContext,
  { accountId }: Caller,
  query: {
    readonly logicalId: string;
    readonly onlyUnapplied: boolean;
    readonly onlyUncommitted: boolean;
  },
): Promise<ProjectImport[]> {
  const project = await findProject(db, accountId, query.logicalId);
  if (project === null) throw notFound();
  const { onlyUnapplied, onlyUncommitted } = query;
  const filter = { projectId: project.id, onlyUnapplied, onlyUncommitted, limit: maxImports };
  return listImports(db, accountId, filter);
}

function rejectState(message: string): KnownError {
  return new KnownError("forbidden", { message });
}

/** Applies (the project owns the resources from now on), finishes or cancels an import. */
export async function stepImport(
  context: ProjectsContext,
  caller: Caller,
  { id, step }: { readonly id: string; readonly step: "apply" | "finish" | "cancel" },
): Promise<ProjectImport> {
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const plan = await lockImport(db, accountId, id);
    if (plan === null) throw notFound();
    const { projectId, resources } = plan;
    const isApplied = plan.appliedAt !== null;
    if (plan.committedAt !== null) throw rejectState("The import was committed already");
    if (step === "apply") {
      if (isApplied) throw rejectState("The import was applied already");
      await adopt({ ...context, db }, caller, plan);
      await markImport(db, accountId, { id, step: "applied", at });
    } else if (step === "finish") {
      if (!isApplied) throw rejectState("Apply the import first");
      await markImport(db, accountId, { id, step: "committed", at });
    } else {
      if (isApplied) await deleteOwnedResources(db, accountId, { projectId, resources });
      await deleteImport(db, accountId, id);
    }
    const words = { apply: "applied", finish: "committed", cancel: "cancelled" };
    const note = { action: `project.import-${words[step]}`, targetId: projectId, at };
    await writeAuditEntry(db, caller, { ...note, changes: { resources: resources.length } });
    return plan;
  });
}

/** Rejects resources that a project has adopted since the import was planned. */
async function adopt(
  context: ProjectsContext,
  { accountId }: Caller,
  { projectId, resources }: ProjectImport,
): Promise<void> {
  const owners = await listOwners(context.db, accountId, { limit: 100_000 });
  const owned = new Set(owners.map(({ type, physicalId }) => `${type} ${physicalId}`));
  const taken = resources.find(({ type, physicalId }) => owned.has(`${type} ${physicalId}`));
  if (taken !== undefined) {
    throw conflict(`${taken.type} "${taken.logicalId}" belongs to a project already; plan again`);
  }
  const never = { deployed: null, baseline: null, sourceFile: null };
  const saved = resources.map(({ type, logicalId, physicalId }) => {
    return { type, logicalId, physicalId, ...never };
  });
  await saveOwnedResources(context, accountId, { projectId, resources: saved });
}
