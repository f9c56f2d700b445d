/** Loads what a project owns, refers to and adopts, and plans its changes. */
import { createHash } from "node:crypto";
import { invalid } from "../../platform/errors.ts";
import type { AdapterTools } from "./adapters/adapter.ts";
import { type AdaptedType, adapters } from "./adapters/index.ts";
import {
  isAssignment,
  loadCurrent,
  type Planned,
  type ProjectRequest,
  planResources,
} from "./desired-state.ts";
import { listUncommitted } from "./imports/store.ts";
import {
  type Definition,
  type DesiredResource,
  keyOf,
  nameResource,
  type OwnedResource,
  type ResourceType,
} from "./resource.ts";
import {
  findProject,
  listOwnedResources,
  listOwners,
  maxOwners,
  type Project,
  type ResourceOwner,
} from "./store.ts";
import { assertNamesAreFree } from "./taken-names.ts";
import { pruneUnmanaged } from "./unmanaged.ts";

export interface Prepared extends Planned {
  readonly project: Project | null;
  readonly planToken: string;
}

/** Stands for the state of everything that the plan may change. */
function hashState(
  owned: readonly Pick<OwnedResource, "type" | "logicalId">[],
  current: ReadonlyMap<string, Definition>,
) {
  const state = owned.map((one) => [one, current.get(keyOf(one))?.clear ?? null]);
  return `v1.${createHash("sha256").update(JSON.stringify(state)).digest("base64url")}`;
}

const rowId = /^[1-9]\d{0,9}$/;
const maxRowId = 2_147_483_647;
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The ids of these are texts that people choose or see. */
const textIds: readonly ResourceType[] = ["dashboard", "environment-variable"];

function isId(type: AdaptedType, id: string): boolean {
  if (adapters[type].hasNumbers) return rowId.test(id) && Number(id) <= maxRowId;
  return guid.test(id) || textIds.includes(type);
}

type Located = Pick<OwnedResource, "type" | "logicalId" | "physicalId">;

/** Lists the objects of the account that the project only refers to. */
function listExternals(resources: readonly DesiredResource[]): Located[] {
  return resources.flatMap(({ type, logicalId, physicalId, isMember }) => {
    if (isMember || physicalId === null || isAssignment(type)) return [];
    return isId(type, physicalId) ? [{ type, logicalId, physicalId }] : [];
  });
}

const relationTypes: readonly ResourceType[] = ["alert-channel-subscription"];

/**
 * Lists the objects of the account that the project is to own from now on. The id of a resource
 * that the project owns already has no effect, so that files may keep it.
 */
function listAsked(resources: readonly DesiredResource[], owned: ReadonlySet<string>): Located[] {
  return resources.flatMap((resource) => {
    const { type, logicalId, physicalId, isMember } = resource;
    if (!isMember || physicalId === null || owned.has(keyOf(resource))) return [];
    if (isAssignment(type) || relationTypes.includes(type)) {
      throw nameResource(resource, invalid("physicalId", "is not accepted for this type"));
    }
    if (!isId(type, physicalId)) throw missing(resource);
    return [{ type, logicalId, physicalId }];
  });
}

const missing = (resource: Pick<DesiredResource, "type" | "logicalId">) =>
  nameResource(
    resource,
    invalid("physicalId", "does not exist in this account; leave it out to create the resource"),
  );

/**
 * Lists the subscriptions of adopted checks and groups. They have no id, so that one
 * that exists already is adopted with its check or group.
 */
function listAskedSubscriptions(
  resources: readonly DesiredResource[],
  asked: readonly Located[],
  known: readonly Located[],
): Located[] {
  const ids = new Map([...known, ...asked].map((one) => [keyOf(one), one.physicalId]));
  const adopted = new Set(asked.map(keyOf));
  return resources.flatMap(({ type, logicalId, payload }) => {
    if (type !== "alert-channel-subscription") return [];
    const refer = (field: string) => (payload?.[field] as { readonly ref?: string } | null)?.ref;
    const check = `check ${refer("checkId")}`;
    const group = `check-group ${refer("groupId")}`;
    const channel = ids.get(`alert-channel ${refer("alertChannelId")}`);
    if (channel === undefined) return [];
    if (adopted.has(check)) {
      return [{ type, logicalId, physicalId: `${channel}/check/${ids.get(check)}` }];
    }
    if (!adopted.has(group)) return [];
    return [{ type, logicalId, physicalId: `${channel}/group/${ids.get(group)}` }];
  });
}

/** An object has one owner, and one name in its project. */
function assertUnowned(asked: readonly Located[], owners: readonly ResourceOwner[]): void {
  const byObject = new Map(owners.map((one) => [`${one.type} ${one.physicalId}`, one]));
  const names = new Map<string, string>();
  for (const one of asked) {
    const object = `${one.type} ${one.physicalId}`;
    const owner = byObject.get(object);
    if (owner !== undefined) {
      const rule = `belongs to the project "${owner.projectLogicalId}" as "${owner.logicalId}"`;
      throw nameResource(one, invalid("physicalId", rule));
    }
    const other = names.get(object);
    if (other !== undefined) {
      throw nameResource(one, invalid("physicalId", `is also that of "${other}"`));
    }
    names.set(object, one.logicalId);
  }
}

interface Adoption {
  /** Objects as if the project had owned them without a deployment. */
  readonly adopted: readonly OwnedResource[];
  readonly current: ReadonlyMap<string, Definition>;
}

/** Loads the objects that the project is to own from now on. Rejects those that it cannot own. */
async function loadAdopted(
  tools: AdapterTools,
  { resources }: ProjectRequest,
  known: readonly Located[],
): Promise<Adoption> {
  const asked = listAsked(resources, new Set(known.map(keyOf)));
  if (asked.length === 0) return { adopted: [], current: new Map() };
  const { context, caller } = tools;
  const owners = await listOwners(context.db, caller.accountId, { limit: maxOwners });
  assertUnowned(asked, owners);
  const owned = new Set(owners.map(({ type, physicalId }) => `${type} ${physicalId}`));
  const subscriptions = listAskedSubscriptions(resources, asked, known).filter(
    ({ type, physicalId }) => !owned.has(`${type} ${physicalId}`),
  );
  const current = await loadCurrent(tools, [...asked, ...subscriptions]);
  const gone = asked.find((one) => !current.has(keyOf(one)));
  if (gone !== undefined) throw missing(gone);
  const never = { deployed: null, baseline: null };
  const adopted = [...asked, ...subscriptions]
    .filter((one) => current.has(keyOf(one)))
    .map((one) => ({ ...one, ...never }));
  return { adopted, current };
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
  const known = [...owned, ...listExternals(request.resources)];
  const adoption = await loadAdopted(tools, request, known);
  const all = [...owned, ...adoption.adopted];
  const plan = planResources(request, {
    owned: all,
    current: new Map([...(await loadCurrent(tools, known)), ...adoption.current]),
    adopted: new Set(adoption.adopted.map(keyOf)),
  });
  const planned = request.prunesRelations ? await pruneUnmanaged(tools, plan) : plan;
  await assertNamesAreFree(tools, planned.entries);
  const unmanaged = planned.entries.slice(plan.entries.length);
  return { ...planned, project, planToken: hashState([...all, ...unmanaged], planned.current) };
}
