/** Loads what an owner of resources deployed and what is stored, and plans the changes. */
import { createHash, randomUUIDv7 } from "node:crypto";
import { invalid } from "../../platform/errors.ts";
import type { AdapterTools } from "./adapters/adapter.ts";
import { type AdaptedType, adapters } from "./adapters/index.ts";
import { listUncommitted } from "./imports/store.ts";
import { keepFields, omitFields } from "./kept-fields.ts";
import {
  type DesiredState,
  keepRemoteChanges,
  type MissingRule,
  type PlanEntry,
  planChanges,
} from "./plan.ts";
import { type FindId, resolveReferences } from "./references.ts";
import {
  type Definition,
  type DesiredResource,
  type Fields,
  keyOf,
  nameResource,
  type OwnedResource,
  type ResourceType,
  resourceTypes,
  toFields,
} from "./resource.ts";
import { findProject, listOwnedResources, type Project } from "./store.ts";

/** What an owner of resources, such as a project or an import, wants to be stored. */
export interface ResourceRequest {
  readonly resources: readonly DesiredResource[];
  readonly missing: MissingRule;
  /** Whether to remove private locations of checks and groups that the request does not assign. */
  readonly prunesRelations: boolean;
  /** If true, a property that only somebody else changed stays as it is. */
  readonly keepsRemoteChanges?: boolean;
}

export interface ProjectRequest extends ResourceRequest {
  readonly logicalId: string;
  readonly name: string;
  readonly repoUrl: string | null;
}

export interface StoredState {
  readonly owned: readonly OwnedResource[];
  /** Stored resources by `keyOf`; absent if deleted. */
  readonly current: ReadonlyMap<string, Definition>;
}

export interface PreparedResource {
  readonly resource: DesiredResource;
  readonly definition: Definition;
  /** What the code describes: the definition without kept fields. */
  readonly deployed: Fields;
  readonly input: unknown;
}

export interface Planned extends StoredState {
  readonly entries: readonly PlanEntry[];
  /** Parses a resource with the ids that are known now. */
  readonly parse: (resource: DesiredResource) => PreparedResource;
  /** Ids by `keyOf`; provisional for resources that do not exist yet. */
  readonly ids: Map<string, string>;
}

export interface Prepared extends Planned {
  readonly project: Project | null;
  readonly planToken: string;
}

const assignments = {
  "private-location-check-assignment": { field: "checkId", subscriber: "check" },
  "private-location-group-assignment": { field: "groupId", subscriber: "check-group" },
} as const;

type AssignmentType = keyof typeof assignments;

export function isAssignment(type: ResourceType): type is AssignmentType {
  return type in assignments;
}

/** Check or group that an assignment is part of. */
export function findSubscriber({ type, payload }: DesiredResource) {
  if (!isAssignment(type)) return null;
  const { field, subscriber } = assignments[type];
  const { ref } = (payload?.[field] ?? {}) as { readonly ref?: string };
  return ref === undefined ? null : { type: subscriber, logicalId: ref };
}

/** Loads stored resources by `keyOf`. Deleted ones are missing. */
export async function loadCurrent(
  tools: AdapterTools,
  known: readonly Pick<OwnedResource, "type" | "logicalId" | "physicalId">[],
): Promise<Map<string, Definition>> {
  const current = new Map<string, Definition>();
  for (const type of resourceTypes) {
    const some = known.filter((one) => one.type === type);
    if (some.length === 0 || isAssignment(type)) continue;
    const found = await adapters[type].load(
      tools,
      some.map(({ physicalId }) => physicalId),
    );
    for (const one of some) {
      const definition = found.get(one.physicalId);
      if (definition !== undefined) current.set(keyOf(one), definition);
    }
  }
  return current;
}

/** Numbers no table reaches, so that a provisional id is never the id of another resource. */
const highestNumber = 2_147_483_647;

function chooseIds(
  resources: readonly DesiredResource[],
  owned: ReadonlyMap<string, OwnedResource>,
  current: ReadonlyMap<string, Definition>,
) {
  const ids = new Map<string, string>();
  const provisional = new Map<string, string>();
  for (const resource of resources) {
    const { type, logicalId } = resource;
    const key = keyOf(resource);
    const known = resource.physicalId ?? (current.has(key) ? owned.get(key)?.physicalId : null);
    if (known) ids.set(key, known);
    else if (!isAssignment(type)) {
      const { hasNumbers } = adapters[type];
      const id = hasNumbers ? String(highestNumber - provisional.size) : randomUUIDv7();
      ids.set(key, id);
      provisional.set(id, logicalId);
    }
  }
  return { ids, provisional };
}

/** Shows references to resources that do not exist yet as the code has them. */
function showReferences(value: unknown, provisional: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string" || typeof value === "number") {
    const ref = provisional.get(String(value));
    return ref === undefined ? value : { ref };
  }
  if (Array.isArray(value)) return value.map((item) => showReferences(item, provisional));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, showReferences(item, provisional)]),
  );
}

interface AssignedSlugs {
  /** By `keyOf` of the assignment. */
  readonly ofAssignment: ReadonlyMap<string, string>;
  /** By `keyOf` of the check or group. */
  readonly ofSubscriber: ReadonlyMap<string, readonly string[]>;
}

/** Slugs of the private locations that the project assigns. */
function mapAssignedSlugs(
  resources: readonly DesiredResource[],
  current: ReadonlyMap<string, Definition>,
): AssignedSlugs {
  const locations = new Map(
    resources.filter(({ type }) => type === "private-location").map((one) => [one.logicalId, one]),
  );
  const ofSubscriber = new Map<string, string[]>();
  const ofAssignment = new Map<string, string>();
  for (const resource of resources) {
    const subscriber = findSubscriber(resource);
    if (subscriber === null) continue;
    const { ref } = (resource.payload?.privateLocationId ?? {}) as { readonly ref?: string };
    const location = locations.get(ref ?? "");
    const fields = location?.payload ?? current.get(`private-location ${ref}`)?.clear;
    if (typeof fields?.slugName !== "string") {
      const rule = `refers to "${ref}", which the project does not contain`;
      throw nameResource(resource, invalid("privateLocationId", rule));
    }
    const key = keyOf(subscriber);
    ofSubscriber.set(key, [...(ofSubscriber.get(key) ?? []), fields.slugName]);
    ofAssignment.set(keyOf(resource), fields.slugName);
  }
  return { ofSubscriber, ofAssignment };
}

const listSlugs = (fields: Fields | null | undefined) =>
  (fields?.privateLocations ?? []) as readonly string[];

/** Slugs that an earlier deployment assigned, by the id of the check or group. */
function mapDeployedSlugs(owned: readonly OwnedResource[]): ReadonlyMap<string, readonly string[]> {
  const slugs = new Map<string, string[]>();
  for (const { type, deployed } of owned) {
    if (!isAssignment(type)) continue;
    const id = String(deployed?.[assignments[type].field]);
    slugs.set(id, [...(slugs.get(id) ?? []), String(deployed?.slugName)]);
  }
  return slugs;
}

/** Private locations of a check: those assigned, and those that others added. */
function decideSlugs(
  key: string,
  assigned: readonly string[],
  facts: {
    readonly owned: ReadonlyMap<string, OwnedResource>;
    readonly deployedSlugs: ReadonlyMap<string, readonly string[]>;
    readonly current: ReadonlyMap<string, Definition>;
    readonly request: ResourceRequest;
  },
): string[] {
  const { owned, deployedSlugs, current, request } = facts;
  const deployed = new Set(deployedSlugs.get(owned.get(key)?.physicalId ?? ""));
  const foreign = request.prunesRelations
    ? []
    : listSlugs(current.get(key)?.clear).filter((slug) => !deployed.has(slug));
  return [...new Set([...assigned, ...foreign])].sort();
}

function hashState(owned: readonly OwnedResource[], current: ReadonlyMap<string, Definition>) {
  const state = owned.map((one) => [one, current.get(keyOf(one))?.clear ?? null]);
  return `v1.${createHash("sha256").update(JSON.stringify(state)).digest("base64url")}`;
}

function assertUnique(resources: readonly DesiredResource[]): void {
  const keys = new Set<string>();
  for (const resource of resources) {
    if (keys.has(keyOf(resource))) {
      throw nameResource(resource, invalid("logicalId", "is used twice"));
    }
    keys.add(keyOf(resource));
  }
}

const rowId = /^[1-9]\d{0,9}$/;
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Lists the objects of the account that the project only refers to. */
function listExternals(resources: readonly DesiredResource[]) {
  return resources.flatMap(({ type, logicalId, physicalId, isMember }) => {
    if (isMember || physicalId === null || isAssignment(type)) return [];
    const isId = adapters[type].hasNumbers ? rowId.test(physicalId) : guid.test(physicalId);
    return isId || type === "dashboard" ? [{ type, logicalId, physicalId }] : [];
  });
}

function assertExternalsExist(
  resources: readonly DesiredResource[],
  current: ReadonlyMap<string, Definition>,
): void {
  for (const resource of resources) {
    const { isMember, physicalId } = resource;
    if (isMember && physicalId !== null) {
      const rule = "is only for objects that the project does not own; import the resource first";
      throw nameResource(resource, invalid("physicalId", rule));
    }
    if (isMember || current.has(keyOf(resource))) continue;
    throw nameResource(resource, invalid("physicalId", "does not exist in this account"));
  }
}

/**
 * Lists what the project owns. Until an import is committed, code without its resources does not
 * delete them, because it may be older than the import.
 */
async function listDeletable(
  { context, caller: { accountId } }: AdapterTools,
  { id }: Project,
  resources: readonly DesiredResource[],
): Promise<OwnedResource[]> {
  const owned = await listOwnedResources(context, accountId, id);
  const uncommitted = new Set((await listUncommitted(context.db, accountId, id)).map(keyOf));
  const desired = new Set(resources.map(keyOf));
  return owned.filter((one) => desired.has(keyOf(one)) || !uncommitted.has(keyOf(one)));
}

/** Plans the changes of a project. Stores nothing. */
export async function prepare(tools: AdapterTools, request: ProjectRequest): Promise<Prepared> {
  const { context, caller } = tools;
  const project = await findProject(context.db, caller.accountId, request.logicalId);
  const owned = project === null ? [] : await listDeletable(tools, project, request.resources);
  const current = await loadCurrent(tools, [...owned, ...listExternals(request.resources)]);
  const planned = planResources(request, { owned, current });
  return { ...planned, project, planToken: hashState(owned, planned.current) };
}

/** Plans the changes of a request. The parser of its resources knows the ids of all of them. */
export function planResources(request: ResourceRequest, stored: StoredState): Planned {
  const { resources } = request;
  const { owned } = stored;
  const current = new Map(stored.current);
  assertUnique(resources);
  assertExternalsExist(resources, current);
  const ownedByKey = new Map(owned.map((one) => [keyOf(one), one]));
  const { ids, provisional } = chooseIds(resources, ownedByKey, current);
  const slugs = mapAssignedSlugs(resources, current);
  const deployedSlugs = mapDeployedSlugs(owned);
  const findId: FindId = (type, logicalId) => {
    const id = ids.get(`${type} ${logicalId}`);
    if (id === undefined) return null;
    return adapters[type as AdaptedType].hasNumbers ? Number(id) : id;
  };
  const parse = (resource: DesiredResource): PreparedResource => {
    const key = keyOf(resource);
    try {
      const resolved = resolveReferences(resource, findId);
      if (isAssignment(resource.type)) {
        const clear = { ...resolved, slugName: slugs.ofAssignment.get(key) };
        return { resource, input: null, deployed: clear, definition: { clear, shown: clear } };
      }
      const isPlaced = resource.type === "check" || resource.type === "check-group";
      const facts = { owned: ownedByKey, deployedSlugs, current, request };
      const placed = isPlaced && {
        privateLocations: decideSlugs(key, slugs.ofSubscriber.get(key) ?? [], facts),
        alertChannelSubscriptions: undefined,
      };
      const is = current.get(key) ?? null;
      const owner = ownedByKey.get(key);
      const { payload, keptPaths } = keepFields(
        toFields({ ...resolved, ...placed }),
        owner === undefined ? null : (is?.clear ?? null),
        owner?.deployed ?? null,
      );
      const { parse: parseType } = adapters[resource.type];
      const parseFields = (fields: Fields) => parseType(toFields(fields), is?.clear ?? null);
      const own = parseFields(payload);
      const kept = request.keepsRemoteChanges
        ? keepRemoteChanges(payload, { want: own.definition, is, owned: owner })
        : payload;
      const { definition, input } = kept === payload ? own : parseFields(kept);
      const { clear } = definition;
      const shown = showReferences(definition.shown, provisional) as Fields;
      const deployed = omitFields(clear, keptPaths);
      return { resource, input, deployed, definition: { clear, shown } };
    } catch (error) {
      throw nameResource(resource, error);
    }
  };
  const desired = resources.filter(({ isMember }) => isMember).map(parse);
  addAssignments(current, { owned, desired });
  const states = desired.map(({ resource: { type, logicalId }, definition }): DesiredState => {
    return { type, logicalId, definition };
  });
  const entries = planChanges({
    ...{ desired: states, owned, current, missing: request.missing },
    isPart: createPartRule(desired, ids),
  });
  return { owned, current, entries, parse, ids };
}

/** Subscriptions and assignments are parts of their check or group. */
function createPartRule(desired: readonly PreparedResource[], ids: ReadonlyMap<string, string>) {
  const keys = desired.map(({ resource }) => keyOf(resource));
  const listIds = (type: ResourceType) =>
    keys.filter((key) => key.startsWith(`${type} `)).map((key) => ids.get(key));
  const checkIds = new Set(listIds("check"));
  const groupIds = new Set(listIds("check-group"));
  return ({ type, deployed }: OwnedResource) => {
    if (type !== "alert-channel-subscription" && !isAssignment(type)) return false;
    const { checkId, groupId } = deployed ?? {};
    return checkIds.has(String(checkId)) || groupIds.has(String(groupId));
  };
}

/** An assignment exists while the check or group uses the location. */
function addAssignments(
  current: Map<string, Definition>,
  {
    owned,
    desired,
  }: {
    readonly owned: readonly OwnedResource[];
    readonly desired: readonly PreparedResource[];
  },
): void {
  const wanted = new Map(desired.map((one) => [keyOf(one.resource), one]));
  for (const one of owned) {
    if (!isAssignment(one.type) || one.baseline === null) continue;
    const prepared = wanted.get(keyOf(one));
    const subscriber = prepared && findSubscriber(prepared.resource);
    const isThere = subscriber ? current.has(keyOf(subscriber)) : true;
    if (isThere) current.set(keyOf(one), one.baseline);
  }
}
