import { Type } from "typebox";
import { Described, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { PlanAction, PlanEntry, PropertyChange, Redaction } from "./plan.ts";
import { type Fields, type ResourceType, resourceTypes } from "./resource.ts";

/** Entry of a plan in the format of API responses. */
export interface WireDiff {
  readonly logicalId: string;
  readonly physicalId?: string | number;
  readonly type: ResourceType;
  readonly action: PlanAction | "DETACHED";
  readonly origin?: string;
  readonly changes?: readonly PropertyChange[];
  readonly before?: Fields | null;
  readonly after?: Fields | null;
  readonly redactions?: readonly Redaction[];
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
  const { type, logicalId, physicalId, action, origin, changes, before, after, foldedInto } = entry;
  const id = physicalId === null ? null : toWireId(type, physicalId);
  return {
    logicalId,
    ...(id !== null && { physicalId: id }),
    type,
    action,
    ...(detail !== "summary" && { ...(origin && { origin }), changes }),
    ...(detail === "full" && { before: before && { id, ...before }, after }),
    ...(foldedInto && { foldedInto }),
  };
}

/**
 * Converts an entry for clients before version 10. These clients do not know unchanged and adopted
 * resources, and use another name for detached ones.
 */
export function toOldEntry({ logicalId, physicalId, type, action }: WireDiff): WireDiff {
  const words = { UNCHANGED: "UPDATE", ADOPT: "UPDATE", DETACH: "DETACHED" } as const;
  const old = action in words ? words[action as keyof typeof words] : action;
  return { logicalId, ...(physicalId !== undefined && { physicalId }), type, action: old };
}

const ChangeSchema = Type.Object(
  {
    path: Type.String({ description: "JSON Pointer of the property.", examples: ["/frequency"] }),
    origin: Described(
      OneOf(["code", "remote", "both", "unmanaged"]),
      "Who changed it since the last deployment: the code, somebody else, or both. `unmanaged` is " +
        "what the project does not own.",
    ),
    before: Described(Type.Optional(Type.Unknown()), "The stored value."),
    after: Described(Type.Optional(Type.Unknown()), "The value of the code."),
    remote: Described(
      Type.Optional(
        Type.Object({
          before: Described(Type.Optional(Type.Unknown()), "The value of the last deployment."),
          after: Described(Type.Optional(Type.Unknown()), "The stored value."),
        }),
      ),
      "The change that somebody else made since the last deployment.",
    ),
    secret: Type.Optional(Type.Boolean({ description: "Whether the values are masked." })),
  },
  { title: "PropertyChange" },
);

export const DiffSchema = Type.Array(
  Type.Object(
    {
      logicalId: Type.String({ description: "Its name in the code.", examples: ["ping-router"] }),
      physicalId: Described(
        Type.Optional(Type.Union([Type.Integer(), Type.String()])),
        "Its id; absent if it does not exist yet.",
      ),
      type: Described(OneOf([...resourceTypes]), "The type of resource."),
      action: Described(
        OneOf(["CREATE", "ADOPT", "UPDATE", "UNCHANGED", "DELETE", "DETACH", "DETACHED", "KEEP"]),
        "What happens to it.",
      ),
      origin: Described(
        Type.Optional(OneOf(["code", "remote", "unmanaged"])),
        "Who changed it. The code comes before others.",
      ),
      changes: Type.Optional(Type.Array(ChangeSchema, { description: "What changes." })),
      before: Described(
        Type.Optional(OrNull(Type.Object({}, { additionalProperties: true }))),
        "The stored resource, with masked secrets.",
      ),
      after: Described(
        Type.Optional(OrNull(Type.Object({}, { additionalProperties: true }))),
        "The desired resource, with masked secrets.",
      ),
      redactions: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.String({ description: "JSON Pointer.", examples: ["/config/url"] }),
            kind: Described(OneOf(["value", "object"]), "What is masked."),
            when: Described(
              Type.Optional(OneOf(["locked", "lockedOrSecret"])),
              "The flags of the list item that cause it.",
            ),
          }),
          { description: "What is masked in `before`." },
        ),
      ),
      foldedInto: Described(
        Type.Optional(
          Type.Object({
            type: Type.String({ description: "Its type." }),
            logicalId: Type.String({ description: "Its name in the code." }),
          }),
        ),
        "The check or group that it is part of.",
      ),
      sourceFile: Type.Optional(Type.String({ description: "The file that describes it." })),
    },
    { title: "PlanEntry" },
  ),
  { description: "One entry per resource." },
);
