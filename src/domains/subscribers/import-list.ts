import { readCsvLine } from "../../platform/text/escaping.ts";
import { type ParsedAddress, parseAddress } from "./subscriber.ts";

export const maxImportLines = 5_000;
export const maxImportLength = 500_000;
const maxShownLength = 120;

/** An invalid line and its error. */
export interface LineFault {
  /** Starts at 1, as in editors. */
  readonly line: number;
  readonly text: string;
  readonly rule: string;
}

export interface ImportList {
  readonly parsed: readonly ParsedAddress[];
  readonly faults: readonly LineFault[];
}

/** Returns the column with the addresses; `null` if the first line is not a heading. */
function findHeading(cells: readonly string[]): number | null {
  const at = cells.findIndex((cell) => /^(?:e-?mail|address)(?: address)?$/i.test(cell));
  return at === -1 ? null : at;
}

/** Reads `Ada <ada@example.com>`, as copied from mail programs. */
function takeAddress(cell: string): string {
  return /<([^<>]+)>\s*$/.exec(cell)?.[1] ?? cell;
}

function chooseCell(cells: readonly string[], column: number | null): string {
  if (column !== null) return cells[column] ?? "";
  return cells.find((cell) => cell.includes("@")) ?? cells[0] ?? "";
}

/**
 * Parses one email address per line, or a table with a column of them; every line is validated
 * separately.
 */
export function parseImportList(text: string): ImportList {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  const firstLine = lines.findIndex((line) => line.trim() !== "");
  const column = findHeading(readCsvLine(lines[firstLine] ?? ""));
  const parsed: ParsedAddress[] = [];
  const faults: LineFault[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "" || (column !== null && index === firstLine)) continue;
    const cell = chooseCell(readCsvLine(line), column);
    const verdict = parseAddress("EMAIL", takeAddress(cell));
    if (verdict.kind === "address") parsed.push(verdict);
    else {
      const shown = line.trim().slice(0, maxShownLength);
      faults.push({ line: index + 1, text: shown, rule: verdict.rule });
    }
  }
  return { parsed, faults };
}
