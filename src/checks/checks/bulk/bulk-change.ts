import type { CheckGroup } from "../check-group.ts";
import { findOffsetFault } from "../check-settings.ts";

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
  /** Tags that the actions `addTags` and `removeTags` add or remove. */
  readonly tags: readonly string[];
  /** Target group of the action `move`; `null` to remove the checks from their group. */
  readonly group: CheckGroup | null;
  /** Channels that the actions `addChannels` and `removeChannels` add or remove. */
  readonly alertChannelIds: readonly number[];
  /** New frequency for the action `setFrequency`. */
  readonly schedule: Schedule;
  /** New locations for the action `setLocations`. */
  readonly places: Places;
}

interface Schedule {
  readonly frequency: number;
  readonly frequencyOffset: number | null;
}

interface Places {
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[];
}

/** Data of a check that decides the outcome of a bulk change. */
export interface BulkCheck {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly groupId: number | null;
  readonly activated: boolean;
  readonly muted: boolean;
  /**
   * Whether the check would have a location if it were in no group: its own locations, or the
   * default location.
   */
  readonly hasPlaces: boolean;
  /** Whether the scheduler starts the runs. If not, the check has no frequency and no locations. */
  readonly isOrdered: boolean;
  readonly frequency: number;
  readonly frequencyOffset: number | null;
  readonly locations: readonly string[];
  readonly privateLocations: readonly string[];
  /** Channels of the check's own subscriptions, without those of its group. */
  readonly alertChannelIds: readonly number[];
}

/** Fields of the check to change, with their new values. */
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
  /** Outcomes of changes to the channel subscriptions. The check itself does not change. */
  | { readonly outcome: "connected" | "disconnected" }
  | { readonly outcome: "deleted" }
  | { readonly outcome: "unchanged" }
  | { readonly outcome: "refused"; readonly message: string };

const maxTags = 100;

const change = (edit: BulkEdit): BulkDecision => ({ outcome: "changed", edit });
const unchanged: BulkDecision = { outcome: "unchanged" };
const reject = (message: string): BulkDecision => ({ outcome: "refused", message });

function decideTags(check: BulkCheck, tags: readonly string[]): BulkDecision {
  if (tags.length > maxTags) return reject(`the check would have more than ${maxTags} tags`);
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
    return reject("the check would have no location: neither it nor the group has one");
  }
  return change({ groupId });
}

function isConnectedTo(
  { alertChannelIds }: BulkCheck,
  requested: readonly number[],
  how: "every" | "some",
): boolean {
  return requested[how]((id) => alertChannelIds.includes(id));
}

function decideSchedule(check: BulkCheck, { frequency, frequencyOffset }: Schedule): BulkDecision {
  if (!check.isOrdered) return reject("a heartbeat has no frequency");
  // If the request has no offset, keep the current offset if it fits the new frequency.
  const isStillValid = findOffsetFault(frequency, check.frequencyOffset) === null;
  const offset = frequencyOffset ?? (isStillValid ? check.frequencyOffset : null);
  const isSame = check.frequency === frequency && check.frequencyOffset === offset;
  return isSame ? unchanged : change({ frequency, frequencyOffset: offset });
}

const isSameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((item) => other.includes(item));

function decidePlaces(check: BulkCheck, { locations, privateLocations }: Places): BulkDecision {
  if (!check.isOrdered) return reject("a heartbeat has no location");
  const isSame =
    isSameList(check.locations, locations) && isSameList(check.privateLocations, privateLocations);
  return isSame ? unchanged : change({ locations, privateLocations });
}

export function decideBulkChange(check: BulkCheck, requested: BulkChange): BulkDecision {
  switch (requested.action) {
    case "mute":
    case "unmute": {
      const muted = requested.action === "mute";
      return check.muted === muted ? unchanged : change({ muted });
    }
    case "activate":
    case "deactivate": {
      const activated = requested.action === "activate";
      return check.activated === activated ? unchanged : change({ activated });
    }
    case "addTags":
      return decideTags(check, [...new Set([...check.tags, ...requested.tags])]);
    case "removeTags":
      return decideTags(
        check,
        check.tags.filter((tag) => !requested.tags.includes(tag)),
      );
    case "move":
      return decideMove(check, requested.group);
    case "addChannels":
      return isConnectedTo(check, requested.alertChannelIds, "every")
        ? unchanged
        : { outcome: "connected" };
    case "removeChannels":
      return isConnectedTo(check, requested.alertChannelIds, "some")
        ? { outcome: "disconnected" }
        : unchanged;
    case "setFrequency":
      return decideSchedule(check, requested.schedule);
    case "setLocations":
      return decidePlaces(check, requested.places);
    case "delete":
      return { outcome: "deleted" };
  }
}
