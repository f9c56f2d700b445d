import type { CheckGroup } from "../check-group.ts";

export const bulkActions = [
  "mute",
  "unmute",
  "activate",
  "deactivate",
  "addTags",
  "removeTags",
  "move",
  "delete",
] as const;
export type BulkAction = (typeof bulkActions)[number];

export interface BulkChange {
  readonly action: BulkAction;
  /** Of `addTags` and `removeTags`. */
  readonly tags: readonly string[];
  /** Of `move`: where to; null: out of every group. */
  readonly group: CheckGroup | null;
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
}

/** The fields that change, with their new values. */
export interface BulkEdit {
  readonly activated?: boolean;
  readonly muted?: boolean;
  readonly tags?: readonly string[];
  readonly groupId?: number | null;
}

export type BulkDecision =
  | { readonly outcome: "changed"; readonly edit: BulkEdit }
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
    case "delete":
      return { outcome: "deleted" };
  }
}
