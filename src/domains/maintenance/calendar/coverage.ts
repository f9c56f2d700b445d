import type { LabelledCheck, LabelSet } from "../../checks/index.ts";
import { appliesTo, type MaintenanceWindow } from "../maintenance-window.ts";

/** The checks that a window silences. */
export interface Coverage {
  readonly isEverything: boolean;
  /** Number of distinct checks. */
  readonly checkCount: number;
  readonly tags: readonly { readonly tag: string; readonly checkCount: number }[];
  readonly groups: readonly {
    readonly id: number;
    /** `null` if it was deleted. */
    readonly name: string | null;
    readonly checkCount: number;
  }[];
  readonly checks: readonly {
    readonly id: string;
    /** `null` if it was deleted. */
    readonly name: string | null;
  }[];
}

/** Labels of an account's checks. */
export interface Labelled {
  readonly sets: readonly LabelSet[];
  /** The checks that windows name. */
  readonly checks: readonly LabelledCheck[];
  readonly groupNames: ReadonlyMap<number, string>;
}

function count(sets: readonly LabelSet[], isMatch: (set: LabelSet) => boolean): number {
  return sets.reduce((sum, set) => (isMatch(set) ? sum + set.count : sum), 0);
}

export function describeCoverage(window: MaintenanceWindow, labelled: Labelled): Coverage {
  const { sets, groupNames } = labelled;
  const { checkIds = [], groupIds = [], tags, silenceAlertsTags } = window;
  const byRule = { ...window, checkIds: [] };
  const isCovered = (set: Pick<LabelSet, "tags" | "groupId">) =>
    appliesTo(byRule, { checkId: "", groupId: set.groupId, tags: set.tags });
  const named = labelled.checks.filter(({ id }) => checkIds.includes(id));
  const byId = new Map(named.map((check) => [check.id, check]));
  return {
    isEverything: window.silenceAllAlerts || window.pauseAllChecks,
    checkCount: count(sets, isCovered) + named.filter((check) => !isCovered(check)).length,
    tags: [...new Set([...tags, ...silenceAlertsTags])].map((tag) => ({
      tag,
      checkCount: count(sets, (set) => set.tags.includes(tag)),
    })),
    groups: groupIds.map((id) => ({
      id,
      name: groupNames.get(id) ?? null,
      checkCount: count(sets, ({ groupId }) => groupId === id),
    })),
    checks: checkIds.map((id) => ({ id, name: byId.get(id)?.name ?? null })),
  };
}
