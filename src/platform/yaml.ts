import { CORE_SCHEMA, dump, load, loadAll, mergeTag } from "js-yaml";

const schema = CORE_SCHEMA.withTags(mergeTag);
const limits = { maxDepth: 50, maxAliases: 1_000, maxTotalMergeKeys: 10_000 };
/** Limits what aliases can expand to. */
const maxNodes = 500_000;

/** Text that is not YAML or exceeds the limits. The message follows the name of the file. */
export class YamlFault extends Error {}

/** Counts values as if every alias were written out, and stops at the limit. */
export function assertSmall(value: unknown): void {
  let count = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const one = pending.pop();
    count += 1;
    if (count > maxNodes) throw new YamlFault("expands to too many values.");
    if (typeof one === "object" && one !== null) {
      for (const item of Object.values(one)) pending.push(item);
    }
  }
}

function parseLimited<Value>(parse: () => Value): Value {
  let value: Value;
  try {
    value = parse();
  } catch (error) {
    const [line = ""] = (error as Error).message.split("\n");
    throw new YamlFault(`is not valid YAML: ${line}.`);
  }
  assertSmall(value);
  return value;
}

/** Parses one YAML document without custom tags, within limits of depth, aliases and size. */
export function parseYaml(text: string): unknown {
  return parseLimited(() => load(text, { schema, ...limits }));
}

/** Parses all documents of a text, which `---` separates, within the same limits. */
export function parseYamlDocuments(text: string): unknown[] {
  return parseLimited(() => loadAll(text, { schema, ...limits }));
}

/** Equal values yield equal text. */
export function formatYaml(value: unknown): string {
  return dump(value, { schema, noRefs: true, lineWidth: -1 });
}
