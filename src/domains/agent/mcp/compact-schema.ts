/**
 * Schemas as clients are shown them. A client puts the whole list of tools before a model with
 * every question, so the list says what a model needs and nothing twice.
 */
type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Not shown; the tool itself validates by all of them, and its error names the rule. */
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

/** `anyOf` of a type and null is written as one type that may be null. */
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

/** The parameters of a tool, whole. */
export function compactInput(schema: object): Schema {
  return compact(JSON.parse(JSON.stringify(schema))) as Schema;
}

const innerKeywords = new Set(["properties", "required", "items"]);

/** A list or an object without its fields, which the result itself shows; a figure by its type. */
function cutInner(field: unknown): unknown {
  if (!isObject(field)) return field;
  const isNested = field.items !== undefined || field.properties !== undefined;
  const isKept = (keyword: string) =>
    isNested ? !innerKeywords.has(keyword) : keyword !== "description";
  return Object.fromEntries(Object.entries(field).filter(([keyword]) => isKept(keyword)));
}

/** What a tool returns: the fields of its data, without what is inside them. */
export function compactOutput(schema: object): Schema {
  const data = compactInput(schema);
  const { required: _required, ...rest } = data;
  return isObject(data.properties)
    ? { ...rest, properties: mapValues(data.properties, cutInner) }
    : rest;
}
