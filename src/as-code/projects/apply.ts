/** Applies a plan within the transaction of the project or import that owns the resources. */
import { randomUUIDv7 } from "node:crypto";
import { type Caller, writeAuditEntry } from "../../access/accounts/index.ts";
import { inSavepoint } from "../../platform/database.ts";
import {
  isDeadlock,
  isForeignKeyViolation,
  isLockTimeout,
} from "../../platform/database-errors.ts";
import { KnownError } from "../../platform/errors.ts";
import { type AdapterTools, ItemError, type ToCreate } from "./adapters/adapter.ts";
import { type AdaptedType, adapters } from "./adapters/index.ts";
import { findSubscriber, isAssignment } from "./assignments.ts";
import type { Planned, ProjectRequest, ResourceRequest } from "./desired-state.ts";
import type { PlanEntry } from "./plan.ts";
import { type Prepared, prepareSound } from "./prepare.ts";
import {
  type Definition,
  type DesiredResource,
  Faults,
  type Fields,
  keyOf,
  nameResource,
  type OwnedResource,
  type ResourceType,
  resourceTypes,
} from "./resource.ts";
import {
  deleteOwnedResources,
  insertProject,
  type Project,
  type SavedResource,
  saveOwnedResources,
  updateProject,
} from "./store.ts";

/** Returns whether an entry is for an existing resource that may need changes. */
const isChange = ({ action }: PlanEntry) => action === "UPDATE" || action === "ADOPT";

/**
 * Types that no type outside this list references. Resources of these types are deleted before any
 * resource is created, so that new resources can use the names of deleted ones.
 */
const leafTypes: readonly ResourceType[] = [
  "dashboard",
  "maintenance-window",
  "status-page-automation-rule",
  "status-page-component",
  "status-page",
];

interface Applied {
  readonly project: Project;
  /** Entries of the plan with the ids of the new resources. */
  readonly entries: readonly PlanEntry[];
}

interface ApplyRequest {
  readonly request: ResourceRequest;
  readonly prepared: Planned;
  /** Id of the project or import that owns the resources. */
  readonly ownerId: string;
  /** Called before each step. Throws to cancel the deployment. */
  readonly onProgress?: (percent: number) => Promise<void>;
  /** Collects the faults of single resources, to continue with the others in a rehearsal. */
  readonly faults?: Faults;
}

interface DeployRequest {
  readonly request: ProjectRequest;
  readonly prepared: Prepared;
  readonly onProgress: (percent: number) => Promise<void>;
}

/** Result of applying a plan. */
interface AppliedResources {
  /** Entries of the plan with the ids of the new resources. */
  readonly entries: readonly PlanEntry[];
  /**
   * The created, changed and adopted resources, with the state that later plans compare with. The
   * caller must store this list.
   */
  readonly saved: readonly SavedResource[];
}

async function saveProject(
  { context, caller }: AdapterTools,
  { request, prepared }: DeployRequest,
): Promise<Project> {
  const at = context.clock.now();
  const { name, repoUrl, logicalId } = request;
  if (prepared.project !== null) {
    const project = { ...prepared.project, name, repoUrl, updatedAt: at };
    await updateProject(context.db, caller.accountId, project);
    return project;
  }
  const project = { id: randomUUIDv7(), logicalId, name, repoUrl, createdAt: at, updatedAt: at };
  await insertProject(context.db, caller.accountId, project);
  return project;
}

/** Runs a step for one resource. Adds the name of the resource to errors. */
async function runStep<Outcome>(
  resource: Pick<DesiredResource, "type" | "logicalId">,
  step: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await step();
  } catch (error) {
    const isItem = error instanceof ItemError;
    const named = isItem ? { ...resource, logicalId: error.logicalId } : resource;
    throw nameResource(named, isItem ? error.cause : error);
  }
}

type NewEntry = ToCreate<unknown> & { readonly entry: PlanEntry };

/** Maximum time for which a rehearsal waits for a lock of another transaction. */
const lockTimeoutMs = 3_000;

class Applier {
  private readonly tools: AdapterTools;
  private readonly prepared: Planned;
  private readonly byKey: ReadonlyMap<string, DesiredResource>;
  /**
   * Fields that the code of the project describes, for each created, changed or adopted resource.
   * References in the fields are replaced by ids. The map keys are from `keyOf`.
   */
  readonly deployed = new Map<string, Fields>();
  private readonly replaced: PlanEntry[] = [];
  /** Assignments of private locations, keyed by `keyOf` of the check or group. */
  private readonly assigned: ReadonlyMap<string, readonly DesiredResource[]>;
  private readonly faults: Faults | undefined;

  constructor(tools: AdapterTools, { request, prepared, faults }: ApplyRequest) {
    this.tools = { ...tools, context: { ...tools.context, createdGroupIds: new Set() } };
    this.faults = faults;
    this.prepared = prepared;
    this.byKey = new Map(request.resources.map((one) => [keyOf(one), one]));
    this.assigned = Map.groupBy(request.resources, (one) => {
      const subscriber = findSubscriber(one);
      return subscriber === null ? "" : keyOf(subscriber);
    });
  }

  private parse(entry: PlanEntry) {
    const resource = this.byKey.get(keyOf(entry));
    if (resource === undefined) throw new Error(`${keyOf(entry)} is not in the request.`);
    const parsed = this.prepared.parse(resource);
    this.deployed.set(keyOf(entry), parsed.deployed);
    return parsed;
  }

  /** Runs a step for one resource. A rehearsal collects its fault and undoes only this step. */
  private async attempt(entry: PlanEntry, step: () => Promise<void>): Promise<void> {
    const { faults } = this;
    if (faults === undefined) return runStep(entry, step);
    if (faults.isFull || this.isAffected(entry, faults)) return;
    try {
      await inSavepoint(this.tools.context.db, { lockTimeoutMs }, () => runStep(entry, step));
    } catch (error) {
      faults.add(entry, error);
    }
  }

  /** Returns whether a resource is faulty, or references or is assigned to a faulty one. */
  private isAffected(entry: PlanEntry, faults: Faults): boolean {
    const resource = this.byKey.get(keyOf(entry));
    const related = [...(resource ? [resource] : []), ...(this.assigned.get(keyOf(entry)) ?? [])];
    if (related.some((one) => faults.affects(one))) faults.skip(entry);
    return faults.has(entry);
  }

  private async create(type: ResourceType, created: readonly NewEntry[]): Promise<void> {
    const ids = await adapters[type as AdaptedType].create(this.tools, created);
    for (const [index, { entry }] of created.entries()) {
      this.prepared.ids.set(keyOf(entry), ids[index] ?? "");
    }
  }

  /** Creates, changes and adopts the resources of one type. */
  async applyType(type: ResourceType): Promise<void> {
    const entries = this.prepared.entries.filter((one) => one.type === type);
    const created: NewEntry[] = [];
    for (const entry of entries) {
      if (entry.action !== "CREATE" && !isChange(entry)) continue;
      const { input, definition } = this.parse(entry);
      if (isAssignment(type)) continue;
      const { mustReplace, change } = adapters[type];
      const stored = this.prepared.current.get(keyOf(entry))?.clear;
      const isReplaced = stored !== undefined && (mustReplace?.(stored, definition.clear) ?? false);
      if (entry.action === "CREATE" || isReplaced) {
        const id = isReplaced ? randomUUIDv7() : (this.prepared.ids.get(keyOf(entry)) ?? "");
        created.push({ entry, id, logicalId: entry.logicalId, input });
        if (isReplaced) this.replaced.push(entry);
        continue;
      }
      if (entry.changes.length === 0) continue;
      await this.attempt(entry, () => change(this.tools, entry.physicalId ?? "", input));
    }
    if (created.length === 0) return;
    const first = { type, logicalId: created[0]?.logicalId ?? "" };
    if (this.faults === undefined) return runStep(first, () => this.create(type, created));
    for (const one of created) await this.attempt(one.entry, () => this.create(type, [one]));
  }

  /** Writes the references of one type to types that are created later. */
  async connectType(type: ResourceType): Promise<void> {
    if (isAssignment(type)) return;
    const { connect } = adapters[type];
    if (connect === undefined) return;
    for (const entry of this.prepared.entries) {
      if (entry.type !== type) continue;
      const isNew = entry.action === "CREATE";
      if (!isNew && (!isChange(entry) || entry.changes.length === 0)) continue;
      const { input } = this.parse(entry);
      const id = this.prepared.ids.get(keyOf(entry)) ?? "";
      await this.attempt(entry, () => connect(this.tools, { id, isNew }, input));
    }
  }

  async removeType(type: ResourceType): Promise<void> {
    if (isAssignment(type)) return;
    const gone = [
      ...this.prepared.entries.filter(({ action }) => action === "DELETE"),
      ...this.replaced,
    ].filter((one) => one.type === type && this.prepared.current.has(keyOf(one)));
    const ids = gone.flatMap(({ physicalId }) => physicalId ?? []);
    if (type === "check") return adapters.check.remove(this.tools, ids);
    for (const entry of gone) {
      const { physicalId } = entry;
      if (physicalId === null) continue;
      await this.attempt(entry, () => adapters[type].remove(this.tools, [physicalId]));
    }
  }

  /** Returns a copy of an entry with the id of its resource. */
  complete(entry: PlanEntry): PlanEntry {
    const physicalId = this.prepared.ids.get(keyOf(entry)) ?? entry.physicalId;
    return { ...entry, physicalId: entry.action === "DELETE" ? entry.physicalId : physicalId };
  }
}

async function loadBaselines(
  tools: AdapterTools,
  saved: readonly Omit<OwnedResource, "baseline">[],
): Promise<Map<string, Definition>> {
  const baselines = new Map<string, Definition>();
  for (const type of resourceTypes) {
    const some = saved.filter((one) => one.type === type);
    if (some.length === 0) continue;
    const ids = some.map(({ physicalId }) => physicalId);
    const found = isAssignment(type) ? new Map() : await adapters[type].load(tools, ids);
    for (const one of some) {
      const { deployed } = one;
      const own = isAssignment(type) && deployed ? { clear: deployed, shown: deployed } : null;
      const definition = own ?? found.get(one.physicalId);
      if (definition) baselines.set(keyOf(one), definition);
    }
  }
  return baselines;
}

/** Generates an id for an assignment, because assignments have no id in the database. */
const idOfAssignment = ({ type, logicalId }: PlanEntry, ownerId: string) =>
  `${ownerId}/${type}/${logicalId}`;

async function describeApplied(
  tools: AdapterTools,
  { request, prepared, ownerId }: ApplyRequest,
  applier: Applier,
): Promise<AppliedResources> {
  const entries = prepared.entries.map((entry) => {
    const done = applier.complete(entry);
    return isAssignment(entry.type)
      ? { ...done, physicalId: idOfAssignment(entry, ownerId) }
      : done;
  });
  const sources = new Map(request.resources.map((one) => [keyOf(one), one.sourceFile]));
  const written = entries
    .filter((entry) => entry.action === "CREATE" || isChange(entry))
    .map((entry) => ({
      type: entry.type,
      logicalId: entry.logicalId,
      physicalId: entry.physicalId ?? "",
      deployed: applier.deployed.get(keyOf(entry)) ?? null,
      sourceFile: sources.get(keyOf(entry)) ?? null,
    }));
  const baselines = await loadBaselines(tools, written);
  const saved = written.map((one) => ({ ...one, baseline: baselines.get(keyOf(one)) ?? null }));
  return { entries, saved };
}

async function recordDeployment(
  { context, caller }: AdapterTools,
  { project, entries }: Applied,
): Promise<void> {
  const count = (action: PlanEntry["action"]) =>
    entries.filter((entry) => entry.action === action).length;
  const changes = {
    name: project.name,
    created: count("CREATE"),
    adopted: count("ADOPT"),
    updated: count("UPDATE"),
    deleted: count("DELETE"),
    detached: count("DETACH"),
  };
  const note = { action: "project.deployed", targetId: project.id, at: context.clock.now() };
  await writeAuditEntry(context.db, caller as Caller, { ...note, changes });
}

/** Creates, changes and deletes resources as planned, type by type. */
async function runSteps(applier: Applier, onProgress: ApplyRequest["onProgress"]): Promise<void> {
  const reversed = [...resourceTypes].reverse();
  const steps = [
    ...leafTypes.map((type) => () => applier.removeType(type)),
    ...resourceTypes.map((type) => () => applier.applyType(type)),
    ...resourceTypes.map((type) => () => applier.connectType(type)),
    ...reversed
      .filter((type) => !leafTypes.includes(type))
      .map((type) => () => applier.removeType(type)),
  ];
  for (const [index, step] of steps.entries()) {
    await onProgress?.(Math.round((90 * index) / steps.length));
    await step();
  }
}

/**
 * Creates, changes and deletes resources as planned. The caller must store which resources the
 * owner owns.
 */
export async function applyResources(
  tools: AdapterTools,
  request: ApplyRequest,
): Promise<AppliedResources> {
  const applier = new Applier(tools, request);
  await runSteps(applier, request.onProgress);
  return describeApplied(tools, request, applier);
}

/** Thrown to undo a rehearsal. */
class Rehearsed extends Error {}

/** Applies a plan and undoes it. Returns the error of the first fault, or `null`. */
async function tryPlan(
  tools: AdapterTools,
  request: Omit<ApplyRequest, "ownerId">,
): Promise<KnownError | null> {
  const { ids } = request.prepared;
  const provisional = new Map(ids);
  const applier = new Applier(tools, { ...request, ownerId: "" });
  try {
    await inSavepoint(tools.context.db, { lockTimeoutMs }, async () => {
      await runSteps(applier, undefined);
      throw new Rehearsed();
    });
  } catch (error) {
    if (error instanceof KnownError) return error;
    // Another transaction changes the same objects. What a deployment meets is decided later.
    const isBusy = isLockTimeout(error) || isDeadlock(error) || isForeignKeyViolation(error);
    if (!(error instanceof Rehearsed || isBusy)) throw error;
  } finally {
    for (const [key, id] of provisional) ids.set(key, id);
  }
  return null;
}

/**
 * Plans the changes of a project, and applies and undoes them, so that a plan rejects what a
 * deployment would reject. Throws one error with the faults of all resources.
 */
export async function rehearse(tools: AdapterTools, request: ProjectRequest): Promise<Prepared> {
  const faults = new Faults();
  const prepared = await prepareSound(tools, request, faults);
  const isSound = faults.isEmpty && (await tryPlan(tools, { request, prepared })) === null;
  if (isSound) return prepared;
  // The second time, each resource is tried separately.
  const other = await tryPlan(tools, { request, prepared, faults });
  faults.throwIfAny();
  if (other !== null) throw other;
  return prepared;
}

/** Applies the plan of a project and stores which resources the project owns. */
export async function applyPlan(tools: AdapterTools, request: DeployRequest): Promise<Applied> {
  const { context, caller } = tools;
  const project = await saveProject(tools, request);
  const projectId = project.id;
  const { entries, saved } = await applyResources(tools, { ...request, ownerId: projectId });
  const gone = entries.filter(({ action }) => action === "DELETE" || action === "DETACH");
  const { accountId } = caller;
  await deleteOwnedResources(context.db, accountId, { projectId, resources: gone });
  await saveOwnedResources(context, accountId, { projectId, resources: saved });
  const applied = { project, entries };
  await recordDeployment(tools, applied);
  await request.onProgress(95);
  return applied;
}
