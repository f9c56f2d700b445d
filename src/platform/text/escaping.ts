/** Escapes untrusted text. Each function is pure and serves one markup language. */
import { toOneLine } from "./clip.ts";

/**
 * Characters with which a spreadsheet formula starts. Cells may contain user input, so a leading
 * apostrophe turns such a cell into plain text.
 */
const formulaStart = /^[=+\-@\t\r\n]/;

export function toCsvCell(value: string | null): string {
  const text = value ?? "";
  const safe = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function writeCsvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(toCsvCell).join(",")}\r\n`;
}

/** Splits a line into cells at commas, semicolons and tabs that are not inside quotes. */
export function readCsvLine(line: string): string[] {
  const cells: string[] = [];
  const cell = /\s*(?:"((?:[^"]|"")*)"|([^,;\t]*))\s*(?:[,;\t]|$)/y;
  while (cell.lastIndex < line.length) {
    const found = cell.exec(line);
    // A quote is not terminated. Return the whole line as one cell.
    if (found === null) return [line];
    cells.push((found[1]?.replaceAll('""', '"') ?? found[2] ?? "").trim());
  }
  return cells;
}

/** Escapes `&`, `<` and `>`. Slack would otherwise interpret mentions and links in the text. */
export function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_~|>#[\]()<!+-]/g, "\\$&");
}

/** Escapes Markdown, and adds a zero-width space after each `@`, which prevents mentions. */
export function escapeMattermost(text: string): string {
  return escapeMarkdown(text).replaceAll("@", "@\u200b");
}

/**
 * Escapes one line that may be shown as Markdown or as plain text. Escapes only characters that
 * have a meaning in Markdown, so that names and addresses remain readable as plain text.
 */
export function toMarkdownLine(text: string): string {
  return toOneLine(text)
    .replaceAll(/[\\`*[\]<~|]|&(?=[#\w]+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&")
    .replace(/^(?:[#>+=-]|\d+(?=[.)](?:\s|$)))/, (start) =>
      /^\d/.test(start) ? `${start}\\` : `\\${start}`,
    );
}

/** Escapes text for use inside a JSON string. */
export function escapeJson(text: string): string {
  return JSON.stringify(text.toWellFormed()).slice(1, -1);
}
