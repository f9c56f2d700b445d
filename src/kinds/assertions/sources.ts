import { type AssertionSource, listRule } from "./assertion.ts";
import {
  type AssertionComparison,
  assertionComparisons,
  isRecord,
  numericComparisons,
  textComparisons,
} from "./comparisons.ts";
import { parseJsonBody } from "./json-body.ts";
import { findJsonPathFault, readJsonPath } from "./json-path.ts";
import { findRegexFault } from "./regular-expression.ts";

/** What a kind shows to its assertions; each source finds its part. */
type Find = (document: Readonly<Record<string, unknown>>) => unknown;

const readPart = (document: unknown, find: Find) => (isRecord(document) ? find(document) : null);

const findEmptyPropertyFault = (name: string) => (property: string) =>
  property === "" ? null : `must be empty when source is ${name}`;

function findNamedPropertyFault(name: string, properties: readonly string[]) {
  const rule = `${listRule(properties)} when source is ${name}`;
  return (property: string) => (properties.includes(property) ? null : rule);
}

/** One number of a document. Where it is missing, no claim about it holds. */
export function createFigureSource(name: string, find: Find): AssertionSource {
  return {
    comparisons: numericComparisons,
    isNumeric: true,
    findPropertyFault: findEmptyPropertyFault(name),
    read: (document) => {
      const value = readPart(document, find);
      return typeof value === "number" ? { kind: "value", value } : { kind: "missing" };
    },
  };
}

/** Some numbers of a document, known by name. Where one is missing, no claim about it holds. */
export function createNumberSource(
  name: string,
  properties: readonly string[],
  find: Find,
): AssertionSource {
  return {
    comparisons: numericComparisons,
    isNumeric: true,
    findPropertyFault: findNamedPropertyFault(name, properties),
    read: (document, property) => {
      const found = readPart(document, find);
      const value = isRecord(found) ? found[property] : null;
      return typeof value === "number" ? { kind: "value", value } : { kind: "missing" };
    },
  };
}

/** Some fields of a document, of whatever type, known by name. */
export function createRecordSource(
  name: string,
  properties: readonly string[],
  find: Find,
): AssertionSource {
  return {
    comparisons: assertionComparisons,
    isNumeric: false,
    findPropertyFault: findNamedPropertyFault(name, properties),
    read: (document, property) => {
      const found = readPart(document, find);
      return isRecord(found) && Object.hasOwn(found, property) && found[property] !== undefined
        ? { kind: "value", value: found[property] }
        : { kind: "missing" };
    },
  };
}

/**
 * A text. Greater and less compare it as a number, where it is one. The property may be a regular
 * expression, as `regex` may: clients of other services write it there.
 */
export function createTextSource(
  find: Find,
  comparisons: readonly AssertionComparison[] = textComparisons,
): AssertionSource {
  return {
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

/** Any place of a document, or of a part of it, by JSONPath; an empty path is the whole of it. */
export function createJsonSource(example: string, find?: Find): AssertionSource {
  return {
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

/** A text that may be JSON, and whether all of it was read. */
export interface JsonText {
  readonly text: string;
  readonly isCut: boolean;
}

/** The same for text of a server, which is JSON only if the server wants it to be. */
export function createJsonTextSource(
  example: string,
  find: (document: Readonly<Record<string, unknown>>) => JsonText | null,
): AssertionSource {
  /** Most checks ask about several places of the same text. */
  const parsed = new WeakMap<object, { readonly value: unknown } | null>();
  const parse = (document: object, text: string) => {
    const known = parsed.get(document);
    if (known !== undefined) return known;
    const json = parseJsonBody(text);
    parsed.set(document, json);
    return json;
  };
  return {
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

/** Texts by name, whose names nobody writes in the same case. Without a property, all of them. */
export function createHeaderSource(
  find: (document: Readonly<Record<string, unknown>>) => unknown,
): AssertionSource {
  return {
    comparisons: assertionComparisons,
    isNumeric: false,
    hasLowerCaseKeys: true,
    findPropertyFault: (property) =>
      property === "" || /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(property)
        ? null
        : "must be the name of a header",
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
