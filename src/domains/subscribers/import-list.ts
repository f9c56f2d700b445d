import { readCsvLine } from "../../platform/text/csv.ts";
import { type ParsedAddress, parseAddress } from "./subscriber.ts";

export const maxImportLines = 5_000;
export const maxImportLength = 500_000;
const maxShownLength = 120;

/** A line that is no address, and why. */
export interface LineFault {
  /** From 1, as editors count. */
  readonly line: number;
  readonly text: string;
  readonly rule: string;
}

export interface ImportList {
  readonly parsed: readonly ParsedAddress[];
  readonly faults: readonly LineFault[];
}

/** Which column has the addresses; null: the first line is no heading. */
function findHeading(cells: readonly string[]): number | null {
  const at = cells.findIndex((cell) => /^(?:e-?mail|address)(?: address)?$/i.test(cell));
  return at === -1 ? null : at;
}

/** `Ada <ada@example.com>`, as mail programs copy people. */
function takeAddress(cell: string): string {
  return /<([^<>]+)>\s*$/.exec(cell)?.[1] ?? cell;
}

function chooseCell(cells: readonly string[], column: number | null): string {
  if (column !== null) return cells[column] ?? "";
  return cells.find((cell) => cell.includes("@")) ?? cells[0] ?? "";
}

/** One email address a line, or a table with a column of them; every line is judged by itself. */
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
