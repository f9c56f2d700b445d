import { ApiError } from "../api/api-error.ts";

/** What the API says of a field, in its own words; undefined: nothing. */
export function faultOf(error: unknown, key: string): string | undefined {
  if (!(error instanceof ApiError) || error.validation === null) return undefined;
  const isNamed = error.validation.keys.some((one) => one === key || one.startsWith(`${key}.`));
  return isNamed ? error.message : undefined;
}

/** A refusal that no field of the form shows. */
export function faultBeside(error: unknown, keys: readonly string[]): ApiError | null {
  if (!(error instanceof ApiError)) return null;
  return keys.some((key) => faultOf(error, key) !== undefined) ? null : error;
}
