import { Value } from "typebox/value";
import { isCheckType, kinds } from "../../../kinds/index.ts";
import type { Setting } from "../../../planner/turn.ts";
import { checkBodyOf } from "../../checks/index.ts";
import { publicLocations } from "../../locations/index.ts";

/** Facts about this product for the planner: its locations, and the API's validation. */
export const plannerSetting: Setting = {
  publicPlaces: Object.entries(publicLocations).map(([region, name]) => ({ region, name })),
  findBodyFault: ({ checkType, ...body }) => {
    if (!isCheckType(checkType)) return "this kind of check does not exist";
    const schema = checkBodyOf(kinds[checkType]);
    if (Value.Check(schema, body)) return null;
    const [first] = Value.Errors(schema, body);
    const field = first?.instancePath.slice(1).replaceAll("/", ".") ?? "";
    return `${field} ${first?.message ?? "is not valid"}`;
  },
};
