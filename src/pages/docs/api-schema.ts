/** Describes the types and limits of schemas in words. */

/** The parts of a JSON schema that the API reference shows. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly $ref?: string;
}

/** Returns the name of the component that a schema refers to. */
export function nameOf(schema: JsonSchema): string | undefined {
  return schema.$ref?.split("/").at(-1);
}

export function describeType(schema: JsonSchema): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (schema.enum !== undefined) return schema.enum.map(String).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const branches = schema.type === undefined ? (schema.anyOf ?? schema.oneOf) : undefined;
  if (branches !== undefined) return branches.map(describeType).join(" or ");
  if (schema.type === "array") return `array of ${describeType(schema.items ?? {})}`;
  const type = [schema.type ?? "any"].flat().join(" or ");
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

const inWords = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

function describeLimits(schema: JsonSchema): string {
  const limits = [
    schema.default === undefined ? null : `default ${inWords(schema.default)}`,
    schema.minimum === undefined ? null : `at least ${schema.minimum}`,
    schema.maximum === undefined ? null : `at most ${schema.maximum}`,
    schema.minLength === undefined ? null : `${schema.minLength} or more characters`,
    schema.maxLength === undefined ? null : `up to ${schema.maxLength} characters`,
    schema.minItems === undefined ? null : `${schema.minItems} or more items`,
    schema.maxItems === undefined ? null : `up to ${schema.maxItems} items`,
  ];
  return limits.filter((part) => part !== null).join(", ");
}

export function findLimits(schema: JsonSchema): string {
  const branches = schema.type === undefined ? (schema.anyOf ?? []) : [];
  const own = describeLimits(schema);
  return [own, ...branches.map(describeLimits)].filter((part) => part !== "").join(", ");
}
