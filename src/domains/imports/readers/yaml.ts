import { readFileSync } from "node:fs";
import { CORE_SCHEMA, load, mergeTag } from "js-yaml";
import { type ImportFile, UnreadableFile } from "../reading.ts";
import { assertTextSize, decodeText } from "./file-text.ts";

const schema = CORE_SCHEMA.withTags(mergeTag);
const limits = { maxDepth: 50, maxAliases: 1_000, maxTotalMergeKeys: 10_000 };
/** Limits what aliases can expand to. */
const maxNodes = 500_000;

/** Counts values as if every alias were written out, and stops at the limit. */
function assertSmall(value: unknown, name: string): void {
  let count = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const one = pending.pop();
    count += 1;
    if (count > maxNodes) throw new UnreadableFile(`${name} expands to too many values.`);
    if (typeof one === "object" && one !== null) pending.push(...Object.values(one));
  }
}

/** Parses one YAML document without custom tags, within limits of depth, aliases and size. */
export function parseYaml(text: string, name: string): unknown {
  let value: unknown;
  try {
    value = load(text, { schema, ...limits });
  } catch (error) {
    const [line = ""] = (error as Error).message.split("\n");
    throw new UnreadableFile(`${name} is not valid YAML: ${line}.`);
  }
  assertSmall(value, name);
  return value;
}

export function readTextFile(file: ImportFile): string {
  assertTextSize(file);
  return decodeText(readFileSync(file.path));
}
