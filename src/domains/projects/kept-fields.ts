/** Pure: fields of an imported resource that its code does not mention. */
import type { Fields } from "./resource.ts";

/**
 * The code that existing clients write for an imported resource leaves out default values and
 * settings that they do not know. Such a field keeps its stored value until the code sets it once.
 */
export interface KeptFields {
  readonly payload: Fields;
  readonly keptPaths: readonly (readonly string[])[];
}

/** Objects whose fields are kept one by one. */
const nestedFields = ["config"];
/** A resource of another type does not get fields of the former one. */
const typeFields = ["checkType", "type"];

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `deployed` is what the code described last; `null` before the first deployment. */
export function keepFields(
  payload: Fields,
  stored: Fields | null,
  deployed: Fields | null,
): KeptFields {
  const isOther = typeFields.some((name) => name in payload && payload[name] !== stored?.[name]);
  if (stored === null || isOther) return { payload, keptPaths: [] };
  const kept = Object.keys(stored).filter(
    (name) =>
      payload[name] === undefined && deployed?.[name] === undefined && stored[name] !== null,
  );
  const inner = nestedFields.flatMap((name) => {
    const [own, before, last] = [payload[name], stored[name], deployed?.[name] ?? null];
    if (!isFields(own) || !isFields(before)) return [];
    return [{ name, ...keepFields(own, before, isFields(last) ? last : null) }];
  });
  return {
    payload: {
      ...payload,
      ...Object.fromEntries(kept.map((name) => [name, stored[name]])),
      ...Object.fromEntries(inner.map((one) => [one.name, one.payload])),
    },
    keptPaths: [
      ...kept.map((name) => [name]),
      ...inner.flatMap(({ name, keptPaths }) => keptPaths.map((path) => [name, ...path])),
    ],
  };
}

/** Returns the fields without those that the code does not mention. */
export function omitFields(fields: Fields, paths: readonly (readonly string[])[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
      const own = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
      if (own.some(({ length }) => length === 0)) return [];
      return [[name, own.length > 0 && isFields(value) ? omitFields(value, own) : value]];
    }),
  );
}
