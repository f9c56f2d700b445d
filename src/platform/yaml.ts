import {
  CORE_SCHEMA,
  dump,
  EVENT_ID,
  getScalarValue,
  load,
  loadAll,
  mergeTag,
  parseEvents,
} from "js-yaml";

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

/** An open document, list or mapping while the events of a text are followed. */
interface OpenNode {
  readonly path: string;
  readonly kind: "document" | "list" | "mapping";
  /** Number of items, or of keys and values. */
  count: number;
  key: string;
}

/** Returns the path of the next value of a node; `null` for a key. */
function nextPath(node: OpenNode | undefined): string | null {
  if (node === undefined || node.kind === "document") return "";
  const number = node.count++;
  if (node.kind === "list") return `${node.path}.${number}`;
  return number % 2 === 0 ? null : `${node.path}.${node.key}`;
}

/**
 * Returns the lines of keys and list items of a text that `parseYaml` accepts, by path such as
 * `checks.web.tags.0`. Values that an alias repeats have no line of their own.
 */
export function listLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const open: OpenNode[] = [];
  let [line, offset] = [1, 0];
  const record = (path: string, start: number) => {
    for (; offset < start; offset += 1) if (text[offset] === "\n") line += 1;
    if (!lines.has(path.slice(1))) lines.set(path.slice(1), line);
  };
  for (const event of parseEvents(text, { maxDepth: limits.maxDepth })) {
    if (event.type === EVENT_ID.POP) {
      open.pop();
      continue;
    }
    const parent = open.at(-1);
    const path = nextPath(parent);
    if (event.type === EVENT_ID.SCALAR && path === null && parent !== undefined) {
      parent.key = getScalarValue(text, event);
      record(`${parent.path}.${parent.key}`, event.valueStart);
    } else if (event.type === EVENT_ID.SCALAR) record(path ?? "", event.valueStart);
    else if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING) {
      record(path ?? "", event.start);
      const kind = event.type === EVENT_ID.SEQUENCE ? "list" : "mapping";
      open.push({ path: path ?? "", kind, count: 0, key: "" });
    } else if (event.type === EVENT_ID.DOCUMENT) {
      open.push({ path: "", kind: "document", count: 0, key: "" });
    }
  }
  return lines;
}
