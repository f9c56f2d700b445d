import { Value } from "typebox/value";
import { defaultType, kinds } from "../../../kinds/index.ts";
import type { Setting } from "../../../planner/turn.ts";
import { checkBodyOf } from "../../checks/index.ts";

import { publicLocations } from "../../locations/index.ts";

const CheckBody = checkBodyOf(kinds[defaultType]);

/** What the planner is told about this product: its locations, and what the API accepts. */
export const plannerSetting: Setting = {
  publicPlaces: Object.entries(publicLocations).map(([region, name]) => ({ region, name })),
  findBodyFault: (body) => {
    if (Value.Check(CheckBody, body)) return null;
    const [first] = Value.Errors(CheckBody, body);
    const field = first?.instancePath.slice(1).replaceAll("/", ".") ?? "";
    return `${field} ${first?.message ?? "is not valid"}`;
  },
};
