import { Type } from "typebox";

/** Fields shared by several messages. Every field that crosses the boundary is bounded. */
export const Id = Type.String({ pattern: "^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$" });
export const Label = Type.String({ minLength: 1, maxLength: 200 });
export const Count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
export const Milliseconds = Type.Number({ minimum: 0, maximum: 2 ** 48 });
