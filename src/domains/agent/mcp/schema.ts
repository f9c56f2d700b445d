import { Type } from "typebox";

const Message = Type.Object(
  { jsonrpc: Type.Literal("2.0", { description: "Version of JSON-RPC." }) },
  { additionalProperties: true },
);

/** A JSON-RPC message, or a batch of them. The SDK validates the rest. */
export const McpBody = Type.Union([Message, Type.Array(Message, { minItems: 1, maxItems: 10 })]);
export const McpAnswer = Type.Unsafe<unknown>({
  description: "Messages of the Model Context Protocol.",
});
