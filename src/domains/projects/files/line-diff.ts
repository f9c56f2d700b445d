/** Lines around a change. */
const context = 3;
/** Maximum product of the two lengths; longer texts are shown as replaced. */
const maxCells = 4_000_000;

interface Step {
  readonly mark: " " | "-" | "+";
  readonly line: string;
}

/** Lengths of the longest common subsequences of all suffixes. */
function measureCommon(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let row = before.length - 1; row >= 0; row -= 1) {
    const [own, below] = [rows[row] as Uint32Array, rows[row + 1] as Uint32Array];
    for (let column = after.length - 1; column >= 0; column -= 1) {
      own[column] =
        before[row] === after[column]
          ? (below[column + 1] ?? 0) + 1
          : Math.max(below[column] ?? 0, own[column + 1] ?? 0);
    }
  }
  return rows;
}

function listSteps(before: readonly string[], after: readonly string[]): Step[] {
  const remove = (line: string): Step => ({ mark: "-", line });
  const add = (line: string): Step => ({ mark: "+", line });
  if (before.length * after.length > maxCells) return [...before.map(remove), ...after.map(add)];
  const common = measureCommon(before, after);
  const steps: Step[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, now] = [before[row], after[column]];
    const isSame = row < before.length && column < after.length && old === now;
    const below = common[row + 1]?.[column] ?? -1;
    const right = common[row]?.[column + 1] ?? -1;
    if (isSame) steps.push({ mark: " ", line: old ?? "" });
    else if (row < before.length && (column >= after.length || below >= right)) {
      steps.push(remove(old ?? ""));
    } else steps.push(add(now ?? ""));
    const last = steps.at(-1)?.mark;
    if (last !== "+") row += 1;
    if (last !== "-") column += 1;
  }
  return steps;
}

/** Writes the lines of a unified diff with hunk headers; empty if both are equal. */
export function diffLines(before: readonly string[], after: readonly string[]): string[] {
  const steps = listSteps(before, after);
  const changed = steps.flatMap(({ mark }, index) => (mark === " " ? [] : [index]));
  const near = new Set(
    changed.flatMap((index) =>
      Array.from({ length: 2 * context + 1 }, (_, offset) => index + offset - context),
    ),
  );
  const lines: string[] = [];
  let [row, column, head] = [1, 1, -1];
  const counts = { old: 0, now: 0, row: 0, column: 0 };
  const writeHead = () => {
    if (head < 0) return;
    const write = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
    const { old, now } = counts;
    lines[head] = `@@ -${write(counts.row, old)} +${write(counts.column, now)} @@`;
  };
  for (const [index, { mark, line }] of steps.entries()) {
    if (near.has(index)) {
      if (!near.has(index - 1) || head < 0) {
        writeHead();
        Object.assign(counts, { old: 0, now: 0, row, column });
        head = lines.push("") - 1;
      }
      lines.push(`${mark}${line}`);
      if (mark !== "+") counts.old += 1;
      if (mark !== "-") counts.now += 1;
    }
    if (mark !== "+") row += 1;
    if (mark !== "-") column += 1;
  }
  writeHead();
  return lines;
}
