import { readFileSync } from "node:fs";
import { CORE_SCHEMA, load, loadAll, mergeTag } from "js-yaml";
import { type ImportFile, UnreadableFile } from "../reading.ts";
import { assertTextSize, decodeText } from "./file-text.ts";

const schema = CORE_SCHEMA.withTags(mergeTag);
const limits = { maxDepth: 50, maxAliases: 1_000, maxTotalMergeKeys: 10_000 };
/** Limits what aliases can expand to. */
const maxNodes = 500_000;

/** Counts values as if every alias were written out, and stops at the limit. */
export function assertSmall(value: unknown, name: string): void {
  let count = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const one = pending.pop();
    count += 1;
    if (count > maxNodes) throw new UnreadableFile(`${name} expands to too many values.`);
    if (typeof one !== "object" || one === null) continue;
    for (const inner of Object.values(one)) pending.push(inner);
  }
}

function parseLimited<Value>(parse: () => Value, name: string): Value {
  let value: Value;
  try {
    value = parse();
  } catch (error) {
    const [line = ""] = (error as Error).message.split("\n");
    throw new UnreadableFile(`${name} is not valid YAML: ${line}.`);
  }
  assertSmall(value, name);
  return value;
}

/** Parses one YAML document without custom tags, within limits of depth, aliases and size. */
export function parseYaml(text: string, name: string): unknown {
  return parseLimited(() => load(text, { schema, ...limits }), name);
}

/** Parses all documents of a file, which `---` separates, within the same limits. */
export function parseYamlDocuments(text: string, name: string): unknown[] {
  return parseLimited(() => loadAll(text, { schema, ...limits }), name);
}

export function readTextFile(file: ImportFile): string {
  assertTextSize(file);
  return decodeText(readFileSync(file.path));
}
