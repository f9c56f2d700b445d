import type { Caller } from "../../access/accounts/index.ts";
import { type Check, listAccountCheckIds, listChecks } from "../../checks/checks/index.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import { listFollowedChecks, listSilentChecks } from "../../runs/states/index.ts";
import { listAllServices } from "../../sites/status-pages/index.ts";
import type { AgentContext } from "../context.ts";
import type { CheckBrief, CheckStatusName } from "../tool-shapes/check-data.ts";

/**
 * Returns the ids of the services that follow each check. A service selects its checks by id or by
 * tag.
 */
async function mapFollowers(context: AgentContext, caller: Caller): Promise<Map<string, string[]>> {
  const services = await listAllServices(context, caller);
  const checks = await listFollowedChecks(context.db, caller.accountId, {
    ids: [...new Set(services.flatMap(({ follows }) => follows.checkIds))],
    tags: [...new Set(services.flatMap(({ follows }) => follows.tags))],
  });
  return new Map(
    checks.map(({ id, tags }) => {
      const own = services.filter(
        ({ follows }) =>
          follows.checkIds.includes(id) || follows.tags.some((tag) => tags.includes(tag)),
      );
      return [id, own.map((service) => service.id)];
    }),
  );
}

export interface CheckFilter {
  readonly name?: string | undefined;
  readonly tag?: string | undefined;
  readonly checkType?: string | undefined;
  readonly status?: CheckStatusName | undefined;
  readonly location?: string | undefined;
  readonly groupId?: string | undefined;
  readonly serviceId?: string | undefined;
}

/** Number of checks per page. At most `maxPages` pages are read. */
const pageSize = 1_000;
const maxPages = 20;

/**
 * Returns a function that returns the status of a check. A check without recent runs is "unknown".
 */
export async function readStatuses(
  context: AgentContext,
  caller: Caller,
): Promise<(check: Check) => CheckStatusName> {
  const silent = await listSilentChecks(context, caller.accountId);
  const silentIds = new Set(silent.map(({ checkId }) => checkId));
  return ({ id, status }) => (silentIds.has(id) ? "unknown" : status);
}

export function toCheckBrief(check: Check, watched: Watched): CheckBrief {
  const { kind, settings, places, plan } = watched;
  return {
    checkId: check.id,
    checkType: kind.type,
    name: settings.name,
    hostname: kind.target(settings),
    status: check.status,
    activated: settings.activated,
    muted: settings.muted,
    tags: settings.tags,
    locations: kind.isOrdered ? places : [],
    everySeconds: plan.periodMs / 1_000,
  };
}

type Followers = ReadonlyMap<string, readonly string[]>;

/** Lists the ids of the services that follow a check or for which the check opens incidents. */
function listServicesOf({ id, settings }: Check, followers: Followers): string[] {
  const own = settings.triggerIncident?.serviceId;
  return [...new Set([...(own === undefined ? [] : [own]), ...(followers.get(id) ?? [])])];
}

function isMember(
  check: Check,
  { groupId, serviceId }: CheckFilter,
  followers: Followers,
): boolean {
  return (
    (groupId === undefined || String(check.settings.groupId) === groupId) &&
    (serviceId === undefined || listServicesOf(check, followers).includes(serviceId.toLowerCase()))
  );
}

function matches({ tags, locations, status, checkType }: CheckBrief, filter: CheckFilter): boolean {
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  const { tag, location } = filter;
  return (
    (tag === undefined || tags.some((own) => isSame(own, tag))) &&
    (location === undefined || locations.some((place) => isSame(place, location))) &&
    (filter.checkType === undefined || checkType === filter.checkType) &&
    (filter.status === undefined || status === filter.status)
  );
}

/**
 * Returns the checks that match a filter. The filter applies to the effective settings, because
 * checks inherit tags and locations from their group.
 */
export async function findChecks(
  context: AgentContext,
  caller: Caller,
  filter: CheckFilter,
): Promise<CheckBrief[]> {
  const found: CheckBrief[] = [];
  const statusOf = await readStatuses(context, caller);
  const followers =
    filter.serviceId === undefined ? new Map() : await mapFollowers(context, caller);
  for (let page = 1; page <= maxPages; page += 1) {
    const query = { limit: pageSize, page, search: filter.name };
    const { checks } = await listChecks(context.db, caller.accountId, query);
    const watched = await context.watchList.find(checks.map(({ id }) => id));
    for (const check of checks) {
      if (!isMember(check, filter, followers)) continue;
      const own = watched.get(check.id);
      const brief =
        own === undefined ? null : toCheckBrief({ ...check, status: statusOf(check) }, own);
      if (brief !== null && matches(brief, filter)) found.push(brief);
    }
    if (checks.length < pageSize) break;
  }
  return found;
}

export interface Membership {
  readonly checkId: string;
  readonly name: string;
  readonly status: CheckStatusName;
  readonly groupId: number | null;
  readonly serviceIds: readonly string[];
}

/** Returns each check with its group and its services. */
export async function findMemberships(
  context: AgentContext,
  caller: Caller,
): Promise<Membership[]> {
  const found: Membership[] = [];
  const statusOf = await readStatuses(context, caller);
  const followers = await mapFollowers(context, caller);
  for (let page = 1; page <= maxPages; page += 1) {
    const { checks } = await listChecks(context.db, caller.accountId, { limit: pageSize, page });
    for (const check of checks) {
      const { name, groupId } = check.settings;
      const serviceIds = listServicesOf(check, followers);
      found.push({ checkId: check.id, name, status: statusOf(check), groupId, serviceIds });
    }
    if (checks.length < pageSize) break;
  }
  return found;
}

export interface NamedCheck {
  readonly checkId: string;
  readonly checkType: string;
  readonly name: string;
  readonly tags: readonly string[];
}

/**
 * Returns the requested checks in the order of the request, and the ids of checks that do not
 * exist.
 */
export async function findNamedChecks(
  context: AgentContext,
  caller: Caller,
  checkIds: readonly string[],
): Promise<{ readonly checks: NamedCheck[]; readonly notFound: string[] }> {
  const requested = [...new Set(checkIds.map((id) => id.toLowerCase()))];
  const own = await listAccountCheckIds(context.db, caller.accountId, requested);
  const watched = await context.watchList.find(own);
  const checks = requested.flatMap((id): NamedCheck[] => {
    const found = watched.get(id);
    if (found === undefined) return [];
    const { name, tags } = found.settings;
    return [{ checkId: id, checkType: found.kind.type, name, tags }];
  });
  return { checks, notFound: requested.filter((id) => !watched.has(id)) };
}
