import { Type } from "typebox";
import { Guid } from "../../../platform/http/schema.ts";

export const ParentParams = Type.Object({ id: Guid });

/** The format alone would let a URN pass. */
const CheckId = Type.String({ format: "uuid", pattern: "^[0-9A-Fa-f-]{36}$" });

export const ParentsSchema = Type.Object({
  parentIds: Type.Array(CheckId, { maxItems: 20, uniqueItems: true }),
});
