/**
 * Spreadsheets run a cell that begins with one of these signs as a formula, and cells hold what
 * people typed. An apostrophe before it makes it text.
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

/** The cells of one line; commas, semicolons and tabs divide them outside quotes. */
export function readCsvLine(line: string): string[] {
  const cells: string[] = [];
  const cell = /\s*(?:"((?:[^"]|"")*)"|([^,;\t]*))\s*(?:[,;\t]|$)/y;
  while (cell.lastIndex < line.length) {
    const found = cell.exec(line);
    // A quote that never ends: the line is taken as it stands.
    if (found === null) return [line];
    cells.push((found[1]?.replaceAll('""', '"') ?? found[2] ?? "").trim());
  }
  return cells;
}
