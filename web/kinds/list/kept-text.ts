/** A pasted list as a browser's storage may hold it: without passwords. */
import { parseList } from "./parse-list.ts";
import { readJsonRows, readRows } from "./read-rows.ts";

/** `https://user:password@host/` is kept as `https://user:@host/`. */
export function withoutPasswords(text: string): string {
  return text.replaceAll(/(\/\/[^\s/?#:@]*:)[^\s/?#]*@/g, "$1@");
}

/** Whether a URL has a user whose password is not there, as after `withoutPasswords`. */
export function lacksPasswords(text: string): boolean {
  return /\/\/[^\s/?#:@]+:@/.test(text);
}

/** Of what another tool exported only the checks are kept: other columns may hold secrets. */
function writeChecks(text: string): string {
  const lines = parseList(text).items.map(({ name, target, checkType }) => {
    const quoted = name.replaceAll('"', '""').replaceAll(/\s/g, " ");
    return [`"${quoted}"`, target, checkType].join("\t");
  });
  return lines.join("\n");
}

export function toKeptText(text: string): string {
  const isJson = /^\s*[[{]/.test(text);
  const rows = isJson ? readJsonRows(text) : readRows(text);
  // Half a list of objects says nothing that could be kept without its secrets.
  if (rows === null) return "";
  const isExport = isJson || rows.some(({ named }) => named !== null);
  return withoutPasswords(isExport ? writeChecks(text) : text);
}
