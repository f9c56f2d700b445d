import { Type } from "typebox";
import { Described, Guid } from "../../../platform/http/schema.ts";

export const ParentParams = Type.Object({ id: Described(Guid, "The check's id.") });

/** The format alone would let a URN pass. */
const CheckId = Type.String({ format: "uuid", pattern: "^[0-9A-Fa-f-]{36}$" });

export const ParentsSchema = Type.Object(
  {
    parentIds: Type.Array(CheckId, {
      description: "Ids of the checks that it depends on.",
      examples: [["7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10"]],
      maxItems: 20,
      uniqueItems: true,
    }),
  },
  { title: "CheckParents" },
);
