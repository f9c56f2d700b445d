import { Type } from "typebox";
import { checkTypes } from "../../../kinds/index.ts";
import { Described, maxInteger, OneOf } from "../../../platform/http/schema.ts";
import { listStates } from "./list-filter.ts";

export const ListState = OneOf(listStates);

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
    Type.Array(ListState, {
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
