import { CORE_SCHEMA, dump, load, loadAll, mergeTag } from "js-yaml";

const schema = CORE_SCHEMA.withTags(mergeTag);
const limits = { maxDepth: 50, maxAliases: 1_000, maxTotalMergeKeys: 10_000 };
/** Maximum number of values in a document after all aliases are expanded. */
const maxNodes = 500_000;

/**
 * Thrown for text that is not YAML or exceeds a limit. The message is a phrase that follows a file
 * name.
 */
export class YamlFault extends Error {}

/** Counts the values of a document with all aliases expanded. Throws if there are too many. */
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

/** Parses one YAML document. Custom tags are not allowed; depth, aliases and size are limited. */
export function parseYaml(text: string): unknown {
  return parseLimited(() => load(text, { schema, ...limits }));
}

/** Parses all documents of a text, which `---` separates, with the same limits as `parseYaml`. */
export function parseYamlDocuments(text: string): unknown[] {
  return parseLimited(() => loadAll(text, { schema, ...limits }));
}

/** Formats a value as YAML. Equal values whose keys have the same order yield equal text. */
export function formatYaml(value: unknown): string {
  return dump(value, { schema, noRefs: true, lineWidth: -1 });
}
