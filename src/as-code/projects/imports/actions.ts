import { randomUUIDv7 } from "node:crypto";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { listOwnLocations } from "../../../checks/locations/index.ts";
import { inTransaction } from "../../../platform/database.ts";
import { conflict, KnownError, notFound } from "../../../platform/errors.ts";
import { listAllServices } from "../../../sites/status-pages/index.ts";
import type { AdapterTools } from "../adapters/adapter.ts";
import { type AdaptedType, adaptedTypes, adapters } from "../adapters/index.ts";
import { isAssignment } from "../assignments.ts";
import type { ProjectsContext } from "../context.ts";
import { maxResources, ownTypes } from "../resource.ts";
import {
  deleteImport,
  deleteOwnedResources,
  findProject,
  insertImport,
  listImports,
  listOwners,
  lockImport,
  markImport,
  maxOwners,
  type ProjectImport,
  saveOwnedResources,
} from "../store.ts";
import {
  hasConstruct,
  type ImportedResource,
  type ImportFilter,
  isIncluded,
  listAssignments,
  nameResources,
  nameSubscription,
  type StoredResource,
  simplifyPayload,
} from "./importable.ts";

/** An import plan with the resources that it offers. */
export type PlannedImport = ProjectImport;

/** Loads the resources that no project owns, except types that existing clients do not know. */
async function loadUnowned(tools: AdapterTools): Promise<StoredResource[]> {
  const { context, caller } = tools;
  const owners = await listOwners(context.db, caller.accountId, { limit: maxOwners });
  const owned = new Set(owners.map(({ type, physicalId }) => `${type} ${physicalId}`));
  const found: StoredResource[] = [];
  for (const type of adaptedTypes) {
    if (ownTypes.includes(type)) continue;
    const all = await adapters[type].listIds(tools);
    const ids = all.filter((id) => !owned.has(`${type} ${id}`));
    if (ids.length === 0) continue;
    const definitions = await adapters[type].load(tools, ids);
    for (const [physicalId, { shown }] of definitions) found.push({ type, physicalId, shown });
  }
  return found;
}

/**
 * Returns a payload in the format of the import API, with the id of the resource and the names of
 * services.
 */
function showPayload(
  { type, physicalId, shown }: StoredResource,
  services: ReadonlyMap<string, string>,
) {
  const id = adapters[type as AdaptedType].hasNumbers ? Number(physicalId) : physicalId;
  if (type === "dashboard") return { ...shown, dashboardId: physicalId, id: physicalId };
  if (type !== "status-page" || shown.cards === undefined) return { ...shown, id };
  const cards = shown.cards as readonly { name: string; services: readonly string[] }[];
  const named = cards.map((card) => ({
    ...card,
    services: card.services.map((one) => ({ id: one, name: services.get(one) ?? "" })),
  }));
  return { ...shown, id, cards: named };
}

/** Returns the selected resources with their subscriptions and private locations. */
async function findImportable(
  tools: AdapterTools,
  filters: readonly ImportFilter[],
): Promise<ImportedResource[]> {
  const unowned = await loadUnowned(tools);
  const isSubscription = ({ type }: StoredResource) => type === "alert-channel-subscription";
  const chosen = unowned.filter(
    (one) => !isSubscription(one) && hasConstruct(one) && isIncluded(one, filters),
  );
  const names = nameResources(chosen);
  const allServices = await listAllServices(tools.context, tools.caller);
  const services = new Map(allServices.map(({ id, name }) => [id, name]));
  const locations = await listOwnLocations(tools.context, tools.caller);
  const named = [...chosen, ...unowned.filter(isSubscription)].flatMap((one) => {
    const { type, physicalId, shown } = one;
    const logicalId = isSubscription(one)
      ? nameSubscription(shown, names)
      : (names.get(`${type} ${physicalId}`) ?? null);
    if (logicalId === null) return [];
    return [{ type, logicalId, physicalId, payload: simplifyPayload(showPayload(one, services)) }];
  });
  return [...named, ...listAssignments(chosen, locations, names)];
}

/**
 * Plans the import of resources that no project owns. The plan is stored unless it is a preview.
 */
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

/**
 * Applies, finishes or cancels an import. When an import is applied, the project becomes the owner
 * of its resources.
 */
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

/**
 * Makes the project the owner of resources. Throws if a resource got an owner after the import was
 * planned.
 */
async function adopt(
  context: ProjectsContext,
  { accountId }: Caller,
  { projectId, resources }: ProjectImport,
): Promise<void> {
  const owners = await listOwners(context.db, accountId, { limit: maxOwners });
  const owned = new Set(owners.map(({ type, physicalId }) => `${type} ${physicalId}`));
  const taken = resources.find(({ type, physicalId }) => owned.has(`${type} ${physicalId}`));
  if (taken !== undefined) {
    throw conflict(`${taken.type} "${taken.logicalId}" belongs to a project already; plan again`);
  }
  const saved = resources.map(({ type, logicalId, physicalId, payload }) => {
    const { id: _id, ...assignment } = payload;
    const known = isAssignment(type)
      ? { deployed: assignment, baseline: { clear: assignment, shown: assignment } }
      : { deployed: null, baseline: null };
    return { type, logicalId, physicalId, ...known, sourceFile: null };
  });
  await saveOwnedResources(context, accountId, { projectId, resources: saved });
}
