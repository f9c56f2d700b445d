/**
 * Spreadsheets evaluate a cell that begins with one of these characters as a formula, and cells
 * contain user input. A leading apostrophe makes it text.
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

/** Splits one line into cells at commas, semicolons and tabs outside quotes. */
export function readCsvLine(line: string): string[] {
  const cells: string[] = [];
  const cell = /\s*(?:"((?:[^"]|"")*)"|([^,;\t]*))\s*(?:[,;\t]|$)/y;
  while (cell.lastIndex < line.length) {
    const found = cell.exec(line);
    // An unterminated quote: return the line unchanged.
    if (found === null) return [line];
    cells.push((found[1]?.replaceAll('""', '"') ?? found[2] ?? "").trim());
  }
  return cells;
}
