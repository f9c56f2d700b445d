/** Pure functions that keep the stored value of a field if code omits the field. */
import type { Fields } from "./resource.ts";

/**
 * A payload with its kept fields. The code that existing clients generate for an imported resource
 * omits default values and settings that the clients do not know. An omitted field keeps its stored
 * value until the code sets the field for the first time.
 */
export interface KeptFields {
  readonly payload: Fields;
  readonly keptPaths: readonly (readonly string[])[];
}

/** Fields that contain an object whose inner fields are kept individually. */
const nestedFields = ["config"];
/** Fields that define the type of a resource. If the type changes, no stored fields are kept. */
const typeFields = ["checkType", "type"];

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Adds the stored values of omitted fields to a payload. `deployed` is what the code described in
 * the last deployment; `null` before the first deployment.
 */
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

/** Removes the fields at the given paths. The paths are those of fields that the code omits. */
export function omitFields(fields: Fields, paths: readonly (readonly string[])[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
      const own = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
      if (own.some(({ length }) => length === 0)) return [];
      return [[name, own.length > 0 && isFields(value) ? omitFields(value, own) : value]];
    }),
  );
}
