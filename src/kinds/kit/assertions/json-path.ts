import { JSONPathEnvironment, type JSONPathQuery, type JSONValue } from "json-p3";
import { BoundedMap } from "../../../platform/bounded-map.ts";

type JsonPathFault = "not-a-json-path" | "regex-function";

export type JsonPathResult =
  | { readonly kind: "value"; readonly value: unknown }
  /** The result of a path that can match several values, such as one with a wildcard. */
  | { readonly kind: "list"; readonly values: readonly unknown[] }
  | { readonly kind: "missing" }
  | { readonly kind: "fault"; readonly fault: JsonPathFault | "too-much-work" };

/**
 * Maximum number of times that one query may read from the document. Usual queries read far less
 * often. A query reaches the limit after about 0.1 s.
 */
const maxReads = 100_000;
const maxCompiled = 1_000;

class TooMuchWork extends Error {}

/**
 * JSONPath environment without the functions `match` and `search`, which would run user-supplied
 * regular expressions at unbounded cost.
 */
const environment = new JSONPathEnvironment({ strict: true });
environment.functionRegister.delete("match");
environment.functionRegister.delete("search");

/** Cache of compiled paths, because every run of a check uses the same paths. */
const compiled = new BoundedMap<string, JSONPathQuery>(maxCompiled);

export function findJsonPathFault(path: string): JsonPathFault | null {
  const query = compile(path);
  return typeof query === "string" ? query : null;
}

/** Evaluates an RFC 9535 path on plain JSON in a bounded number of steps. */
export function readJsonPath(path: string, document: unknown): JsonPathResult {
  const query = compile(path);
  if (typeof query === "string") return { kind: "fault", fault: query };
  const isSingular = query.singularQuery();
  const meter = isSingular ? noMeter : createMeter();
  try {
    const nodes = query.query(meter.wrap(document) as JSONValue).nodes;
    const values = nodes.map((node) => meter.unwrap(node.value));
    if (!isSingular) return { kind: "list", values };
    return values.length === 0 ? readLength(path, document) : { kind: "value", value: values[0] };
  } catch {
    // The path is valid, so the error means that the read limit or the depth limit was reached.
    return { kind: "fault", fault: "too-much-work" };
  }
}

const lengthEnding = ".length";

/**
 * Returns the length of a list for a path such as `$.items.length`. Other services support such
 * paths, but RFC 9535 offers only the function `length()`, and only in filters. A field named
 * `length` takes precedence.
 */
function readLength(path: string, document: unknown): JsonPathResult {
  const list = path.endsWith(lengthEnding)
    ? readJsonPath(path.slice(0, -lengthEnding.length), document)
    : null;
  if (list?.kind !== "value" || !Array.isArray(list.value)) return { kind: "missing" };
  return { kind: "value", value: list.value.length };
}

function compile(path: string): JSONPathQuery | JsonPathFault {
  try {
    return compiled.getOrCreate(path, () => environment.compile(path));
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    const isRegex = name === "UndefinedFilterFunctionError" && /\b(match|search)\s*\(/.test(path);
    return isRegex ? "regex-function" : "not-a-json-path";
  }
}

/**
 * Meter that counts nothing, for paths to a single value. Such a path needs no limit, because it
 * takes one step per name.
 */
const noMeter = { wrap: (value: unknown) => value, unwrap: (value: unknown) => value };

/**
 * Wraps the document in proxies that count reads and stop the query at a limit. The library limits
 * only the depth, but nested filters multiply the number of reads.
 */
function createMeter() {
  const originals = new WeakMap<object, object>();
  const wrapped = new WeakMap<object, object>();
  let reads = 0;
  const count = () => {
    reads += 1;
    if (reads > maxReads) throw new TooMuchWork();
  };
  const handler: ProxyHandler<object> = {
    get(target, key) {
      count();
      return wrap(Reflect.get(target, key));
    },
    has(target, key) {
      count();
      return Reflect.has(target, key);
    },
    ownKeys(target) {
      count();
      return Reflect.ownKeys(target);
    },
    getOwnPropertyDescriptor(target, key) {
      count();
      const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
      return descriptor && "value" in descriptor
        ? { ...descriptor, value: wrap(descriptor.value) }
        : descriptor;
    },
  };
  function wrap(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const known = wrapped.get(value);
    if (known !== undefined) return known;
    // The proxy wraps a copy. For a frozen property, a proxy must return the original value, but
    // here it has to return another proxy.
    const proxy = new Proxy(Array.isArray(value) ? [...value] : { ...value }, handler);
    wrapped.set(value, proxy);
    originals.set(proxy, value);
    return proxy;
  }
  function unwrap(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    return originals.get(value) ?? value;
  }
  return { wrap, unwrap };
}
