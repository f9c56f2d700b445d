/**
 * Reads and changes settings by path. The paths have the same form as in the API's validation
 * errors.
 */

export type Fields = Readonly<Record<string, unknown>>;

/** Paths of all values in an object: `request`, `request.headers`, `request.headers.0.key`. */
export type PathOf<Value> = Value extends readonly (infer Entry)[]
  ? `${number}` | `${number}.${PathOf<Entry>}`
  : Value extends object
    ? {
        [Name in keyof Value & string]-?: Name | `${Name}.${PathOf<NonNullable<Value[Name]>>}`;
      }[keyof Value & string]
    : never;

type Member<Value, Name> = Value extends readonly (infer Entry)[]
  ? Entry
  : Value extends object
    ? Name extends keyof Value
      ? Value[Name]
      : never
    : never;

/** Type of the value at a path. */
export type ValueAt<Value, Path> = Path extends `${infer First}.${infer Rest}`
  ? ValueAt<Member<Value, First>, Rest>
  : Member<Value, Path>;

/** Paths at which an object has values of the type `Wanted`. */
export type PathTo<Value, Wanted, Path = PathOf<Value>> = Path extends unknown
  ? [ValueAt<Value, Path>] extends [Wanted | null | undefined]
    ? Path
    : never
  : never;

/** An object type of which any field may be missing, except entries of lists. */
export type PartOf<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]?: PartOf<Value[Name]> | undefined }
    : Value;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

/** Returns the value at a path such as `request.headers.0.key`; `undefined` if there is none. */
export function getAt(fields: unknown, path: string): unknown {
  let value: unknown = fields;
  for (const name of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Returns a copy with a new value at a path. Missing parent objects are created. */
export function setAt<Values extends object>(values: Values, path: string, value: unknown): Values {
  const [first = "", ...rest] = path.split(".");
  const inner = getAt(values, first);
  const next =
    rest.length === 0 ? value : setAt(isObject(inner) ? inner : {}, rest.join("."), value);
  if (!Array.isArray(values)) return { ...values, [first]: next };
  const copy = [...values];
  copy[Number(first)] = next;
  return copy as typeof values;
}

/** Returns a copy without the value at a path. */
export function omitAt<Values extends object>(values: Values, path: string): Values {
  const [first = "", ...rest] = path.split(".");
  const inner = getAt(values, first);
  if (rest.length > 0) {
    return isObject(inner) ? { ...values, [first]: omitAt(inner, rest.join(".")) } : values;
  }
  const others = Object.entries(values).filter(([name]) => name !== first);
  return Object.fromEntries(others) as Values;
}

/** Merges `over` into `under` recursively. Arrays are replaced, not merged. */
export function mergeFields<Values extends object>(under: Values, over: object): Values {
  const merged = new Map<string, unknown>(Object.entries(under));
  for (const [name, value] of Object.entries(over)) {
    const before = merged.get(name);
    const isNested = isObject(value) && !Array.isArray(value) && isObject(before);
    merged.set(name, isNested && !Array.isArray(before) ? mergeFields(before, value) : value);
  }
  return Object.fromEntries(merged) as Values;
}

export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) {
    return false;
  }
  // A property with the value `undefined` is not sent, so it counts as missing.
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSame(one[name], other[name]));
}

// Functions that read form values. They check the type of each value, because a value may have any
// type: drafts may contain old structures, and an invalid number is stored as text.

export function getText<Values extends object>(values: Values, path: PathOf<Values>): string {
  const value = getAt(values, path);
  return typeof value === "string" ? value : "";
}

export function getNumber<Values extends object>(
  values: Values,
  path: PathOf<Values>,
): number | null {
  const value = getAt(values, path);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function getFlag<Values extends object>(values: Values, path: PathOf<Values>): boolean {
  return getAt(values, path) === true;
}

type EntryOf<List> = List extends readonly (infer Entry)[] ? Entry : never;

/** Returns the entries of a list that are objects. */
export function getList<Values extends object, Path extends PathOf<Values>>(
  values: Values,
  path: Path,
): readonly PartOf<EntryOf<ValueAt<Values, Path>>>[] {
  const value = getAt(values, path);
  return Array.isArray(value) ? value.filter((one) => Boolean(isObject(one))) : [];
}

/** Returns the entries of a list that are texts. */
export function getTexts<Values extends object, Path extends PathTo<Values, readonly string[]>>(
  values: Values,
  path: Path,
): readonly EntryOf<ValueAt<Values, Path>>[] {
  const value = getAt(values, String(path));
  return Array.isArray(value) ? value.filter((one) => String(one) === one) : [];
}
