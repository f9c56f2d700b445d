/** Types of the values in the form of a check, derived from the generated types of the API. */
import type { Schemas } from "../api/client.ts";
import type { PartOf } from "../parts/fields.ts";

/** Finds and completes `{{NAME}}` variables in settings. */

const pattern = /\{\{\{?\s{0,20}([A-Za-z_$][\w$]{0,254})\s{0,20}\}\}/g;

/** Defined by the server for every run. */
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

/** Returns every variable name used in the settings, each once. */
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
 * Returns the names that are not defined. The server sends them unchanged, including the braces.
 */
export function listUndefinedNames(settings: unknown, defined: Iterable<string>): string[] {
  const known = new Set(defined);
  return listUsedNames(settings).filter((name) => !known.has(name));
}

interface OpenName {
  /** Start of the name, after the braces. */
  readonly start: number;
  readonly typed: string;
  /** End of the name, including closing braces if present. */
  readonly end: number;
}

/** Returns the unfinished variable name at the caret, or `null`. */
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

/** Returns suggestions: names that start with the typed text before names that contain it. */
export function offerNames(names: readonly string[], typed: string): string[] {
  const prefix = typed.toUpperCase();
  const begins = names.filter((name) => name.toUpperCase().startsWith(prefix));
  const contains = names.filter((name) => name.toUpperCase().includes(prefix));
  return [...new Set([...begins, ...contains])].slice(0, maxOffered);
}

export type Check = Schemas["Check"];
export type CheckType = Check["checkType"];
/** Fields set by the server or by other resources. */
type ServerField = "id" | "created_at" | "updated_at" | "alertChannels" | "groupOrder";

/** A field for a number is `null` while it is empty. The API rejects that where it must not be. */
type Emptiable<Value> = Value extends number
  ? Value | null
  : Value extends readonly (infer Entry)[]
    ? readonly Emptiable<Entry>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Emptiable<Value[Name]> }
      : Value;

type EditedCheck<Type extends CheckType> = Omit<Extract<Check, { checkType: Type }>, ServerField>;

/** Form values of a check of one type. Any part may be missing, as in a draft. */
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

/** Form values of a check of any type. */
export type AnyValues = {
  readonly [Name in FieldName<ValuesOfEachType>]?: FieldValue<ValuesOfEachType, Name> | undefined;
};

/** Defaults and limits of a check type. */
export type CheckKind = Omit<Schemas["CheckKind"], "defaults"> & { readonly defaults: AnyValues };
