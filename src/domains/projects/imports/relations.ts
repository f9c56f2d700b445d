/** Pure: subscriptions and assigned locations of the checks and groups that an import offers. */
import type { Fields } from "../resource.ts";
import type { ImportedResource, StoredResource } from "./importable.ts";

/** Names by `type id`. The client refers to other resources as `type-id`. */
type Names = ReadonlyMap<string, string>;

const nameOf = (names: Names, type: string, id: unknown) =>
  names.get(`${type} ${id}`) ?? `${type}-${id}`;

/** The code subscribes with `activated: true` only, so an inactive subscription stays as it is. */
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

/** Lists the assignments of private locations, which the code contains as separate resources. */
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
