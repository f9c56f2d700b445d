import { Type } from "typebox";

const Message = Type.Object(
  { jsonrpc: Type.Literal("2.0", { description: "The version of JSON-RPC." }) },
  { additionalProperties: true },
);

/** One message of JSON-RPC, or a few at once. The SDK checks the rest. */
export const McpBody = Type.Union([Message, Type.Array(Message, { minItems: 1, maxItems: 10 })]);
export const McpAnswer = Type.Unsafe<unknown>({
  description: "messages of the Model Context Protocol",
});
