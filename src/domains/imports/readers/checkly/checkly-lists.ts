import { type ImportFile, UnreadableFile } from "../../reading.ts";
import { Row } from "../row.ts";
import { assertSmall, readTextFile } from "../yaml.ts";

/** What the entries of a list can be. */
export const listNames = [
  ...(["checks", "groups", "channels", "services", "pages", "windows", "dashboards"] as const),
  ...(["locations", "variables", "snippets"] as const),
] as const;
export type ListName = (typeof listNames)[number];

export type Lists = Readonly<Record<ListName, Row[]>>;

/** Recognises an entry by the fields that only it has, in this order. */
const marks: readonly (readonly [ListName, readonly string[]])[] = [
  ["checks", ["checkType"]],
  ["locations", ["slugName"]],
  ["windows", ["startsAt"]],
  ["dashboards", ["dashboardId", "customUrl"]],
  ["channels", ["config"]],
  ["pages", ["cards", "defaultTheme"]],
  ["groups", ["apiCheckDefaults", "concurrency", "alertChannelSubscriptions"]],
  ["snippets", ["script"]],
  ["variables", ["key"]],
  ["services", ["name"]],
];

function recognise(entry: Row): ListName | null {
  const found = marks.find(([, fields]) => fields.some((field) => entry.get(field) !== undefined));
  return found?.[0] ?? null;
}

function parseJson(file: ImportFile): unknown {
  const text = readTextFile(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(
      `${file.name} is not valid JSON: ${(error as Error).message}. It must be an answer of the ` +
        "API. A project of the command line is not imported: deploy it here.",
    );
  }
  assertSmall(value, file.name);
  return value;
}

/** An answer is a list, or an object with the list in `entries`. */
function listEntries(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  const entries = new Row(value).get("entries");
  return Array.isArray(entries) ? entries : null;
}

/** Several answers may be in one file, as an object with one list for each. */
function listAnswers(value: unknown): (readonly unknown[])[] {
  const own = listEntries(value);
  if (own !== null) return [own];
  const row = new Row(value);
  return row.keys().flatMap((key) => {
    const inner = listEntries(row.get(key));
    return inner === null ? [] : [inner];
  });
}

/** Sorts the entries of all files, by what they are. A page of a list may be a separate file. */
export function readLists(files: readonly ImportFile[]): Lists {
  const lists = Object.fromEntries(listNames.map((name): [ListName, Row[]] => [name, []]));
  for (const file of files) {
    const answers = listAnswers(parseJson(file));
    if (answers.length === 0) throw new UnreadableFile(`${file.name} contains no list.`);
    for (const entry of answers.flat()) {
      const row = new Row(entry);
      const name = recognise(row);
      if (name === null) throw new UnreadableFile(`${file.name} contains an unknown entry.`);
      lists[name]?.push(row);
    }
  }
  return lists as Lists;
}
