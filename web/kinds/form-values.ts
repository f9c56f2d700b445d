/** Types of the values in a check's form, derived from the generated types of the API. */
import type { Schemas } from "../api/client.ts";
import type { PartOf } from "../parts/fields.ts";

/** Functions that find and complete `{{NAME}}` variables in settings. */

const pattern = /\{\{\{?\s{0,20}([A-Za-z_$][\w$]{0,254})\s{0,20}\}\}/g;

/** Names of variables that the server defines for every run. */
export const builtInNames: readonly string[] = [
  "ACCOUNT_ID",
  "CHECK_ID",
  "CHECK_NAME",
  "CHECK_RESULT_ID",
  "CHECK_TYPE",
  "GROUP_NAME",
  "REGION",
  "RUNTIME_VERSION",
];

/** Returns the distinct names of all variables in the settings. */
export function listUsedNames(settings: unknown): string[] {
  const found = new Set<string>();
  const search = (value: unknown) => {
    if (typeof value === "string") {
      for (const [, name = ""] of value.matchAll(pattern)) found.add(name);
    } else if (typeof value === "object" && value !== null) Object.values(value).forEach(search);
  };
  search(settings);
  return [...found];
}

/**
 * Returns the names of undefined variables in the settings. The server sends such variables
 * unchanged.
 */
export function listUndefinedNames(settings: unknown, defined: Iterable<string>): string[] {
  const known = new Set(defined);
  return listUsedNames(settings).filter((name) => !known.has(name));
}

interface OpenName {
  /** Index at which the name starts, after the opening braces. */
  readonly start: number;
  readonly typed: string;
  /** Index after the name and any closing braces. */
  readonly end: number;
}

/** Returns the unfinished variable name at the caret; `null` if there is none. */
export function findOpenName(text: string, caret: number): OpenName | null {
  const before = /\{\{\{?\s{0,20}([A-Za-z_$][\w$]{0,254})?$/.exec(text.slice(0, caret));
  if (before === null) return null;
  const [, typed = ""] = before;
  const [rest = ""] = /^[\w$]*\s{0,20}\}{0,3}/.exec(text.slice(caret)) ?? [];
  return { start: caret - typed.length, typed, end: caret + rest.length };
}

export function completeName(
  text: string,
  { start, end }: OpenName,
  name: string,
): { readonly text: string; readonly caret: number } {
  const braces = text.slice(0, start).trimEnd().endsWith("{{{") ? "}}}" : "}}";
  const completed = `${text.slice(0, start)}${name}${braces}`;
  return { text: completed + text.slice(end), caret: completed.length };
}

const maxOffered = 8;

/**
 * Returns suggested names: first the names that start with the typed text, then other names that
 * contain it.
 */
export function offerNames(names: readonly string[], typed: string): string[] {
  const prefix = typed.toUpperCase();
  const begins = names.filter((name) => name.toUpperCase().startsWith(prefix));
  const contains = names.filter((name) => name.toUpperCase().includes(prefix));
  return [...new Set([...begins, ...contains])].slice(0, maxOffered);
}

export type Check = Schemas["Check"];
export type CheckType = Check["checkType"];
/**
 * Fields of a check that the form does not edit, because the server or other resources set them.
 */
type ServerField = "id" | "created_at" | "updated_at" | "alertChannels" | "groupOrder";

/** Form value of a number; `null` while the field is empty, which the API may reject. */
type Emptiable<Value> = Value extends number
  ? Value | null
  : Value extends readonly (infer Entry)[]
    ? readonly Emptiable<Entry>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Emptiable<Value[Name]> }
      : Value;

type EditedCheck<Type extends CheckType> = Omit<Extract<Check, { checkType: Type }>, ServerField>;

/** Form values of a check of one type. Any value may be missing, as in a draft. */
export type CheckValues<Type extends CheckType> = {
  readonly [Name in keyof EditedCheck<Type>]?:
    | PartOf<Emptiable<EditedCheck<Type>[Name]>>
    | undefined;
};

type FieldName<Value> = Value extends unknown ? keyof Value : never;
type FieldValue<Value, Name> = Value extends unknown
  ? Name extends keyof Value
    ? Value[Name]
    : never
  : never;
type ValuesOfEachType = { [Type in CheckType]: CheckValues<Type> }[CheckType];

export type AnyValues = {
  readonly [Name in FieldName<ValuesOfEachType>]?: FieldValue<ValuesOfEachType, Name> | undefined;
};

export type CheckKind = Omit<Schemas["CheckKind"], "defaults"> & { readonly defaults: AnyValues };
