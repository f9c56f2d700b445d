import type { FastifySchemaValidationError } from "fastify/types/schema.js";

/**
 * Key under which a schema with a `pattern` states its rule. A rule describes what a field must
 * contain, in words that follow the name of the field: "must start with a letter".
 */
export const ruleKey = "x-rule";

/** The schema that a value violates, with the fields that describe its rule. */
interface ParentSchema {
  readonly [ruleKey]?: string;
  readonly type?: string | readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/**
 * Returns the schema that was violated. Ajv adds it to the error (`verbose`), but Fastify's type
 * does not declare it.
 */
function parentOf(error: FastifySchemaValidationError): ParentSchema {
  return (error as { readonly parentSchema?: ParentSchema }).parentSchema ?? {};
}

const typeWords: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

const formatWords: Readonly<Record<string, string>> = {
  uuid: "a UUID, such as 7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10",
  "date-time": "a date and time, such as 2026-01-31T09:30:00Z",
  date: "a date, such as 2026-01-31",
  email: "an e-mail address, such as anna@example.com",
  uri: "a URL, such as https://example.com/",
};

function count(limit: unknown, noun: string, nouns: string): string {
  return limit === 1 ? `1 ${noun}` : `${String(limit)} ${nouns}`;
}

function describeRange(parent: ParentSchema): string {
  const { minimum, maximum } = parent;
  if (minimum !== undefined && maximum !== undefined) {
    return `must be between ${minimum} and ${maximum}`;
  }
  return minimum === undefined ? `must be at most ${maximum}` : `must be at least ${minimum}`;
}

function describeType(types: unknown): string {
  const names = Array.isArray(types) ? types : String(types).split(",");
  return `must be ${names.map((name) => typeWords[name] ?? name).join(" or ")}`;
}

type Describe = (params: Readonly<Record<string, unknown>>, parent: ParentSchema) => string;

const describers: Readonly<Record<string, Describe>> = {
  required: () => "is required",
  type: ({ type }, parent) => describeType(parent.type ?? type),
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).join(", ")}`,
  const: ({ allowedValue }) => `must be ${String(allowedValue)}`,
  discriminator: ({ tagValue }) =>
    tagValue === undefined ? "is required" : "has a value that is not supported",
  format: ({ format }) => `must be ${formatWords[String(format)] ?? `a valid ${String(format)}`}`,
  pattern: () => "has a form that is not allowed",
  minLength: ({ limit }) =>
    limit === 1
      ? "must not be empty"
      : `must have at least ${count(limit, "character", "characters")}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, "character", "characters")}`,
  minItems: ({ limit }) => `must have at least ${count(limit, "entry", "entries")}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, "entry", "entries")}`,
  minProperties: ({ limit }) => `must have at least ${count(limit, "field", "fields")}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, "field", "fields")}`,
  uniqueItems: () => "must not contain the same entry twice",
  minimum: (_params, parent) => describeRange(parent),
  maximum: (_params, parent) => describeRange(parent),
  exclusiveMinimum: ({ limit }) => `must be greater than ${String(limit)}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${String(limit)}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
  additionalProperties: ({ additionalProperty }) =>
    `must not have the field ${String(additionalProperty)}`,
};

/** Keywords about text. If a schema states its own rule, the rule replaces their message. */
const textKeywords = new Set(["pattern", "minLength"]);

/** Returns the rule that a field violates, in words that follow the name of the field. */
export function describeRule(error: FastifySchemaValidationError): string {
  const parent = parentOf(error);
  const rule = parent[ruleKey];
  if (rule !== undefined && textKeywords.has(error.keyword)) return rule;
  const describe = describers[error.keyword];
  return describe?.(error.params, parent) ?? error.message ?? "is not valid";
}

/** Joins the rules of a field's alternatives, with `null` last: "must be a string, or be null". */
export function joinRules(rules: readonly string[]): string {
  const different = [...new Set(rules)];
  const nullRule = "must be null";
  const others = different.filter((rule) => rule !== nullRule);
  if (others.length === 0) return nullRule;
  const isNullable = others.length < different.length;
  return others.join(" or ") + (isNullable ? ", or be null" : "");
}
