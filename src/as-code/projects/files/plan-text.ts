/** Pure functions that format plans as text for people. */
import { formatYaml } from "../../../platform/yaml.ts";
import type { PropertyChange } from "../plan.ts";
import type { Fields } from "../resource.ts";
import type { WireDiff } from "../wire-diff.ts";

/** Number of unchanged lines shown before and after a change. */
const context = 3;
/** Maximum product of the line counts of two texts. Longer texts are shown as fully replaced. */
const maxCells = 4_000_000;

interface Step {
  readonly mark: " " | "-" | "+";
  readonly line: string;
}

/** Returns the lengths of the longest common subsequences of all pairs of suffixes. */
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

/** Returns the lines of a unified diff with hunk headers, or none if the texts are equal. */
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

export interface ShownPlan {
  readonly planToken: string;
  readonly diff: readonly WireDiff[];
}

type Paint = (style: "green" | "yellow" | "red" | "cyan" | "dim", text: string) => string;

const codes = { green: 32, yellow: 33, red: 31, cyan: 36, dim: 2 } as const;

/**
 * Returns a function that colours text for a terminal. Without colours, it returns the text
 * unchanged.
 */
export function createPaint(hasColors: boolean): Paint {
  return (style, text) => (hasColors ? `\u001b[${codes[style]}m${text}\u001b[0m` : text);
}

const actions = {
  CREATE: { mark: "+", style: "green" },
  ADOPT: { mark: "=", style: "cyan" },
  UPDATE: { mark: "~", style: "yellow" },
  DELETE: { mark: "-", style: "red" },
  DETACH: { mark: "-", style: "red" },
} as const;

type ShownAction = keyof typeof actions;

const isShown = (entry: WireDiff): entry is WireDiff & { readonly action: ShownAction } =>
  entry.action in actions;

/** Control characters, which are escaped before stored values are written to a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: `sanitise` escapes these characters.
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;
const sanitise = (text: string) =>
  text.replaceAll(controls, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

const maxValueLength = 160;

function writeValue(value: unknown): string {
  if (value === undefined) return "(none)";
  const { $hash } = (value ?? {}) as { readonly $hash?: string };
  if (typeof $hash === "string") return `(long value ${$hash.slice(0, 8)})`;
  const text = sanitise(JSON.stringify(value));
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

const writePath = (path: string) =>
  path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");

const notes = {
  code: "",
  remote: "changed on the server",
  both: "changed in the files and on the server",
  unmanaged: "added on the server",
} as const;

function writeChange({ path, before, after, origin, secret }: PropertyChange, paint: Paint) {
  const values = secret
    ? "(secret changes)"
    : `${paint("red", writeValue(before))} → ${paint("green", writeValue(after))}`;
  const note = notes[origin] === "" ? "" : `  ${paint("cyan", `# ${notes[origin]}`)}`;
  return `    ${sanitise(writePath(path))}: ${values}${note}`;
}

const nameEntry = ({ type, logicalId }: WireDiff) => `${type} "${logicalId}"`;

function writeEntry(entry: WireDiff & { readonly action: ShownAction }, paint: Paint): string[] {
  const { mark, style } = actions[entry.action];
  const { changes = [], sourceFile, action, origin } = entry;
  const file = sourceFile === undefined ? "" : paint("dim", `  ${sanitise(sourceFile)}`);
  const isRecreated = action === "CREATE" && origin === "remote";
  const reason = isRecreated ? paint("cyan", "  # deleted on the server") : "";
  const isFirst = action === "UPDATE" && changes.length === 0;
  const isChange = action === "UPDATE" || action === "ADOPT";
  const lines = isChange ? changes.map((change) => writeChange(change, paint)) : [];
  const first = isFirst ? [paint("dim", "    (no property changes; first apply)")] : [];
  return [`${paint(style, `${mark} ${nameEntry(entry)}`)}${file}${reason}`, ...lines, ...first];
}

export function countActions(diff: readonly WireDiff[]) {
  const count = (action: WireDiff["action"]) => diff.filter((one) => one.action === action).length;
  return {
    adopted: count("ADOPT"),
    created: count("CREATE"),
    changed: count("UPDATE"),
    deleted: count("DELETE"),
    unchanged: count("UNCHANGED"),
    kept: count("KEEP"),
  };
}

export const hasChanges = (diff: readonly WireDiff[]) => diff.some(isShown);

const maxListed = 10;

/** Lists resources that the project owns but the files do not contain. */
function writeKept(diff: readonly WireDiff[]): string[] {
  const kept = diff.filter(({ action }) => action === "KEEP");
  if (kept.length === 0) return [];
  const names = kept.slice(0, maxListed).map((one) => `  ${nameEntry(one)}`);
  const rest = kept.length > maxListed ? [`  … and ${kept.length - maxListed} more`] : [];
  const head = `Not in the files, and kept (${kept.length}). Add --prune to delete:`;
  return ["", head, ...names, ...rest];
}

/** Lists the changes that applying the files would make. */
export function writePlan({ diff }: Pick<ShownPlan, "diff">, paint: Paint): string {
  const { adopted, created, changed, deleted, unchanged } = countActions(diff);
  const summary = hasChanges(diff)
    ? `Plan: ${adopted > 0 ? `${adopted} to adopt, ` : ""}${created} to create, ${changed} to change, ${deleted} to delete, ` +
      `${unchanged} unchanged.`
    : `No changes. ${unchanged} unchanged.`;
  const entries = diff.filter(isShown).flatMap((entry) => writeEntry(entry, paint));
  const space = entries.length === 0 ? [] : [""];
  return [...entries, ...space, summary, ...writeKept(diff)].join("\n");
}

/** Sorts the keys of all objects, so that the order of keys is not shown as a difference. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sortKeys((value as Fields)[name])]));
}

/** Formats a resource as lines, without the id, because files do not contain ids. */
function listLines(all: Fields | null): string[] {
  if (all === null) return [];
  const { id: _id, ...fields } = all;
  return formatYaml(sortKeys(fields)).trimEnd().split("\n");
}

function paintLine(line: string, paint: Paint): string {
  const style = { "+": "green", "-": "red", "@": "cyan" }[line[0] ?? ""];
  const text = sanitise(line);
  return style === undefined ? text : paint(style as "green" | "red" | "cyan", text);
}

function writeEntryDiff(entry: WireDiff, paint: Paint): string[] {
  const { before = null, after = null, changes = [], sourceFile, action } = entry;
  const isGone = action === "DELETE" || action === "DETACH";
  const from = action === "CREATE" ? "/dev/null" : `server: ${nameEntry(entry)}`;
  const to = isGone ? "/dev/null" : `${sourceFile ?? "files"}: ${nameEntry(entry)}`;
  const lines = diffLines(listLines(before), listLines(isGone ? null : after));
  const secrets = changes.filter(({ secret }) => secret).map(({ path }) => writePath(path));
  const hidden = secrets.length === 0 ? [] : [`# secret values change: ${secrets.join(", ")}`];
  const heads = [`--- ${from}`, `+++ ${to}`].map((line) => sanitise(line));
  return [...heads, ...lines.map((line) => paintLine(line, paint)), ...hidden];
}

/** Shows the differences between the server and the files as a unified diff. */
export function writeDiff({ diff }: Pick<ShownPlan, "diff">, paint: Paint): string {
  return diff
    .filter(isShown)
    .flatMap((entry) => writeEntryDiff(entry, paint))
    .join("\n");
}
