import { type TProperties, Type } from "typebox";
import type { JsonSchema } from "../../platform/http/openapi/json-schema.ts";
import { Described } from "../../platform/http/schema.ts";

/** Keywords of JSON Schema that limit a value. */
const keywords = [
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "maxItems",
  "format",
  "enum",
] as const;

const numeric = (description: string, example: number) =>
  Type.Optional(Type.Number({ description, examples: [example] }));

/** Limits of one field of a request body, with the names of JSON Schema. */
export const FieldLimitsSchema = Type.Object(
  {
    required: Type.Boolean({ description: "Whether a new check must have the field." }),
    nullable: Type.Boolean({ description: "Whether `null` is allowed." }),
    minimum: numeric("The smallest number.", 1),
    maximum: numeric("The largest number.", 50),
    minLength: numeric("The minimum number of characters.", 1),
    maxLength: numeric("The maximum number of characters.", 2_048),
    maxItems: numeric("The maximum number of entries of a list.", 50),
    format: Type.Optional(
      Type.String({ description: "The format of a text, as in JSON Schema.", examples: ["uuid"] }),
    ),
    enum: Described(
      Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number()]))),
      "The allowed values.",
      ["IPv4", "IPv6"],
    ),
  },
  { title: "FieldLimits" },
);

type FieldLimits = Type.Static<typeof FieldLimitsSchema>;

/** Returns the schema of the value if it is not null; `null` if it has several alternatives. */
function withoutNull(schema: JsonSchema): { readonly value: JsonSchema | null; nullable: boolean } {
  const { anyOf, type } = schema;
  if (anyOf === undefined) {
    return { value: schema, nullable: Array.isArray(type) && type.includes("null") };
  }
  const values = anyOf.filter((one) => one.type !== "null");
  const [only = null] = values;
  return { value: values.length === 1 ? only : null, nullable: values.length < anyOf.length };
}

function listNested(schema: JsonSchema, path: string): [string, FieldLimits][] {
  if (schema.items !== undefined) return listNested(schema.items, `${path}[]`);
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]) =>
    listField(field, path === "" ? name : `${path}.${name}`, required.includes(name)),
  );
}

function listField(schema: JsonSchema, path: string, required: boolean): [string, FieldLimits][] {
  const { value, nullable } = withoutNull(schema);
  // A field with a default may be omitted.
  const isRequired = required && schema.default === undefined;
  if (value === null) return [[path, { required: isRequired, nullable }]];
  const given = keywords.filter((keyword) => value[keyword] !== undefined);
  const limits = Object.fromEntries(given.map((keyword) => [keyword, value[keyword]]));
  return [[path, { required: isRequired, nullable, ...limits }], ...listNested(value, path)];
}

/**
 * Returns the limits of all fields by their path, as in `request.headers[].key`. They are read from
 * the schemas that validate requests.
 */
export function listFieldLimits(fields: TProperties): Readonly<Record<string, FieldLimits>> {
  return Object.fromEntries(listNested(Type.Object(fields) as JsonSchema, ""));
}
