import {
  expect,
  type PayloadAssertion,
  type PayloadPair,
} from "../../../kinds/kit/check-payloads.ts";
import type { Origin, ReadingBuilder } from "../reading-builder.ts";
import { Row } from "./row.ts";

type Codes = { readonly from: number; readonly to: number };

function parseCodes(list: readonly unknown[]): Codes[] {
  return list.flatMap((entry) => {
    const [, from, to = from] = /^\s*(\d{3})\s*(?:-\s*(\d{3})\s*)?$/.exec(String(entry)) ?? [];
    return from === undefined ? [] : [{ from: Number(from), to: Number(to) }];
  });
}

/** Joins adjacent ranges, so that `200-299` and `300-399` become one range. */
function joinCodes(codes: readonly Codes[]): Codes[] {
  const joined: Codes[] = [];
  for (const range of [...codes].sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last !== undefined && range.from <= last.to + 1) {
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    } else joined.push(range);
  }
  return joined;
}

/** Converts accepted status codes, such as `404` and `200-299`, to assertions. */
export function toStatusAssertions(
  builder: ReadingBuilder,
  origin: Origin,
  list: readonly unknown[],
): PayloadAssertion[] {
  const ranges = joinCodes(parseCodes(list));
  const [first] = ranges;
  const last = ranges.at(-1);
  if (first === undefined || last === undefined) return expect.statusBetween(200, 299);
  if (ranges.length > 1) {
    builder.change(origin, "accepted status codes", {
      from: list.join(", "),
      to: `${first.from}-${last.to}`,
      why: "A check accepts one range; this one contains all of them.",
    });
  }
  if (first.from === last.to) return [expect.status(first.from)];
  return expect.statusBetween(first.from, last.to);
}

const segments = /^(?:\$\.?)?((?:[A-Za-z_][\w-]*|\[\d+\])(?:\.[A-Za-z_][\w-]*|\[\d+\])*)$/;

/** Converts a path such as `a.b[0].c` to a JSONPath. Returns `null` for other expressions. */
export function toJsonPath(expression: string): string | null {
  const text = expression.trim();
  if (text === "$" || text === "") return "$";
  const [, path] = segments.exec(text) ?? [];
  if (path === undefined) return null;
  const quoted = path.replaceAll(/(^|\.)([A-Za-z_]\w*-[\w-]*)/g, (_, _dot, name) => `['${name}']`);
  return quoted.startsWith("[") ? `$${quoted}` : `$.${quoted}`;
}

const secretNames = /authorization|cookie|token|secret|password|api-?key|credential|signature/i;

/** Returns whether the value of a header or variable with this name is probably a secret. */
const isSecretName = (name: string): boolean => secretNames.test(name);

/** Converts a header or variable. A probable secret is locked: encrypted, and never shown. */
export function toPair(key: string, value: string): PayloadPair {
  return { key, value, locked: isSecretName(key) };
}

/** Converts an object of header names and values. Values that are not text are dropped. */
export function toHeaders(headers: unknown): PayloadPair[] {
  const row = new Row(headers);
  return row.keys().flatMap((key) => {
    const value = row.text(key);
    return value === null ? [] : [toPair(key, value)];
  });
}
