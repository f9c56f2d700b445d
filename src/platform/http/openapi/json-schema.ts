/** The subset of JSON Schema used by the API. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly discriminator?: object;
  readonly $ref?: string;
  readonly [undescribed]?: JsonSchema;
  /** Schema that the document shows in place of this one, used when validation has two steps. */
  readonly "x-shown"?: JsonSchema;
  /** Response in other formats than JSON, by media type. */
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

/** Key under which a schema copied by `Described` stores its original schema. */
export const undescribed = Symbol("undescribed");

/** Where a schema is used. In a request, a field with a default is optional. */
export type Direction = "request" | "answer";

/** Returns the schema as documented. A field's description overrides that of its type. */
export function readShown(schema: JsonSchema): JsonSchema {
  const { "x-shown": shown, description, examples, default: byDefault } = schema;
  if (shown === undefined) return schema;
  return {
    ...shown,
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    ...(byDefault !== undefined && { default: byDefault }),
  };
}
