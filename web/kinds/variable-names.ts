/** `{{NAME}}` in settings: which names are used, which are defined, and how one is completed. */

const pattern = /\{\{\{?\s{0,20}([A-Za-z_$][\w$]{0,254})\s{0,20}\}\}/g;

/** Defined for every run by the service. */
export const builtInNames: readonly string[] = [
  "ACCOUNT_ID",
  "CHECK_ID",
  "CHECK_NAME",
  "CHECK_TYPE",
  "GROUP_NAME",
  "REGION",
];

/** Every name that a text, a list or an object of settings uses, each once. */
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

/** The names that nobody defines: the service sends them as they are, braces and all. */
export function listUndefinedNames(settings: unknown, defined: Iterable<string>): string[] {
  const known = new Set(defined);
  return listUsedNames(settings).filter((name) => !known.has(name));
}

export interface OpenName {
  /** Where the name begins, after the braces. */
  readonly start: number;
  readonly typed: string;
  /** Where the text goes on after the name and the braces that close it, if any do. */
  readonly end: number;
}

/** The name that is being typed at the caret; null if there is none. */
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

/** Names to offer: those that begin with what is typed before those that contain it. */
export function offerNames(names: readonly string[], typed: string): string[] {
  const wanted = typed.toUpperCase();
  const begins = names.filter((name) => name.toUpperCase().startsWith(wanted));
  const contains = names.filter((name) => name.toUpperCase().includes(wanted));
  return [...new Set([...begins, ...contains])].slice(0, maxOffered);
}
