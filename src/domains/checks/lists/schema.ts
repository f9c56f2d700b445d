import { Type } from "typebox";
import { checkTypes } from "../../../kinds/index.ts";
import { Described, maxInteger, OneOf } from "../../../platform/http/schema.ts";
import { listStates } from "./list-filter.ts";

export const ListState = OneOf(listStates);

const GroupId = Type.Integer({ minimum: 0, maximum: maxInteger });
const maxValues = 50;

/** The filter of a list, as a query and as part of a body. */
export const listFilterFields = {
  search: Type.Optional(
    Type.String({
      description: "Only those with this text in their name, target or tags.",
      maxLength: 255,
      examples: ["router"],
    }),
  ),
  state: Type.Optional(
    Type.Array(ListState, {
      description: "Only checks in one of these states now; `inactive`: switched off.",
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
      description: "Only checks of one of these groups; 0: in no group.",
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
    "True: only checks that are switched on, and their group too; false: only the others.",
  ),
  muted: Described(
    Type.Optional(Type.Boolean()),
    "True: only checks that are muted, or their group is; false: only the others.",
  ),
};
