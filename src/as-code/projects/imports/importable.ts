/** Pure functions that choose the resources an import offers, and name them in the code. */
import { allKinds } from "../../../kinds/index.ts";
import type { VerdictSettings } from "../../../kinds/kit/verdict.ts";
import type { Fields, ResourceType } from "../resource.ts";

/** A resource of the account in the API format, with physical ids as references. */
export interface ImportedResource {
  readonly type: ResourceType;
  readonly logicalId: string;
  readonly physicalId: string;
  readonly payload: Fields;
}

export interface ImportFilter {
  readonly type: "include" | "exclude";
  /** Resource that the filter matches; absent if the filter matches all resources. */
  readonly resource?: { readonly type?: string; readonly physicalId?: string | number } | undefined;
}

export interface StoredResource {
  readonly type: ResourceType;
  readonly physicalId: string;
  readonly shown: Fields;
}

/**
 * Returns whether an import offers a resource. The last matching filter decides. A resource that no
 * filter matches is offered.
 */
export function isIncluded(
  { type, physicalId }: Pick<StoredResource, "type" | "physicalId">,
  filters: readonly ImportFilter[],
): boolean {
  const last = filters.findLast(({ resource }) => {
    if (resource === undefined) return true;
    const isType = resource.type === undefined || resource.type === type;
    const { physicalId: id } = resource;
    return isType && (id === undefined || String(id) === physicalId);
  });
  return last === undefined || last.type === "include";
}

function writeSlug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60);
}

/** Derives logical ids from the display names of resources. Repeated names get a number. */
export function nameResources(
  resources: readonly StoredResource[],
  taken = new Set<string>(),
): Map<string, string> {
  const names = new Map<string, string>();
  for (const { type, physicalId, shown } of resources) {
    const config = (shown.config ?? {}) as Fields;
    const { name: given, header, key, host } = shown;
    const title = [given, header, config.name, config.address, host, key, shown.type].find(
      (one) => typeof one === "string" && one !== "",
    );
    const base = writeSlug(String(title ?? "")) || `${type}-${writeSlug(physicalId)}`;
    let name = base;
    for (let count = 2; taken.has(`${type} ${name}`); count += 1) name = `${base}-${count}`;
    taken.add(`${type} ${name}`);
    names.set(`${type} ${physicalId}`, name);
  }
  return names;
}

/** Types of alert channels for which existing clients can generate code. */
const codedChannels = ["CALL", "EMAIL", "OPSGENIE", "PAGERDUTY", "SLACK", "SMS", "WEBHOOK"];

/**
 * Returns whether existing clients can generate code for a resource. Otherwise they can only refer
 * to its id.
 */
export function hasConstruct({ type, shown }: Pick<StoredResource, "type" | "shown">): boolean {
  return type !== "alert-channel" || codedChannels.includes(String(shown.type));
}

const without = (fields: Fields, name: string): Fields => {
  const { [name]: _left, ...rest } = fields;
  return rest;
};

/**
 * Removes fields that existing clients do not support, and fields that they would reject or change.
 * Examples are an empty list of errors to retry on, and alert settings that have no effect because
 * the global settings apply. The type of a webhook, such as Telegram, is also removed: clients
 * would search the URL of the webhook for a secret key, but the URL is masked. A deployment keeps
 * the stored values of the removed fields.
 */
export function simplifyPayload(payload: Fields): Fields {
  const kind = allKinds.find(({ type }) => type === payload.checkType);
  const own = kind?.writeAsCode?.(payload as unknown as VerdictSettings);
  const simplified: Record<string, unknown> = { ...(own ?? payload) };
  const { retryStrategy, config } = payload as Readonly<Record<string, Fields | null>>;
  if (Array.isArray(retryStrategy?.onlyOn) && retryStrategy.onlyOn.length === 0) {
    simplified.retryStrategy = without(retryStrategy, "onlyOn");
  }
  if (payload.useGlobalAlertSettings === true) delete simplified.alertSettings;
  if (config && "webhookType" in config) simplified.config = without(config, "webhookType");
  return simplified;
}

/**
 * Pure functions for the subscriptions and assigned locations of the imported checks and groups.
 */

/** Logical ids, keyed by `type id`. A resource outside the import has the logical id `type-id`. */
type Names = ReadonlyMap<string, string>;

const nameOf = (names: Names, type: string, id: unknown) =>
  names.get(`${type} ${id}`) ?? `${type}-${id}`;

/**
 * Returns the logical id of a subscription. Returns `null` if its check or group is not imported,
 * or if the subscription is inactive, because code cannot describe inactive subscriptions.
 */
export function nameSubscription(shown: Fields, names: Names): string | null {
  const { alertChannelId, checkId, groupId, activated } = shown;
  const isGroup = checkId === null;
  const subscriber = names.get(isGroup ? `check-group ${groupId}` : `check ${checkId}`);
  if (subscriber === undefined || activated !== true) return null;
  const channel = nameOf(names, "alert-channel", alertChannelId);
  return `${isGroup ? "check-group" : "check"}-alert-channel-subscription#${subscriber}#${channel}`;
}

const assignmentTypes = {
  check: { type: "private-location-check-assignment", field: "checkId" },
  "check-group": { type: "private-location-group-assignment", field: "groupId" },
} as const;

/** Lists the assignments of private locations, which are separate resources in the code. */
export function listAssignments(
  subscribers: readonly StoredResource[],
  locations: readonly { readonly id: string; readonly slugName: string }[],
  names: Names,
): ImportedResource[] {
  const ids = new Map(locations.map(({ id, slugName }) => [slugName, id]));
  return subscribers.flatMap(({ type: subscriberType, physicalId, shown }) => {
    if (subscriberType !== "check" && subscriberType !== "check-group") return [];
    const { type, field } = assignmentTypes[subscriberType];
    const own = nameOf(names, subscriberType, physicalId);
    const slugs = (shown.privateLocations ?? []) as readonly string[];
    return slugs.flatMap((slugName): ImportedResource[] => {
      const privateLocationId = ids.get(slugName);
      if (privateLocationId === undefined) return [];
      const logicalId = `${type}#${own}#${nameOf(names, "private-location", privateLocationId)}`;
      const subscriberId = subscriberType === "check" ? physicalId : Number(physicalId);
      const payload = { privateLocationId, [field]: subscriberId, slugName };
      const id = `${privateLocationId}/${subscriberType}/${physicalId}`;
      return [{ type, logicalId, physicalId: id, payload: { ...payload, id } }];
    });
  });
}
