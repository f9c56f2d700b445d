import { isDeepStrictEqual } from "node:util";
import { type Direction, type JsonSchema, readShown, undescribed } from "./json-schema.ts";

/**
 * The schemas of the document. A schema with a title is written once under that name and referenced
 * wherever it is used.
 */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  show(schema: JsonSchema, direction: Direction): JsonSchema {
    const source = readShown(schema);
    const original = schema[undescribed];
    if (original !== undefined) return this.#describe(source, original, direction);
    const shown = this.#showKeywords(source, direction);
    if (shown.title === undefined || !isNamed(source, direction)) return shown;
    return this.#refer(shown.title, shown);
  }

  /**
   * A description beside a field is written beside the reference too; the named schema stays
   * unchanged.
   */
  #describe(source: JsonSchema, original: JsonSchema, direction: Direction): JsonSchema {
    const shown = this.show(original, direction);
    const { description, examples, default: byDefault } = source;
    return {
      ...shown,
      description: description ?? "",
      ...(examples && shown.$ref === undefined && { examples }),
      ...(byDefault !== undefined && direction === "request" && { default: byDefault }),
    };
  }

  /** Returns the schema itself where `show` would return a reference. */
  showInPlace(schema: JsonSchema, direction: Direction): JsonSchema {
    return this.#showKeywords(readShown(schema), direction);
  }

  list(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([one], [two]) => (one < two ? -1 : 1)));
  }

  #refer(title: string, shown: JsonSchema): JsonSchema {
    const { title: _title, ...schema } = shown;
    const known = this.#schemas.get(title);
    if (known !== undefined && !isDeepStrictEqual(known, schema)) {
      throw new Error(`Two different schemas have the title ${title}.`);
    }
    this.#schemas.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }

  #showKeywords(schema: JsonSchema, direction: Direction): JsonSchema {
    const showOne = (part: JsonSchema) => this.show(part, direction);
    const showAll = (parts: Readonly<Record<string, JsonSchema>>) =>
      Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, showOne(part)]));
    // A response has no defaults.
    const { default: byDefault, patternProperties, ...rest } = schema;
    const { anyOf, oneOf, items, properties, additionalProperties, required } = rest;
    return {
      ...rest,
      ...(byDefault !== undefined && direction === "request" && { default: byDefault }),
      ...(anyOf && { anyOf: anyOf.map(showOne) }),
      ...(oneOf && { oneOf: oneOf.map(showOne) }),
      ...(items && { items: showOne(items) }),
      ...(properties && { properties: showAll(properties) }),
      ...(typeof additionalProperties === "object" && {
        additionalProperties: showOne(additionalProperties),
      }),
      ...(patternProperties && { patternProperties: showAll(patternProperties) }),
      ...(required && { required: listRequired(schema, direction) }),
    };
  }
}

function listRequired({ required = [], properties = {} }: JsonSchema, direction: Direction) {
  if (direction === "answer") return required;
  return required.filter((name) => properties[name]?.default === undefined);
}

/**
 * A schema with defaults differs between requests and responses. In requests it is written inline,
 * because client generators treat a default in a named schema as a required field.
 */
function isNamed(schema: JsonSchema, direction: Direction): boolean {
  return direction === "answer" || !hasDefaults(schema);
}

function hasDefaults(schema: JsonSchema): boolean {
  const shown = readShown(schema);
  const { anyOf = [], oneOf = [], items, properties = {}, additionalProperties } = shown;
  const parts = [...anyOf, ...oneOf, ...Object.values(properties)];
  if (items !== undefined) parts.push(items);
  if (typeof additionalProperties === "object") parts.push(additionalProperties);
  return shown.default !== undefined || parts.some(hasDefaults);
}
