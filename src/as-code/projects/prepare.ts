/** Loads the resources that a project owns, references and adopts, and plans the changes. */
import { createHash } from "node:crypto";
import { isReservedSlug, listOwnLocations } from "../../checks/locations/index.ts";
import { invalid } from "../../platform/errors.ts";
import { mapMemberIds } from "../../response/on-call/index.ts";
import { listTakenNames, parseCustomDomain, parsePageUrl } from "../../sites/publishing/index.ts";
import type { AdapterTools } from "./adapters/adapter.ts";
import { formatSubscriptionId, loadSubscriptions } from "./adapters/channels.ts";
import { type AdaptedType, adapters } from "./adapters/index.ts";
import { isAssignment, mapDeployedSlugs } from "./assignments.ts";
import { loadCurrent, type Planned, type ProjectRequest, planSound } from "./desired-state.ts";
import { nameSubscription } from "./imports/importable.ts";
import { joinOrigins, type PlanEntry } from "./plan.ts";
import {
  type Definition,
  type DesiredResource,
  Faults,
  type Fields,
  keyOf,
  nameResource,
  type OwnedResource,
  type ResourceType,
} from "./resource.ts";
import {
  findProject,
  listOwnedResources,
  listOwners,
  listUncommitted,
  maxOwners,
  type Project,
  type ResourceOwner,
} from "./store.ts";

export interface Prepared extends Planned {
  readonly project: Project | null;
  readonly planToken: string;
}

/** Returns a token for the state of all resources that the plan may change. */
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
/** Types whose ids are neither numbers nor UUIDs. */
const textIds: readonly ResourceType[] = ["dashboard", "environment-variable"];

function isId(type: AdaptedType, id: string): boolean {
  if (adapters[type].hasNumbers) return rowId.test(id) && Number(id) <= maxRowId;
  return guid.test(id) || textIds.includes(type);
}

type Located = Pick<OwnedResource, "type" | "logicalId" | "physicalId">;

/** Lists the objects of the account that the project references but does not own. */
function listExternals(resources: readonly DesiredResource[]): Located[] {
  return resources.flatMap(({ type, logicalId, physicalId, isMember }) => {
    if (isMember || physicalId === null || isAssignment(type)) return [];
    return isId(type, physicalId) ? [{ type, logicalId, physicalId }] : [];
  });
}

const relationTypes: readonly ResourceType[] = ["alert-channel-subscription"];

/**
 * Lists the objects that this deployment adopts. Ids of resources that the project already owns are
 * ignored, so that files may keep the ids after the adoption.
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
 * Lists the subscriptions of adopted checks and groups. Code contains no ids of subscriptions, so
 * an existing subscription is adopted together with its check or group.
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

/** Rejects objects that already have an owner, and objects that have two names in the project. */
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
  /** Adopted objects in the form of owned resources that were never deployed. */
  readonly adopted: readonly OwnedResource[];
  readonly current: ReadonlyMap<string, Definition>;
}

/** Loads the objects that this deployment adopts. Rejects objects that the project cannot own. */
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
 * Lists the owned resources. Omits resources of an uncommitted import that the code does not
 * contain: the code may be older than the import, so these resources must not be deleted.
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

/** A URL or domain of a page that must be unique. */
interface PageName {
  readonly field: string;
  /** Value as the code contains it. */
  readonly value: string;
  /** Normalised form of `value`, for comparison with the URLs or domains of other pages. */
  readonly name: string;
}

const urlFields: Partial<Record<ResourceType, string>> = {
  "status-page": "url",
  dashboard: "customUrl",
};

function listNames(
  { context }: AdapterTools,
  type: ResourceType,
  fields: Fields | null,
): PageName[] {
  const urlField = urlFields[type];
  if (urlField === undefined || fields === null) return [];
  const names: PageName[] = [];
  const { [urlField]: url, customDomain } = fields;
  if (typeof url === "string") names.push({ field: urlField, value: url, name: url.toLowerCase() });
  // If domains need a proof of ownership, several pages may claim the same domain, so it need not
  // be free.
  if (typeof customDomain === "string" && !context.domainProof.isRequired) {
    const parsed = parseCustomDomain(customDomain, context.publicUrl());
    const { domain: name } = parsed.kind === "domain" ? parsed : { domain: null };
    if (name !== null) names.push({ field: "customDomain", value: customDomain, name });
  }
  return names;
}

/** Finds invalid URLs in the plan, and URLs, domains and slugs that are in use. */
async function findTakenNames(
  tools: AdapterTools,
  entries: readonly PlanEntry[],
  faults: Faults,
): Promise<void> {
  await findTakenUrls(tools, entries, faults);
  await findTakenSlugs(tools, entries, faults);
}

/**
 * Rejects slugs that are in use. Slugs of locations that the plan deletes also count as used,
 * because new locations are created before old ones are deleted.
 */
async function findTakenSlugs(
  { context, caller }: AdapterTools,
  entries: readonly PlanEntry[],
  faults: Faults,
): Promise<void> {
  const renamed = entries.filter(
    ({ type, before, after }) =>
      type === "private-location" && after !== null && after.slugName !== before?.slugName,
  );
  if (renamed.length === 0) return;
  const ids = new Set(renamed.map(({ physicalId }) => physicalId));
  const locations = await listOwnLocations(context, caller);
  const taken = new Set(locations.filter(({ id }) => !ids.has(id)).map(({ slugName }) => slugName));
  for (const entry of renamed) {
    const slugName = String(entry.after?.slugName);
    const reject = (rule: string) =>
      faults.add(entry, nameResource(entry, invalid("slugName", rule)));
    if (isReservedSlug(context, slugName)) reject("is already the name of another location");
    else if (taken.has(slugName)) reject(`${slugName} is taken`);
    taken.add(slugName);
  }
}

async function findTakenUrls(
  tools: AdapterTools,
  entries: readonly PlanEntry[],
  faults: Faults,
): Promise<void> {
  const pages = entries
    .filter(({ type }) => urlFields[type] !== undefined)
    .map((entry) => {
      const held = listNames(tools, entry.type, entry.before);
      const isKept = entry.action === "KEEP" || entry.action === "DETACH";
      const desired = isKept ? held : listNames(tools, entry.type, entry.after);
      const isNew = ({ name }: PageName) => !held.some((one) => one.name === name);
      const isReleased = ({ name }: PageName) => !desired.some((one) => one.name === name);
      return { entry, desired, claimed: desired.filter(isNew), released: held.filter(isReleased) };
    });
  const claimed = pages.flatMap((page) => page.claimed.map(({ name }) => name));
  if (claimed.length === 0) return;
  const taken = await listTakenNames(tools.context.db, claimed);
  const free = new Set(pages.flatMap((page) => page.released.map(({ name }) => name)));
  const users = new Map<string, PlanEntry>();
  for (const { entry, desired } of pages) {
    for (const { name } of desired) if (!users.has(name)) users.set(name, entry);
  }
  for (const page of pages) {
    for (const { field, value, name } of page.claimed) {
      const reject = (rule: string) =>
        faults.add(page.entry, nameResource(page.entry, invalid(field, rule)));
      const parsed = field === "customDomain" ? null : parsePageUrl(value);
      const isHeld = taken.has(name) && !free.has(name);
      if (parsed?.kind === "invalid") reject(parsed.rule);
      else if (isHeld || users.get(name) !== page.entry) reject(`${value} is taken`);
    }
  }
}

/** Returns the slugs of the private locations of a check or a group. */
const listSlugs = (fields: Fields | null) => (fields?.privateLocations ?? []) as readonly string[];

/** Returns whether a change only removes private locations that the project did not assign. */
function isPruned({ before, after }: PlanEntry, deployed: readonly string[]): boolean {
  const removed = listSlugs(before).filter((slug) => !listSlugs(after).includes(slug));
  const isAdding = listSlugs(after).some((slug) => !listSlugs(before).includes(slug));
  return !isAdding && removed.length > 0 && removed.every((slug) => !deployed.includes(slug));
}

/** Sets the origin `unmanaged` on changes that only remove private locations of others. */
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

/** Plans the deletion of unowned subscriptions of the project's checks and groups. */
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

/** Adds the removal of unmanaged subscriptions and private locations to the plan. */
function pruneUnmanaged(tools: AdapterTools, planned: Planned): Promise<Planned> {
  return addSubscriptions(tools, { ...planned, entries: markPruned(planned) });
}

/** Rejects a second default policy. An account has one default escalation policy. */
function findSecondDefault(resources: readonly DesiredResource[], faults: Faults): void {
  const [first, second] = resources.filter(
    ({ type, payload }) => type === "escalation-policy" && payload?.accountDefault === true,
  );
  if (first === undefined || second === undefined) return;
  const rule = `is also true for "${first.logicalId}", but the account has one policy`;
  faults.add(second, nameResource(second, invalid("accountDefault", rule)));
}

/**
 * Plans the changes of a project without storing anything. Throws one error with the faults of all
 * resources.
 */
export async function prepare(tools: AdapterTools, request: ProjectRequest): Promise<Prepared> {
  const faults = new Faults();
  const prepared = await prepareSound(tools, request, faults);
  faults.throwIfAny();
  return prepared;
}

/** Plans the changes of a project without its faulty resources, which are collected. */
export async function prepareSound(
  tools: AdapterTools,
  request: ProjectRequest,
  faults: Faults,
): Promise<Prepared> {
  const { context, caller } = tools;
  const project = await findProject(context.db, caller.accountId, request.logicalId);
  const owned = project === null ? [] : await listDeletable(tools, project, request.resources);
  const known = [...owned, ...listExternals(request.resources)];
  const adoption = await loadAdopted(tools, request, known);
  const all = [...owned, ...adoption.adopted];
  findSecondDefault(request.resources, faults);
  const stored = {
    members: await mapMemberIds(context.db, caller.accountId),
    owned: all,
    current: new Map([...(await loadCurrent(tools, known)), ...adoption.current]),
    adopted: new Set(adoption.adopted.map(keyOf)),
  };
  const plan = planSound(request, stored, faults);
  const planned = request.prunesRelations ? await pruneUnmanaged(tools, plan) : plan;
  await findTakenNames(tools, planned.entries, faults);
  const unmanaged = planned.entries.slice(plan.entries.length);
  return { ...planned, project, planToken: hashState([...all, ...unmanaged], planned.current) };
}
