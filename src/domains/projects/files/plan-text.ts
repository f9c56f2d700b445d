/** Pure: plans as people read them. */
import { formatYaml } from "../../../platform/yaml.ts";
import type { PropertyChange } from "../plan.ts";
import type { Fields } from "../resource.ts";
import type { WireDiff } from "../wire-diff.ts";
import { diffLines } from "./line-diff.ts";

export interface ShownPlan {
  readonly planToken: string;
  readonly diff: readonly WireDiff[];
}

type Paint = (style: "green" | "yellow" | "red" | "cyan" | "dim", text: string) => string;

const codes = { green: 32, yellow: 33, red: 31, cyan: 36, dim: 2 } as const;

/** Colours for a terminal; without colours the text stays as it is. */
export function createPaint(hasColors: boolean): Paint {
  return (style, text) => (hasColors ? `\u001b[${codes[style]}m${text}\u001b[0m` : text);
}

const actions = {
  CREATE: { mark: "+", style: "green" },
  UPDATE: { mark: "~", style: "yellow" },
  DELETE: { mark: "-", style: "red" },
  DETACH: { mark: "-", style: "red" },
} as const;

type ShownAction = keyof typeof actions;

const isShown = (entry: WireDiff): entry is WireDiff & { readonly action: ShownAction } =>
  entry.action in actions;

/** Control characters of stored values must not reach the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what it removes.
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
  const lines = action === "UPDATE" ? changes.map((change) => writeChange(change, paint)) : [];
  const first = isFirst ? [paint("dim", "    (no property changes; first apply)")] : [];
  return [`${paint(style, `${mark} ${nameEntry(entry)}`)}${file}${reason}`, ...lines, ...first];
}

export function countActions(diff: readonly WireDiff[]) {
  const count = (action: WireDiff["action"]) => diff.filter((one) => one.action === action).length;
  return {
    created: count("CREATE"),
    changed: count("UPDATE"),
    deleted: count("DELETE"),
    unchanged: count("UNCHANGED"),
    kept: count("KEEP"),
  };
}

export const hasChanges = (diff: readonly WireDiff[]) => diff.some(isShown);

const maxListed = 10;

/** Names what the project owns and the files do not contain. */
function writeKept(diff: readonly WireDiff[]): string[] {
  const kept = diff.filter(({ action }) => action === "KEEP");
  if (kept.length === 0) return [];
  const names = kept.slice(0, maxListed).map((one) => `  ${nameEntry(one)}`);
  const rest = kept.length > maxListed ? [`  … and ${kept.length - maxListed} more`] : [];
  const head = `Not in the files, and kept (${kept.length}). Add --prune to delete:`;
  return ["", head, ...names, ...rest];
}

/** Lists what applying the files would do. */
export function writePlan({ diff }: Pick<ShownPlan, "diff">, paint: Paint): string {
  const { created, changed, deleted, unchanged } = countActions(diff);
  const summary = hasChanges(diff)
    ? `Plan: ${created} to create, ${changed} to change, ${deleted} to delete, ` +
      `${unchanged} unchanged.`
    : `No changes. ${unchanged} unchanged.`;
  const entries = diff.filter(isShown).flatMap((entry) => writeEntry(entry, paint));
  const space = entries.length === 0 ? [] : [""];
  return [...entries, ...space, summary, ...writeKept(diff)].join("\n");
}

/** The same order on both sides. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sortKeys((value as Fields)[name])]));
}

const listLines = (fields: Fields | null) =>
  fields === null ? [] : formatYaml(sortKeys(fields)).trimEnd().split("\n");

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
