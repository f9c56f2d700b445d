/** Plans changes from the request, the stored resources and the owner's last deployment. */
import { randomUUIDv7 } from "node:crypto";
import { invalid } from "../../platform/errors.ts";
import type { AdapterTools } from "./adapters/adapter.ts";
import { type AdaptedType, adapters } from "./adapters/index.ts";
import {
  findSubscriber,
  isAssignment,
  listSlugs,
  mapAssignedSlugs,
  mapDeployedSlugs,
} from "./assignments.ts";
import { keepFields, omitFields } from "./kept-fields.ts";
import { type MemberIds, resolveMembers } from "./members.ts";
import {
  type DesiredState,
  keepRemoteChanges,
  type MissingRule,
  type PlanEntry,
  planChanges,
} from "./plan.ts";
import {
  type Definition,
  type DesiredResource,
  Faults,
  type Fields,
  type FindId,
  keyOf,
  nameResource,
  type OwnedResource,
  type ResourceType,
  resolveReferences,
  resourceTypes,
  toFields,
} from "./resource.ts";

/** Resources that an owner, such as a project or an import, requests to store. */
export interface ResourceRequest {
  readonly resources: readonly DesiredResource[];
  readonly missing: MissingRule;
  /**
   * Whether to remove subscriptions and private locations that others added to the checks and
   * groups of the project.
   */
  readonly prunesRelations: boolean;
  /**
   * Whether a property keeps its stored value if others have changed the property since the owner's
   * last deployment and the owner has not.
   */
  readonly keepsRemoteChanges?: boolean;
}

export interface ProjectRequest extends ResourceRequest {
  readonly logicalId: string;
  readonly name: string;
  readonly repoUrl: string | null;
}

export interface StoredState {
  readonly owned: readonly OwnedResource[];
  /** Definitions of the stored resources, keyed by `keyOf`. Deleted resources are absent. */
  readonly current: ReadonlyMap<string, Definition>;
  /** Keys of the resources in `owned` that this request adopts. */
  readonly adopted?: ReadonlySet<string>;
  /** Ids of the members that the code may reference. */
  readonly members?: MemberIds;
}

export interface PreparedResource {
  readonly resource: DesiredResource;
  readonly definition: Definition;
  /** Settings of the resource, except those that keep their value because the code omits them. */
  readonly deployed: Fields;
  readonly input: unknown;
}

export interface Planned extends StoredState {
  readonly entries: readonly PlanEntry[];
  /** Parses a resource with the ids that exist at the time of the call. */
  readonly parse: (resource: DesiredResource) => PreparedResource;
  /** Physical ids, keyed by `keyOf`. Resources that do not exist yet have provisional ids. */
  readonly ids: Map<string, string>;
}

/** Loads the definitions of stored resources, keyed by `keyOf`. Deleted resources are absent. */
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

/** Maximum integer. Provisional numeric ids count down from here, far above all existing ids. */
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
    const own = current.has(key) ? owned.get(key)?.physicalId : null;
    const known = resource.isMember ? own : resource.physicalId;
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

/** Replaces provisional ids with the references of the code, for display. */
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

/** Returns the assigned private locations, and those added outside the code unless pruned. */
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

function findDuplicates(resources: readonly DesiredResource[], faults: Faults): void {
  const keys = new Set<string>();
  for (const resource of resources) {
    if (keys.has(keyOf(resource))) {
      faults.add(resource, nameResource(resource, invalid("logicalId", "is used twice")));
    }
    keys.add(keyOf(resource));
  }
}

function findMissingExternals(
  resources: readonly DesiredResource[],
  current: ReadonlyMap<string, Definition>,
  faults: Faults,
): void {
  for (const resource of resources) {
    if (resource.isMember || current.has(keyOf(resource))) continue;
    const error = invalid("physicalId", "does not exist in this account");
    faults.add(resource, nameResource(resource, error));
  }
}

/** Returns a parser for the resources of the request. Each call uses the current `ids`. */
function createParser(
  request: ResourceRequest,
  facts: {
    readonly stored: StoredState;
    readonly ids: ReadonlyMap<string, string>;
    readonly provisional: ReadonlyMap<string, string>;
  },
): Planned["parse"] {
  const { stored, ids, provisional } = facts;
  const { owned, current, adopted, members = new Map() } = stored;
  const ownedByKey = new Map(owned.map((one) => [keyOf(one), one]));
  const slugs = mapAssignedSlugs(request.resources, current);
  const deployedSlugs = mapDeployedSlugs(owned);
  const findId: FindId = (type, logicalId) => {
    const id = ids.get(`${type} ${logicalId}`);
    if (id === undefined) return null;
    return adapters[type as AdaptedType].hasNumbers ? Number(id) : id;
  };
  return (resource: DesiredResource): PreparedResource => {
    const key = keyOf(resource);
    try {
      const linked = resolveReferences(resource, findId);
      const resolved = resolveMembers(resource.type, linked, members);
      if (isAssignment(resource.type)) {
        const slugName = slugs.ofAssignment.get(key);
        if (slugName === undefined) throw invalid("privateLocationId", "must name a location");
        const clear = { ...resolved, slugName };
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
        owner === undefined || adopted?.has(key) ? null : (is?.clear ?? null),
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
}

/** Parses the owned resources, without those that are faulty or reference a faulty one. */
function parseMembers(
  resources: readonly DesiredResource[],
  parse: Planned["parse"],
  faults: Faults,
): PreparedResource[] {
  const parsed = resources.flatMap((resource) => {
    if (!resource.isMember || faults.has(resource)) return [];
    try {
      return [parse(resource)];
    } catch (error) {
      faults.add(resource, error);
      return [];
    }
  });
  // A reference may lead to a later resource, so this repeats until none is affected.
  let left = parsed;
  for (let count = -1; count !== left.length; ) {
    count = left.length;
    left = left.filter(({ resource }) => !faults.affects(resource));
  }
  return left;
}

/** Plans the changes of a request. Throws one error with the faults of all resources. */
export function planResources(request: ResourceRequest, stored: StoredState): Planned {
  const faults = new Faults();
  const planned = planSound(request, stored, faults);
  faults.throwIfAny();
  return planned;
}

/**
 * Plans the changes of a request without its faulty resources, which are collected. The returned
 * parser resolves all references of the request.
 */
export function planSound(request: ResourceRequest, stored: StoredState, faults: Faults): Planned {
  const { resources } = request;
  const { owned, adopted } = stored;
  const current = new Map(stored.current);
  findDuplicates(resources, faults);
  findMissingExternals(resources, current, faults);
  const ownedByKey = new Map(owned.map((one) => [keyOf(one), one]));
  const { ids, provisional } = chooseIds(resources, ownedByKey, current);
  const parse = createParser(request, {
    stored: { ...stored, current },
    ids,
    provisional,
  });
  const desired = parseMembers(resources, parse, faults);
  findUnadoptable(desired, stored, faults);
  addAssignments(current, { owned, desired });
  const states = desired.map(({ resource: { type, logicalId }, definition }): DesiredState => {
    return { type, logicalId, definition };
  });
  const entries = planChanges({
    ...{ desired: states, owned, current },
    // A faulty resource is not missing.
    missing: faults.isEmpty ? request.missing : "keep",
    ...(adopted && { adopted }),
    isPart: createPartRule(desired, ids),
  });
  const whole = adopted === undefined ? entries : adoptAssignments(entries, { desired, stored });
  return { owned, current, entries: whole, parse, ids };
}

/** Rejects the adoption of an object that would have to be replaced instead of changed. */
function findUnadoptable(
  desired: readonly PreparedResource[],
  { adopted, current }: StoredState,
  faults: Faults,
): void {
  for (const { resource, definition } of desired) {
    const stored = adopted?.has(keyOf(resource)) ? current.get(keyOf(resource)) : undefined;
    if (stored === undefined || isAssignment(resource.type)) continue;
    if (!adapters[resource.type].mustReplace?.(stored.clear, definition.clear)) continue;
    const rule = "is an object that cannot be changed into this resource, only replaced";
    faults.add(resource, nameResource(resource, invalid("physicalId", rule)));
  }
}

/** Adopts an assignment if an adopted check or group already uses the private location. */
function adoptAssignments(
  entries: readonly PlanEntry[],
  {
    desired,
    stored,
  }: { readonly desired: readonly PreparedResource[]; readonly stored: StoredState },
): PlanEntry[] {
  const prepared = new Map(desired.map((one) => [keyOf(one.resource), one]));
  return entries.map((entry) => {
    const one = isAssignment(entry.type) ? prepared.get(keyOf(entry)) : undefined;
    const subscriber = one && findSubscriber(one.resource);
    if (!subscriber || entry.action !== "CREATE") return entry;
    const used = listSlugs(stored.current.get(keyOf(subscriber))?.clear);
    const isUsed = used.includes(String(one.definition.clear.slugName));
    const isAdopted = isUsed && (stored.adopted?.has(keyOf(subscriber)) ?? false);
    return isAdopted ? { ...entry, action: "ADOPT", before: entry.after } : entry;
  });
}

/** Returns a function that tests whether a resource is part of a desired check or group. */
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

/** Adds owned assignments to `current`. They count as stored while their check or group exists. */
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
