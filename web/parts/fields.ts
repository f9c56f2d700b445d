/** Settings as in the API, addressed by the paths of its validation errors. */

export type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

/** Returns the value at a path such as `request.headers.0.key`, or `undefined`. */
export function getAt(fields: unknown, path: string): unknown {
  let value: unknown = fields;
  for (const name of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Returns a copy with another value at a path. Missing parents are created. */
export function setAt(fields: Fields, path: string, value: unknown): Fields {
  const [first = "", ...rest] = path.split(".");
  const inner = fields[first];
  const next =
    rest.length === 0 ? value : setAt(isObject(inner) ? inner : {}, rest.join("."), value);
  if (!Array.isArray(fields)) return { ...fields, [first]: next };
  const copy: unknown[] = [...fields];
  copy[Number(first)] = next;
  return copy as unknown as Fields;
}

/** Returns a copy without the value at a path. */
export function omitAt(fields: Fields, path: string): Fields {
  const [first = "", ...rest] = path.split(".");
  const { [first]: inner, ...others } = fields;
  if (rest.length === 0) return others;
  return isObject(inner) ? { ...fields, [first]: omitAt(inner, rest.join(".")) } : fields;
}

/** Merges `over` into `under` recursively. Arrays are replaced, not merged. */
export function mergeFields(under: Fields, over: Fields): Fields {
  const merged: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const before = merged[name];
    const isNested = isObject(value) && !Array.isArray(value) && isObject(before);
    merged[name] = isNested && !Array.isArray(before) ? mergeFields(before, value) : value;
  }
  return merged;
}

export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) {
    return false;
  }
  // `undefined` properties are not sent, so they count as missing.
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSame(one[name], other[name]));
}

export const getText = (fields: Fields, path: string): string => {
  const value = getAt(fields, path);
  return typeof value === "string" ? value : "";
};

export const getNumber = (fields: Fields, path: string): number | null => {
  const value = getAt(fields, path);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
};

export const getFlag = (fields: Fields, path: string): boolean => getAt(fields, path) === true;

export function getList(fields: Fields, path: string): readonly Fields[] {
  const value = getAt(fields, path);
  return Array.isArray(value) ? value.filter(isObject) : [];
}
