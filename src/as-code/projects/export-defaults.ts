/** Pure functions that find default values of fields, so that an export can omit the fields. */
import { isDeepStrictEqual } from "node:util";
import { type AdaptedType, adapters } from "./adapters/index.ts";
import { type Fields, toFields } from "./resource.ts";

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Path = readonly string[];

/** Lists the paths of all fields, parents before their inner fields. A list counts as one value. */
function listPaths(fields: Fields, prefix: Path = []): Path[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = [...prefix, name];
    return [path, ...(isFields(value) ? listPaths(value, path) : [])];
  });
}

function readPath(fields: Fields, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (isFields(value) ? value[step] : undefined), fields);
}

function withoutPath(fields: Fields, [first = "", ...rest]: Path): Fields {
  const { [first]: inner, ...others } = fields;
  if (rest.length === 0) return others;
  return isFields(inner) ? { ...fields, [first]: withoutPath(inner, rest) } : fields;
}

function withPath(fields: Fields, [first = "", ...rest]: Path, value: unknown): Fields {
  const inner = fields[first];
  if (rest.length === 0) return { ...fields, [first]: value };
  return { ...fields, [first]: withPath(isFields(inner) ? inner : {}, rest, value) };
}

/** Value that a field gets if the body omits the field; `null` if the field is required. */
type Default = { readonly value: unknown } | null;

/**
 * Finds the default value of a field by parsing a body that omits the field. Each result is cached
 * by type and field.
 */
export class DefaultFinder {
  private readonly known = new Map<string, Default>();

  private parse(type: AdaptedType, payload: Fields): Fields | null {
    try {
      return toFields(adapters[type].parse(payload, null).definition.clear);
    } catch {
      return null;
    }
  }

  private findDefault(type: AdaptedType, clear: Fields, path: Path): Default {
    const kind = String(clear.checkType ?? clear.type ?? "");
    const key = `${type} ${kind} ${JSON.stringify(path)}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const parsed = this.parse(type, withoutPath(clear, path));
    const found = parsed && { value: readPath(parsed, path) };
    this.known.set(key, found);
    return found;
  }

  /**
   * Converts a definition to a body. A `null` that an omitted field would get anyway is removed.
   */
  private toBody(type: AdaptedType, clear: Fields): Fields {
    const nulls = listPaths(clear).filter((path) => readPath(clear, path) === null);
    const bare = nulls.reduce(withoutPath, clear);
    const parsed = this.parse(type, bare);
    if (parsed === null) return clear;
    const needed = nulls.filter((path) => (readPath(parsed, path) ?? null) !== null);
    return needed.reduce((body, path) => withPath(body, path, null), bare);
  }

  /** Returns a body without default values. Parsing this body gives the same definition. */
  leaveOut(type: AdaptedType, definition: Fields): Fields {
    const clear = toFields(definition);
    const body = this.toBody(type, clear);
    const whole = this.parse(type, body);
    if (whole === null) return body;
    const usual = listPaths(body).filter((path) => {
      const found = this.findDefault(type, body, path);
      return found !== null && isDeepStrictEqual(found.value, readPath(body, path));
    });
    const small = usual.reduce(withoutPath, body);
    if (isDeepStrictEqual(this.parse(type, small), whole)) return small;
    // Some defaults depend on other fields, so the fields are removed one after the other.
    return usual.reduce((left: Fields, path) => {
      const next = withoutPath(left, path);
      return isDeepStrictEqual(this.parse(type, next), whole) ? next : left;
    }, body);
  }
}
