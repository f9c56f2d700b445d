import {
  type AssertionSource,
  assertionComparisons,
  isRecord,
  listRule,
  numericComparisons,
  textComparisons,
} from "./assertion.ts";
import { findJsonPathFault, readJsonPath } from "./json-path.ts";

/** Some numbers of a document, known by name. Where one is missing, no claim about it holds. */
export function createNumberSource(
  name: string,
  properties: readonly string[],
  find: (document: Readonly<Record<string, unknown>>) => unknown,
): AssertionSource {
  return {
    comparisons: numericComparisons,
    isNumeric: true,
    findPropertyFault: (property) =>
      properties.includes(property) ? null : `${listRule(properties)} when source is ${name}`,
    read: (document, property) => {
      const found = isRecord(document) ? find(document) : null;
      const value = isRecord(found) ? found[property] : null;
      return typeof value === "number" ? { kind: "value", value } : { kind: "missing" };
    },
  };
}

/** Any place of a document, by JSONPath; an empty path is the whole of it. */
export function createJsonSource(example: string): AssertionSource {
  return {
    comparisons: assertionComparisons,
    isNumeric: false,
    findPropertyFault: (property) => {
      const found = property === "" ? null : findJsonPathFault(property);
      if (found === null) return null;
      return found === "regex-function"
        ? "must not use match() or search()"
        : `must be a JSONPath as in RFC 9535, such as ${example}`;
    },
    read: (document, property) =>
      property === "" ? { kind: "value", value: document } : readJsonPath(property, document),
  };
}

function findEmptyPropertyFault(name: string, property: string): string | null {
  return property === "" ? null : `must be empty when source is ${name}`;
}

/** One number of a document. Where it is missing, no claim about it holds. */
export function createFigureSource(
  name: string,
  find: (document: Readonly<Record<string, unknown>>) => unknown,
): AssertionSource {
  return {
    comparisons: numericComparisons,
    isNumeric: true,
    findPropertyFault: (property) => findEmptyPropertyFault(name, property),
    read: (document) => {
      const value = isRecord(document) ? find(document) : null;
      return typeof value === "number" ? { kind: "value", value } : { kind: "missing" };
    },
  };
}

/** The text of an answer. Greater and less compare it as a number, where it is one. */
export function createTextSource(
  name: string,
  find: (document: Readonly<Record<string, unknown>>) => unknown,
): AssertionSource {
  return {
    comparisons: textComparisons,
    isNumeric: false,
    findPropertyFault: (property) => findEmptyPropertyFault(name, property),
    read: (document) => {
      const value = isRecord(document) ? find(document) : null;
      return typeof value === "string" ? { kind: "value", value } : { kind: "missing" };
    },
  };
}
