/** Assignments of private locations, which are stored with their check or group. */
import {
  type Definition,
  type DesiredResource,
  type Fields,
  keyOf,
  type OwnedResource,
  type ResourceType,
} from "./resource.ts";

const assignments = {
  "private-location-check-assignment": { field: "checkId", subscriber: "check" },
  "private-location-group-assignment": { field: "groupId", subscriber: "check-group" },
} as const;

type AssignmentType = keyof typeof assignments;

export function isAssignment(type: ResourceType): type is AssignmentType {
  return type in assignments;
}

/** Returns the check or group that an assignment belongs to; `null` for other types. */
export function findSubscriber({ type, payload }: DesiredResource) {
  if (!isAssignment(type)) return null;
  const { field, subscriber } = assignments[type];
  const { ref } = (payload?.[field] ?? {}) as { readonly ref?: string };
  return ref === undefined ? null : { type: subscriber, logicalId: ref };
}

interface AssignedSlugs {
  /** Slug of each assigned location, keyed by `keyOf` of the assignment. */
  readonly ofAssignment: ReadonlyMap<string, string>;
  /** Slugs of the assigned locations, keyed by `keyOf` of the check or group. */
  readonly ofSubscriber: ReadonlyMap<string, readonly string[]>;
}

/** Returns the slugs of the private locations that the request assigns. */
export function mapAssignedSlugs(
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
    if (typeof fields?.slugName !== "string") continue;
    const key = keyOf(subscriber);
    ofSubscriber.set(key, [...(ofSubscriber.get(key) ?? []), fields.slugName]);
    ofAssignment.set(keyOf(resource), fields.slugName);
  }
  return { ofSubscriber, ofAssignment };
}

export const listSlugs = (fields: Fields | null | undefined) =>
  (fields?.privateLocations ?? []) as readonly string[];

/** Returns the slugs that an earlier deployment assigned, keyed by the id of the check or group. */
export function mapDeployedSlugs(
  owned: readonly OwnedResource[],
): ReadonlyMap<string, readonly string[]> {
  const slugs = new Map<string, string[]>();
  for (const { type, deployed } of owned) {
    if (!isAssignment(type)) continue;
    const id = String(deployed?.[assignments[type].field]);
    slugs.set(id, [...(slugs.get(id) ?? []), String(deployed?.slugName)]);
  }
  return slugs;
}
