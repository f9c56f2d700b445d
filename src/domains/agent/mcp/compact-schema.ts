/**
 * Shortens schemas for MCP clients. A client sends the whole list of tools to its model with every
 * question, so the list contains only what a model needs.
 */
type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Omitted keywords; the tool itself still validates them, and its error names the rule. */
const silentKeywords = new Set([
  "examples",
  "x-rule",
  "discriminator",
  "uniqueItems",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "pattern",
]);

function isSilent(keyword: string, value: unknown): boolean {
  if (silentKeywords.has(keyword)) return true;
  if (keyword === "additionalProperties") return value === false;
  return keyword === "default" && isObject(value);
}

/** Writes `anyOf` of a type and null as one nullable type. */
function joinNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [first, second] = anyOf as [Schema, Schema];
  if (second.type !== "null" || typeof first.type !== "string") return schema;
  const allowed = Array.isArray(first.enum) ? { enum: [...first.enum, null] } : {};
  return { ...first, ...rest, type: [first.type, "null"], ...allowed };
}

function mapValues(schema: Schema, change: (value: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, change(value)]));
}

function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([keyword, one]) => !isSilent(keyword, one));
  return joinNull(
    Object.fromEntries(
      kept.map(([keyword, one]) => [
        keyword,
        keyword === "properties" && isObject(one) ? mapValues(one, compact) : compact(one),
      ]),
    ),
  );
}

/** Returns the complete parameters of a tool. */
export function compactInput(schema: object): Schema {
  return compact(JSON.parse(JSON.stringify(schema))) as Schema;
}

const innerKeywords = new Set(["properties", "required", "items"]);

/** Removes the fields of a nested list or object, which the result itself shows. */
function cutInner(field: unknown): unknown {
  if (!isObject(field)) return field;
  const isNested = field.items !== undefined || field.properties !== undefined;
  const isKept = (keyword: string) =>
    isNested ? !innerKeywords.has(keyword) : keyword !== "description";
  return Object.fromEntries(Object.entries(field).filter(([keyword]) => isKept(keyword)));
}

/** Returns the top-level fields of a tool's data. */
export function compactOutput(schema: object): Schema {
  const data = compactInput(schema);
  const { required: _required, ...rest } = data;
  return isObject(data.properties)
    ? { ...rest, properties: mapValues(data.properties, cutInner) }
    : rest;
}
