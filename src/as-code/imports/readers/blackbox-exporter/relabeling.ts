import { createHash } from "node:crypto";
import { RE2JS } from "re2js";
import { findRegexFault } from "../../../../kinds/kit/assertions/regular-expression.ts";
import { Row } from "../row.ts";

export type Labels = ReadonlyMap<string, string>;

/** Applies relabeling rules. Returns the new labels, or `null` if the rules drop the target. */
export type Relabel = (labels: Labels) => Labels | null;

interface Rule {
  readonly action: string;
  readonly sources: readonly string[];
  readonly separator: string;
  readonly regex: RE2JS;
  readonly target: string;
  readonly replacement: string;
  readonly modulus: number;
}

const labelNames = /^[A-Za-z_]\w*$/;

/**
 * Compiles an expression that must match the whole text; returns `null` if the expression is
 * invalid.
 */
export function compileWhole(pattern: string): RE2JS | null {
  if (findRegexFault(pattern) !== null) return null;
  return RE2JS.compile(`(?s:${pattern})`);
}

/** Capture groups of a match, by number and by name. */
type Groups = ReadonlyMap<string, string>;

/** Matches the whole text and returns the capture groups. */
function matchWhole(regex: RE2JS, text: string): Groups | null {
  const matcher = regex.matcher(text);
  if (!matcher.matches()) return null;
  const numbers = Array.from({ length: regex.groupCount() + 1 }, (_, index) => index);
  const numbered = numbers.map((index): [string, number] => [String(index), index]);
  return new Map(
    [...numbered, ...Object.entries(regex.namedGroups())].map(([name, index]) => [
      name,
      matcher.group(index) ?? "",
    ]),
  );
}

/** Replaces `$1`, `${1}` and `$name` with capture groups. An unknown group becomes empty text. */
const expand = (template: string, groups: Groups): string =>
  template.replaceAll(/\$(?:\$|\{(\w+)\}|(\w+))/g, (found, braced?: string, plain?: string) =>
    found === "$$" ? "$" : (groups.get(braced ?? plain ?? "") ?? ""),
  );

/** Returns the last eight bytes of the MD5 hash modulo a number, like `hashmod` of Prometheus. */
function hashModulus(text: string, modulus: number): string {
  const hash = createHash("md5").update(text).digest();
  return String(hash.readBigUInt64BE(8) % BigInt(modulus));
}

function withLabel(labels: Labels, name: string, value: string): Labels {
  const next = new Map(labels);
  if (value === "") next.delete(name);
  else if (labelNames.test(name)) next.set(name, value);
  return next;
}

/** Returns the value of a label. As in Prometheus, a missing label is empty text. */
const getLabel = (labels: Labels, name: string): string => labels.get(name) ?? "";

const filterNames = (labels: Labels, isKept: (name: string) => boolean): Labels =>
  new Map([...labels].filter(([name]) => isKept(name)));

type Apply = (rule: Rule, labels: Labels, source: string) => Labels | null;

const actions: Readonly<Record<string, Apply>> = {
  replace: ({ regex, target, replacement }, labels, source) => {
    const groups = matchWhole(regex, source);
    if (groups === null) return labels;
    return withLabel(labels, expand(target, groups), expand(replacement, groups));
  },
  keep: ({ regex }, labels, source) => (matchWhole(regex, source) === null ? null : labels),
  drop: ({ regex }, labels, source) => (matchWhole(regex, source) === null ? labels : null),
  keepequal: ({ target }, labels, source) => (getLabel(labels, target) === source ? labels : null),
  dropequal: ({ target }, labels, source) => (getLabel(labels, target) === source ? null : labels),
  lowercase: ({ target }, labels, source) => withLabel(labels, target, source.toLowerCase()),
  uppercase: ({ target }, labels, source) => withLabel(labels, target, source.toUpperCase()),
  hashmod: ({ target, modulus }, labels, source) =>
    withLabel(labels, target, hashModulus(source, modulus)),
  labelmap: ({ regex, replacement }, labels) => {
    let next = labels;
    for (const [name, value] of labels) {
      const groups = matchWhole(regex, name);
      if (groups !== null) next = withLabel(next, expand(replacement, groups), value);
    }
    return next;
  },
  labeldrop: ({ regex }, labels) => filterNames(labels, (name) => matchWhole(regex, name) === null),
  labelkeep: ({ regex }, labels) => filterNames(labels, (name) => matchWhole(regex, name) !== null),
};

function readText(row: Row, names: readonly string[], fallback: string): string {
  const value = names.map((name) => row.get(name)).find((found) => found !== undefined);
  // YAML parses `regex: true` as a boolean.
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : fallback;
}

/**
 * Parses a rule; returns `null` if the rule is not supported. In resources of the Prometheus
 * operator, the keys are in camelCase.
 */
function parseRule(value: unknown): Rule | null {
  const row = new Row(value);
  const action = readText(row, ["action"], "replace").toLowerCase();
  const regex = compileWhole(readText(row, ["regex"], "(.*)"));
  if (!Object.hasOwn(actions, action) || regex === null) return null;
  const sources = [...row.list("source_labels"), ...row.list("sourceLabels")];
  return {
    action,
    sources: sources.map(String),
    separator: readText(row, ["separator"], ";"),
    regex,
    target: readText(row, ["target_label", "targetLabel"], ""),
    replacement: readText(row, ["replacement"], "$1"),
    modulus: Math.max(row.integer("modulus") ?? 1, 1),
  };
}

/**
 * Returns whether the rules set the `target` parameter, which exporters that probe targets require.
 */
export const writesTarget = (rules: readonly unknown[]): boolean =>
  rules.some((rule) =>
    ["target_label", "targetLabel"].some((key) => new Row(rule).text(key) === "__param_target"),
  );

/** Returns a function that applies the rules, or the number of the first invalid rule. */
export function parseRelabeling(values: readonly unknown[]): Relabel | number {
  const rules: Rule[] = [];
  for (const [index, value] of values.entries()) {
    const rule = parseRule(value);
    if (rule === null) return index + 1;
    rules.push(rule);
  }
  return (labels) => {
    let current: Labels | null = labels;
    for (const rule of rules) {
      if (current === null) return null;
      const { sources, separator }: Rule = rule;
      const known: Labels = current;
      const source = sources.map((name) => getLabel(known, name)).join(separator);
      current = actions[rule.action]?.(rule, known, source) ?? null;
    }
    return current;
  };
}
