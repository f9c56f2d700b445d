import type { CheckGroup } from "../check-group.ts";
import { findOffsetFault } from "../frequency.ts";

export const bulkActions = [
  "mute",
  "unmute",
  "activate",
  "deactivate",
  "addTags",
  "removeTags",
  "move",
  "addChannels",
  "removeChannels",
  "setFrequency",
  "setLocations",
  "delete",
] as const;
export type BulkAction = (typeof bulkActions)[number];

export interface BulkChange {
  readonly action: BulkAction;
  /** Of `addTags` and `removeTags`. */
  readonly tags: readonly string[];
  /** Of `move`: where to; null: out of every group. */
  readonly group: CheckGroup | null;
  /** Of `addChannels` and `removeChannels`. */
  readonly alertChannelIds: readonly number[];
  /** Of `setFrequency`. */
  readonly schedule: Schedule;
  /** Of `setLocations`. */
  readonly places: Places;
}

export interface Schedule {
  readonly frequency: number;
  readonly frequencyOffset: number | null;
}

export interface Places {
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[];
}

/** What of a check a bulk change depends on. */
export interface BulkCheck {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly groupId: number | null;
  readonly activated: boolean;
  readonly muted: boolean;
  /** It names locations, or leaves them to the server: it runs somewhere without its group. */
  readonly hasPlaces: boolean;
  /** False: nothing orders its runs, so that it has no frequency and no locations. */
  readonly isOrdered: boolean;
  readonly frequency: number;
  readonly frequencyOffset: number | null;
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[];
  /** The channels that it is connected to itself. */
  readonly alertChannelIds: readonly number[];
}

/** The fields that change, with their new values. */
export interface BulkEdit {
  readonly activated?: boolean;
  readonly muted?: boolean;
  readonly tags?: readonly string[];
  readonly groupId?: number | null;
  readonly frequency?: number;
  readonly frequencyOffset?: number | null;
  readonly locations?: readonly string[];
  readonly privateLocations?: readonly string[];
}

export type BulkDecision =
  | { readonly outcome: "changed"; readonly edit: BulkEdit }
  /** Its connections to channels change, and nothing of the check itself. */
  | { readonly outcome: "connected" | "disconnected" }
  | { readonly outcome: "deleted" }
  | { readonly outcome: "unchanged" }
  | { readonly outcome: "refused"; readonly message: string };

/** As many as a check may have. */
export const maxTags = 100;

const change = (edit: BulkEdit): BulkDecision => ({ outcome: "changed", edit });
const unchanged: BulkDecision = { outcome: "unchanged" };
const refuse = (message: string): BulkDecision => ({ outcome: "refused", message });

function decideTags(check: BulkCheck, tags: readonly string[]): BulkDecision {
  if (tags.length > maxTags) return refuse(`it would have more than ${maxTags} tags`);
  const isSame =
    tags.length === check.tags.length && tags.every((tag, place) => tag === check.tags[place]);
  return isSame ? unchanged : change({ tags });
}

function decideMove(check: BulkCheck, group: CheckGroup | null): BulkDecision {
  const groupId = group?.id ?? null;
  if (check.groupId === groupId) return unchanged;
  const suppliesPlaces =
    group !== null && group.settings.locations.length + group.settings.privateLocations.length > 0;
  if (!check.hasPlaces && !suppliesPlaces) {
    return refuse("it would have no location: it names none, and neither does the group");
  }
  return change({ groupId });
}

function isConnectedTo(
  { alertChannelIds }: BulkCheck,
  wanted: readonly number[],
  how: "every" | "some",
): boolean {
  return wanted[how]((id) => alertChannelIds.includes(id));
}

function decideSchedule(check: BulkCheck, { frequency, frequencyOffset }: Schedule): BulkDecision {
  if (!check.isOrdered) return refuse("it waits for pings and has no frequency");
  // An offset that was not requested is kept where it fits.
  const isKept = findOffsetFault(frequency, check.frequencyOffset) === null;
  const offset = frequencyOffset ?? (isKept ? check.frequencyOffset : null);
  const isSame = check.frequency === frequency && check.frequencyOffset === offset;
  return isSame ? unchanged : change({ frequency, frequencyOffset: offset });
}

const isSameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((item) => other.includes(item));

function decidePlaces(check: BulkCheck, { locations, privateLocations }: Places): BulkDecision {
  if (!check.isOrdered) return refuse("it waits for pings and runs at no location");
  const isSame =
    isSameList(check.locations, locations) && isSameList(check.privateLocations, privateLocations);
  return isSame ? unchanged : change({ locations, privateLocations });
}

export function decideBulkChange(check: BulkCheck, wanted: BulkChange): BulkDecision {
  switch (wanted.action) {
    case "mute":
    case "unmute": {
      const muted = wanted.action === "mute";
      return check.muted === muted ? unchanged : change({ muted });
    }
    case "activate":
    case "deactivate": {
      const activated = wanted.action === "activate";
      return check.activated === activated ? unchanged : change({ activated });
    }
    case "addTags":
      return decideTags(check, [...new Set([...check.tags, ...wanted.tags])]);
    case "removeTags":
      return decideTags(
        check,
        check.tags.filter((tag) => !wanted.tags.includes(tag)),
      );
    case "move":
      return decideMove(check, wanted.group);
    case "addChannels":
      return isConnectedTo(check, wanted.alertChannelIds, "every")
        ? unchanged
        : { outcome: "connected" };
    case "removeChannels":
      return isConnectedTo(check, wanted.alertChannelIds, "some")
        ? { outcome: "disconnected" }
        : unchanged;
    case "setFrequency":
      return decideSchedule(check, wanted.schedule);
    case "setLocations":
      return decidePlaces(check, wanted.places);
    case "delete":
      return { outcome: "deleted" };
  }
}
