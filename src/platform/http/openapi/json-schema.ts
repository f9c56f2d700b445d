/** The part of JSON Schema that our wire uses. */
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
  /** What the document shows in place of a schema that is checked in two steps. */
  readonly "x-shown"?: JsonSchema;
  /** An answer in forms other than JSON, by media type. */
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

/** Where a schema that was given words of its own keeps the one it is a copy of. */
export const undescribed = Symbol("undescribed");

/** In a request a field with a default may be left out; in an answer it is always there. */
export type Direction = "request" | "answer";

/** The schema as the document shows it; words beside a field win over those of its type. */
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
