import { Value } from "typebox/value";
import { isCheckType, kinds } from "../../../kinds/index.ts";
import type { Setting } from "../../../planner/turn.ts";
import { checkBodyOf } from "../../checks/index.ts";
import { publicLocations } from "../../locations/index.ts";

/** What the planner is told about this product: its locations, and what the API accepts. */
export const plannerSetting: Setting = {
  publicPlaces: Object.entries(publicLocations).map(([region, name]) => ({ region, name })),
  findBodyFault: ({ checkType, ...body }) => {
    if (!isCheckType(checkType)) return "there is no such kind of check";
    const schema = checkBodyOf(kinds[checkType]);
    if (Value.Check(schema, body)) return null;
    const [first] = Value.Errors(schema, body);
    const field = first?.instancePath.slice(1).replaceAll("/", ".") ?? "";
    return `${field} ${first?.message ?? "is not valid"}`;
  },
};
