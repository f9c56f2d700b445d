import { isUtf8 } from "node:buffer";
import { KnownError } from "../errors.ts";
import { isTooDeep } from "../text/json-depth.ts";

/**
 * Maximum nesting of a body. No valid body exceeds it, and a much higher value could exhaust the
 * stack.
 */
const maxDepth = 32;
const forbiddenKeys = new Set(["__proto__", "constructor"]);

function invalidBody(message: string, key?: string): KnownError {
  const keys = key === undefined ? [] : [key];
  return new KnownError("invalidRequest", { message, validation: { source: "body", keys } });
}

/** Rejects text that PostgreSQL cannot store: NUL characters and lone surrogates. */
function rejectUnstorableText(text: string, key: string): void {
  if (text.includes("\u0000")) throw invalidBody(`${key} must not contain a NUL character`, key);
  if (!text.isWellFormed()) throw invalidBody(`${key} must be well-formed Unicode`, key);
}

function inspect(value: unknown, path: string): void {
  if (typeof value === "string") {
    rejectUnstorableText(value, path);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) inspect(item, join(path, String(index)));
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (forbiddenKeys.has(key)) throw invalidBody(`${join(path, key)} is not allowed`, key);
      rejectUnstorableText(key, path === "" ? "body" : path);
      inspect(item, join(path, key));
    }
  }
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/** Returns `undefined` for an empty body; the route's schema decides if that is allowed. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw invalidBody("body must be valid UTF-8");
  const text = bytes.toString("utf8");
  if (isTooDeep(text, maxDepth))
    throw invalidBody(`body must not be nested deeper than ${maxDepth} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidBody("body must be valid JSON");
  }
  inspect(value, "");
  return value;
}
