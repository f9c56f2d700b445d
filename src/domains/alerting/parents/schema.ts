import { Type } from "typebox";
import { Described, Guid } from "../../../platform/http/schema.ts";

export const ParentParams = Type.Object({ id: Described(Guid, "The check's id.") });

export const ParentsSchema = Type.Object(
  {
    parentIds: Type.Array(Guid, {
      description: "Ids of the checks that this check depends on.",
      examples: [["7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10"]],
      maxItems: 20,
      uniqueItems: true,
    }),
  },
  { title: "CheckParents" },
);
