import type { PlanAction, PlanEntry, PropertyChange } from "./plan.ts";
import type { Fields, ResourceType } from "./resource.ts";

/** Entry of a plan in responses. */
export interface WireDiff {
  readonly logicalId: string;
  readonly physicalId?: string | number;
  readonly type: ResourceType;
  readonly action: PlanAction | "DETACHED";
  readonly origin?: string;
  readonly changes?: readonly PropertyChange[];
  readonly before?: Fields | null;
  readonly after?: Fields | null;
  readonly foldedInto?: { readonly type: ResourceType; readonly logicalId: string };
  readonly sourceFile?: string;
}

export type DiffDetail = "summary" | "changes" | "full";

const numbered = new Set<ResourceType>([
  "alert-channel",
  "check-group",
  "maintenance-window",
  "snippet",
]);

export const toWireId = (type: ResourceType, id: string) => (numbered.has(type) ? Number(id) : id);

export function toWireEntry(entry: PlanEntry, detail: DiffDetail): WireDiff {
  const { type, logicalId, physicalId, action, origin, changes, before, after } = entry;
  return {
    logicalId,
    ...(physicalId !== null && { physicalId: toWireId(type, physicalId) }),
    type,
    action,
    ...(detail !== "summary" && { ...(origin && { origin }), changes }),
    ...(detail === "full" && { before, after }),
  };
}

/**
 * Clients before version 10 know no unchanged resources, and another word for detached ones.
 */
export function toOldEntry({ logicalId, physicalId, type, action }: WireDiff): WireDiff {
  const old = action === "UNCHANGED" ? "UPDATE" : action === "DETACH" ? "DETACHED" : action;
  return { logicalId, ...(physicalId !== undefined && { physicalId }), type, action: old };
}
