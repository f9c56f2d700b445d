import { Type } from "typebox";
import { checkTypes } from "../../kinds/index.ts";
import { Described, maxInteger, OneOf } from "../../platform/http/schema.ts";
import type { CheckStatus } from "./check.ts";

/** State of a check in lists: its status, or inactive if deactivated. Ordered worst first. */
export const listStates = ["failing", "degraded", "unknown", "passing", "inactive"] as const;

export type ListState = CheckStatus | "inactive";

/** A field matches if one of its values matches; all given fields must match. */
export interface ListFilter {
  /** Searched in the name, the target and the tags. */
  readonly search?: string | undefined;
  readonly state?: readonly ListState[] | undefined;
  readonly checkType?: readonly string[] | undefined;
  readonly tag?: readonly string[] | undefined;
  /** Group ids; 0 means no group. */
  readonly groupId?: readonly number[] | undefined;
  readonly location?: readonly string[] | undefined;
  readonly activated?: boolean | undefined;
  readonly muted?: boolean | undefined;
}

/** Data about the account's checks that other modules provide. */
export interface ListFacts {
  /** Checks without recent results; their stored status is ignored. */
  readonly silentIds: readonly string[];
  /** Location of a check without configured locations. */
  readonly defaultLocation: string;
}

const GroupId = Type.Integer({ minimum: 0, maximum: maxInteger });

const maxValues = 50;

/** Filter of a list, used as a query and as part of a body. */
export const listFilterFields = {
  search: Type.Optional(
    Type.String({
      description: "Only checks with this text in their name, target or tags.",
      maxLength: 255,
      examples: ["router"],
    }),
  ),
  state: Type.Optional(
    Type.Array(OneOf(listStates), {
      description: "Only checks in one of these states; `inactive` means deactivated.",
      maxItems: listStates.length,
      examples: [["failing", "degraded"]],
    }),
  ),
  checkType: Type.Optional(
    Type.Array(OneOf(checkTypes), {
      description: "Only checks of one of these kinds.",
      maxItems: maxValues,
    }),
  ),
  tag: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), {
      description: "Only checks with one of these tags, their own or their group's.",
      maxItems: maxValues,
    }),
  ),
  groupId: Type.Optional(
    Type.Array(GroupId, {
      description: "Only checks of one of these groups; 0 for checks without a group.",
      maxItems: maxValues,
    }),
  ),
  location: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      description: "Only checks that run at one of these locations.",
      maxItems: maxValues,
    }),
  ),
  activated: Described(
    Type.Optional(Type.Boolean()),
    "If true, only checks that are activated, including their group; if false, only others.",
  ),
  muted: Described(
    Type.Optional(Type.Boolean()),
    "If true, only checks that are muted or whose group is; if false, only others.",
  ),
};
