import assert from "node:assert/strict";
import { test } from "node:test";
import { compactInput, compactOutput } from "./mcp-server.ts";

test("an input schema keeps only what a model needs", () => {
  const schema = {
    type: "object",
    required: ["name"],
    additionalProperties: false,
    properties: {
      name: { type: "string", minLength: 1, description: "Its name.", examples: ["Router"] },
      // A field may have the name of a keyword.
      examples: { type: "string", description: "Words of a person." },
      limit: {
        anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }],
        description: "How many.",
      },
      order: { anyOf: [{ type: "string", enum: ["ASC", "DESC"] }, { type: "null" }] },
    },
  };
  assert.deepEqual(compactInput(schema), {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", description: "Its name." },
      examples: { type: "string", description: "Words of a person." },
      limit: { type: ["integer", "null"], minimum: 1, description: "How many." },
      order: { type: ["string", "null"], enum: ["ASC", "DESC", null] },
    },
  });
});

test("an output schema names the top-level fields only", () => {
  const schema = {
    type: "object",
    required: ["checks"],
    properties: {
      checks: {
        type: "array",
        description: "those that match",
        items: { type: "object", properties: { name: { type: "string" } } },
      },
      total: { type: "integer" },
    },
  };
  assert.deepEqual(compactOutput(schema), {
    type: "object",
    properties: {
      checks: { type: "array", description: "those that match" },
      total: { type: "integer" },
    },
  });
});
