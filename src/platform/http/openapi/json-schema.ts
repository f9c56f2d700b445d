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
  /**
   * Schema that the document shows in place of this one, for example because this schema accepts
   * any value and the handler validates it.
   */
  readonly "x-shown"?: JsonSchema;
  /** Schemas of the response by media type, if it is not always JSON. */
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

/** Key under which a schema copied by `Described` stores its original schema. */
export const undescribed = Symbol("undescribed");

/** Where a schema is used. In a request, fields with a default are optional. */
export type Direction = "request" | "answer";

/**
 * Returns the schema that the document shows. The description of a field replaces the description
 * of its type.
 */
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
