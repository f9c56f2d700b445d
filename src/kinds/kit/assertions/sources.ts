import { type AssertionSource, listRule } from "./assertion.ts";
import type { SourceText } from "./assertion-message.ts";
import {
  type AssertionComparison,
  assertionComparisons,
  isRecord,
  numericComparisons,
  parseJsonBody,
  textComparisons,
} from "./comparisons.ts";
import { findJsonPathFault, readJsonPath } from "./json-path.ts";
import { findRegexFault } from "./regular-expression.ts";

/** Selects the part of the document that a source reads. */
type Find = (document: Readonly<Record<string, unknown>>) => unknown;

const readPart = (document: unknown, find: Find) => (isRecord(document) ? find(document) : null);

const findEmptyPropertyFault = (name: string) => (property: string) =>
  property === "" ? null : `must be empty when source is ${name}`;

function findNamedPropertyFault(name: string, properties: readonly string[]) {
  const rule = `${listRule(properties)} when source is ${name}`;
  return (property: string) => (properties.includes(property) ? null : rule);
}

/** Words for a source that is a response time in milliseconds. */
export const responseTimeText: SourceText = { label: "response time", unit: "ms" };

/** Words for a source whose properties all have a label. */
type NamedText = SourceText & Required<Pick<SourceText, "properties">>;

/** Creates a source for a single number. Every comparison fails if the number is missing. */
export function createFigureSource(name: string, text: SourceText, find: Find): AssertionSource {
  return {
    text,
    comparisons: numericComparisons,
    isNumeric: true,
    findPropertyFault: findEmptyPropertyFault(name),
    read: (document) => {
      const value = readPart(document, find);
      return typeof value === "number" ? { kind: "value", value } : { kind: "missing" };
    },
  };
}

/** Creates a source for several named numbers. Every comparison with a missing number fails. */
export function createNumberSource(name: string, text: NamedText, find: Find): AssertionSource {
  return {
    text,
    comparisons: numericComparisons,
    isNumeric: true,
    findPropertyFault: findNamedPropertyFault(name, Object.keys(text.properties)),
    read: (document, property) => {
      const found = readPart(document, find);
      const value = isRecord(found) ? found[property] : null;
      return typeof value === "number" ? { kind: "value", value } : { kind: "missing" };
    },
  };
}

/** Creates a source for several named fields of any type. */
export function createRecordSource(name: string, text: NamedText, find: Find): AssertionSource {
  return {
    text,
    comparisons: assertionComparisons,
    isNumeric: false,
    findPropertyFault: findNamedPropertyFault(name, Object.keys(text.properties)),
    read: (document, property) => {
      const found = readPart(document, find);
      return isRecord(found) && Object.hasOwn(found, property) && found[property] !== undefined
        ? { kind: "value", value: found[property] }
        : { kind: "missing" };
    },
  };
}

/**
 * Creates a source for a text. GREATER_THAN and LESS_THAN compare numeric text as a number. The
 * property may be a regular expression, because clients of other services send it there instead of
 * in `regex`.
 */
export function createTextSource(
  label: string,
  find: Find,
  comparisons: readonly AssertionComparison[] = textComparisons,
): AssertionSource {
  return {
    text: { label },
    comparisons,
    isNumeric: false,
    isText: true,
    findPropertyFault: (property) => (property === "" ? null : findRegexFault(property)),
    read: (document) => {
      const value = readPart(document, find);
      return typeof value === "string" ? { kind: "value", value } : { kind: "missing" };
    },
  };
}

function findPathFault(property: string, example: string): string | null {
  const found = property === "" ? null : findJsonPathFault(property);
  if (found === null) return null;
  return found === "regex-function"
    ? "must not use match() or search()"
    : `must be a JSONPath as in RFC 9535, such as ${example}`;
}

/**
 * Creates a source that reads values from a JSON document by JSONPath. An empty path selects the
 * whole document.
 */
export function createJsonSource(label: string, example: string, find?: Find): AssertionSource {
  return {
    text: { label },
    comparisons: assertionComparisons,
    isNumeric: false,
    findPropertyFault: (property) => findPathFault(property, example),
    read: (document, property) => {
      const value = find === undefined ? document : readPart(document, find);
      if (value === undefined) return { kind: "missing" };
      return property === "" ? { kind: "value", value } : readJsonPath(property, value);
    },
  };
}

/** Text from a server that may be JSON, and whether the text was truncated. */
export interface JsonText {
  readonly text: string;
  readonly isCut: boolean;
}

/** Creates a JSONPath source for text from a server, which may not be valid JSON. */
export function createJsonTextSource(
  label: string,
  example: string,
  find: (document: Readonly<Record<string, unknown>>) => JsonText | null,
): AssertionSource {
  /** Cache of parsed texts by document, because most checks read several values of one text. */
  const parsed = new WeakMap<object, { readonly value: unknown } | null>();
  const parse = (document: object, text: string) => {
    const known = parsed.get(document);
    if (known !== undefined) return known;
    const json = parseJsonBody(text);
    parsed.set(document, json);
    return json;
  };
  return {
    text: { label },
    comparisons: assertionComparisons,
    isNumeric: false,
    findPropertyFault: (property) => findPathFault(property, example),
    read: (document, property) => {
      const body = isRecord(document) ? find(document) : null;
      if (!isRecord(document) || body === null) return { kind: "missing" };
      if (body.isCut) return { kind: "fault", fault: "too-long" };
      const json = parse(document, body.text);
      if (json === null) return { kind: "fault", fault: "not-json" };
      const { value } = json;
      return property === "" ? { kind: "value", value } : readJsonPath(property, value);
    },
  };
}

/**
 * Creates a source for header fields. Names of fields are case-insensitive. An empty property
 * selects all fields.
 */
export function createHeaderSource(
  find: (document: Readonly<Record<string, unknown>>) => unknown,
): AssertionSource {
  return {
    text: { label: "header list", labelOfOne: "header" },
    comparisons: assertionComparisons,
    isNumeric: false,
    hasLowerCaseKeys: true,
    findPropertyFault: (property) =>
      property === "" || /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(property)
        ? null
        : "must be a valid header name",
    read: (document, property) => {
      const headers = readPart(document, find);
      if (!isRecord(headers)) return { kind: "missing" };
      if (property === "") return { kind: "value", value: headers };
      const name = property.toLowerCase();
      return Object.hasOwn(headers, name)
        ? { kind: "value", value: headers[name] }
        : { kind: "missing" };
    },
  };
}
