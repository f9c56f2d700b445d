/** Prepares a pasted list for browser storage by removing passwords. */
import { withoutPasswords } from "../../parts/secrets.ts";
import { parseList, readJsonRows, readRows } from "./parse-list.ts";

/** Keeps only the checks of another tool's export, because other columns may contain secrets. */
function writeChecks(text: string): string {
  const lines = parseList(text).items.map(({ name, target, checkType }) => {
    const quoted = name.replaceAll('"', '""').replaceAll(/\s/g, " ");
    return [`"${quoted}"`, target, checkType].join("\t");
  });
  return lines.join("\n");
}

export function toStoredText(text: string): string {
  const isJson = /^\s*[[{]/.test(text);
  const rows = isJson ? readJsonRows(text) : readRows(text);
  // An incomplete JSON list cannot be parsed, so its secrets cannot be removed.
  if (rows === null) return "";
  const isExport = isJson || rows.some(({ named }) => named !== null);
  return withoutPasswords(isExport ? writeChecks(text) : text);
}
