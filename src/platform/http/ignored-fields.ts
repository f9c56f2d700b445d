import { allowedSlips, measureEditDistance } from "../text/compare.ts";
import { type JsonSchema, readShown } from "./openapi/json-schema.ts";

/**
 * Response header that names the unknown fields of a body, so that the caller notices a typo.
 * Unknown fields are accepted, because many clients send additional fields.
 */
export const ignoredFieldsHeader = "x-ignored-fields";

const maxNamed = 10;
const maxNameLength = 60;
const maxDepth = 8;

interface Ignored {
  readonly path: string;
  readonly name: string;
  /** Known fields of the same object, of which the caller may have meant one. */
  readonly known: ReadonlyMap<string, unknown>;
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a branch of a union cannot apply to a value, because a constant field differs. */
function isOtherKind(branch: JsonSchema, value: Fields): boolean {
  return Object.entries(branch.properties ?? {}).some(
    ([name, field]) => field.const !== undefined && name in value && field.const !== value[name],
  );
}

/** Returns the schemas of objects and lists that may apply to a value. */
function listShapes(schema: JsonSchema, value: unknown): JsonSchema[] {
  const shown = readShown(schema);
  const branches = [...(shown.anyOf ?? []), ...(shown.oneOf ?? [])];
  const fitting = isObject(value)
    ? branches.filter((branch) => !isOtherKind(branch, value))
    : branches;
  const own = shown.properties !== undefined || shown.items !== undefined || branches.length === 0;
  return [...(own ? [shown] : []), ...fitting.flatMap((branch) => listShapes(branch, value))];
}

/** Whether a schema allows any field, so that the object cannot have unknown fields. */
function isOpen({ properties, patternProperties, additionalProperties }: JsonSchema): boolean {
  return (
    properties === undefined ||
    patternProperties !== undefined ||
    (additionalProperties !== undefined && additionalProperties !== false)
  );
}

function findMeant(name: string, known: Iterable<string>): string | null {
  const sought = name.toLowerCase();
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const candidate of known) {
    const limit = Math.max(1, allowedSlips(candidate.length));
    const distance = measureEditDistance(sought, candidate.toLowerCase(), limit);
    if (distance <= limit && (best === null || distance < best.distance)) {
      best = { name: candidate, distance };
    }
  }
  return best?.name ?? null;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function findInObject(shapes: readonly JsonSchema[], value: Fields, path: string): Ignored[] {
  const objects = shapes.filter(
    ({ type }) => type === undefined || [type].flat().includes("object"),
  );
  if (objects.length === 0 || objects.some(isOpen)) return [];
  const known = new Map<string, JsonSchema[]>();
  for (const { properties = {} } of objects) {
    for (const [name, field] of Object.entries(properties)) {
      known.set(name, [...(known.get(name) ?? []), field]);
    }
  }
  return Object.entries(value).flatMap(([name, field]) => {
    const place = join(path, name);
    const schemas = known.get(name);
    if (schemas === undefined) return [{ path: place, name, known }];
    return findIgnored(schemas, field, place);
  });
}

function findIgnored(schemas: readonly JsonSchema[], value: unknown, path: string): Ignored[] {
  if (path.split(".").length > maxDepth) return [];
  const shapes = schemas.flatMap((schema) => listShapes(schema, value));
  if (isObject(value)) return findInObject(shapes, value, path);
  if (!Array.isArray(value)) return [];
  const items = shapes.flatMap(({ items: one }) => one ?? []);
  if (items.length === 0) return [];
  return value.slice(0, maxNamed).flatMap((one, index) => {
    return findIgnored(items, one, join(path, `${index}`));
  });
}

/** Makes a name safe for a header, which may contain only printable ASCII. */
function writeName(text: string): string {
  return text.replace(/[^\w.$@-]/g, "?").slice(0, maxNameLength);
}

/** Returns the value of the header that lists unknown fields of a body, or `null` if none. */
export function describeIgnoredFields(schema: object, body: unknown): string | null {
  const ignored = findIgnored([schema as JsonSchema], body, "");
  if (ignored.length === 0) return null;
  // Only a few are compared with the known fields, because a body may have thousands.
  const named = ignored.slice(0, maxNamed).map(({ path, name, known }) => {
    const meant = findMeant(name, known.keys());
    return writeName(path) + (meant === null ? "" : ` (did you mean ${writeName(meant)}?)`);
  });
  const more = ignored.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}
