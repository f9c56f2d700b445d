/** Lists the keys of the web application's queries, and finds keys that two queries share. */
import type { SourceFile } from "./source-files.ts";

export interface QueryKey {
  readonly path: string;
  /** Parts of the key in order. `null` is a part that the program fills in, such as an id. */
  readonly parts: readonly (string | null)[];
}

/** Returns the elements of the array literal that starts at `start`. */
function readElements(text: string, start: number): string[] {
  const elements = [""];
  let depth = 0;
  for (const character of text.slice(start)) {
    if ("[({".includes(character)) depth += 1;
    if ("])}".includes(character)) depth -= 1;
    if (depth === 0) break;
    if (depth === 1 && character === ",") elements.push("");
    else elements[elements.length - 1] += character;
  }
  return elements.map((element) => element.replace(/^\[/, "").trim()).filter((one) => one !== "");
}

/** Lists the keys of all queries in these files. A key is an array literal where it is defined. */
export function listQueryKeys(files: readonly SourceFile[]): QueryKey[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/queryOptions(?:<\w+>)?\(\{\s*(?:\/\/.*\s*)*queryKey:\s*(?=\[)/gi)].map(
      (match) => ({
        path,
        parts: readElements(text, match.index + match[0].length).map(
          (element) => /^"([^"]*)"$/.exec(element)?.[1] ?? null,
        ),
      }),
    ),
  );
}

/** Returns whether `one` can have every value that `other` can have. */
const covers = (one: QueryKey, other: QueryKey) =>
  one.parts.length === other.parts.length &&
  one.parts.every((part, index) => part === null || part === other.parts[index]);

/**
 * Returns pairs of queries that can have the same key. Queries with the same key share their data,
 * so one would read what the other has fetched.
 */
export function findSharedKeys(keys: readonly QueryKey[]): string[] {
  const format = ({ path, parts }: QueryKey) => `${path} [${parts.map((it) => it ?? "…").join()}]`;
  return keys.flatMap((one, index) =>
    keys
      .filter((other, at) => (at > index ? covers(one, other) || covers(other, one) : false))
      .map((other) => `${format(one)} = ${format(other)}`),
  );
}
