import {
  type Atrule,
  type Block,
  type CssNode,
  type Declaration,
  generate,
  List,
  type Rule,
  type StyleSheet,
} from "css-tree";
import type { SheetScope } from "./allowed.ts";
import { allowedPositions, allowedProperties, maxCssBytes } from "./allowed.ts";
import { findDepth, parseWithFewFaults } from "./parser.ts";
import { scopeSelectors } from "./selectors.ts";
import { isHarmlessPrelude, isHarmlessValue, isPlainName } from "./values.ts";

/** A removed part of a style sheet, and its position. */
export interface CssWarning {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface FilteredCss {
  readonly css: string;
  readonly warnings: readonly CssWarning[];
}

/** Scoping makes a sheet longer, so the output has a separate limit. */
const maxFilteredBytes = 256 * 1024;
const maxRules = 2_000;
const maxWarnings = 50;
/** Deeper than hand-written CSS; the parser recurses once per bracket. */
const maxDepth = 24;
const maxShownLength = 60;

const nestingAtRules: ReadonlySet<string> = new Set(["media", "supports"]);

interface Filtering {
  readonly scope: SheetScope;
  readonly warnings: CssWarning[];
  rules: number;
}

function warn(work: Filtering, node: CssNode | null, message: string): void {
  if (work.warnings.length >= maxWarnings) return;
  const { line = 1, column = 1 } = node?.loc?.start ?? {};
  work.warnings.push({ line, column, message });
}

function show(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]+/g, " ").trim();
  return plain.length <= maxShownLength ? plain : `${plain.slice(0, maxShownLength - 1)}…`;
}

function isAllowedDeclaration(node: Declaration): boolean {
  const property = node.property.toLowerCase();
  if (!isPlainName(property) || !isHarmlessValue(node.value, property)) return false;
  if (property.startsWith("--")) return true;
  if (!allowedProperties.has(property)) return false;
  if (property !== "position") return true;
  return allowedPositions.has(generate(node.value).trim().toLowerCase());
}

function filterDeclarations(work: Filtering, block: Block): List<CssNode> {
  const kept = new List<CssNode>();
  block.children.forEach((node) => {
    if (node.type === "Declaration" && isAllowedDeclaration(node)) {
      kept.appendData({
        ...node,
        property: node.property.toLowerCase(),
        important: !!node.important,
      });
      return;
    }
    const what =
      node.type === "Declaration" ? `${node.property}: ${generate(node.value)}` : generate(node);
    warn(work, node, `removed: ${show(what)}`);
  });
  return kept;
}

function filterRule(work: Filtering, rule: Rule): Rule | null {
  work.rules += 1;
  if (work.rules > maxRules) {
    if (work.rules === maxRules + 1) warn(work, rule, `more than ${maxRules} rules`);
    return null;
  }
  const prelude =
    rule.prelude.type === "SelectorList" ? scopeSelectors(rule.prelude, work.scope) : null;
  if (prelude === null) {
    warn(work, rule, `removed: the selector ${show(generate(rule.prelude))}`);
    return null;
  }
  const children = filterDeclarations(work, rule.block);
  if (children.isEmpty) return null;
  return { type: "Rule", prelude, block: { type: "Block", children } };
}

const keyframePattern =
  /^(?:from|to|\d{1,3}(?:\.\d{1,6})?%)(?:,(?:from|to|\d{1,3}(?:\.\d{1,6})?%))*$/i;

/** Keyframes have declarations like any rule, and percentages instead of selectors. */
function filterKeyframes(work: Filtering, block: Block): List<CssNode> {
  const kept = new List<CssNode>();
  block.children.forEach((node) => {
    if (node.type !== "Rule" || !keyframePattern.test(generate(node.prelude))) {
      warn(work, node, `removed: ${show(generate(node))}`);
      return;
    }
    const children = filterDeclarations(work, node.block);
    kept.appendData({ ...node, block: { type: "Block", children } });
  });
  return kept;
}

function filterAtRule(work: Filtering, node: Atrule, depth: number): Atrule | null {
  const name = node.name.toLowerCase();
  const { block, prelude } = node;
  const isKnown = name === "keyframes" || nestingAtRules.has(name);
  if (!isKnown || block === null || prelude === null || !isHarmlessPrelude(prelude, name)) {
    const shown = prelude === null ? "" : ` ${generate(prelude)}`;
    warn(work, node, `removed: ${show(`@${node.name}${shown}`)}`);
    return null;
  }
  const children =
    name === "keyframes"
      ? filterKeyframes(work, block)
      : filterRules(work, block.children, depth + 1);
  if (children.isEmpty) return null;
  return { type: "Atrule", name, prelude, block: { type: "Block", children } };
}

function filterRules(work: Filtering, nodes: List<CssNode>, depth: number): List<CssNode> {
  const kept = new List<CssNode>();
  nodes.forEach((node) => {
    if (node.type === "Comment") return;
    let filtered: CssNode | null = null;
    if (node.type === "Rule") filtered = filterRule(work, node);
    else if (node.type === "Atrule" && depth < 4) filtered = filterAtRule(work, node, depth);
    else warn(work, node, `removed: ${show(generate(node))}`);
    if (filtered !== null) kept.appendData(filtered);
  });
  return kept;
}

/** The output can never close a style element, wherever it is embedded. */
function encodeAngles(css: string): string {
  return css.replaceAll("<", "\\3c ");
}

function nothingBut(message: string): FilteredCss {
  return { css: "", warnings: [{ line: 1, column: 1, message }] };
}

/**
 * Filters an untrusted style sheet: only rules with allowed properties and values remain, each
 * scoped to the element of the class `scope`. The output is generated from the parsed rules, so
 * that nothing a browser might read differently remains.
 */
export function filterCustomCss(source: string, scope: SheetScope): FilteredCss {
  if (Buffer.byteLength(source) > maxCssBytes)
    return nothingBut(`longer than ${maxCssBytes} bytes`);
  if (findDepth(source) > maxDepth) return nothingBut(`brackets deeper than ${maxDepth}`);
  const work: Filtering = { scope, warnings: [], rules: 0 };
  const sheet = parseWithFewFaults(source.replaceAll("\0", "\ufffd"), {
    positions: true,
    parseCustomProperty: true,
  }) as StyleSheet | null;
  if (sheet === null) return nothingBut("not a style sheet: too many errors");
  const children = filterRules(work, sheet.children, 0);
  const css = encodeAngles(generate({ type: "StyleSheet", children }));
  if (Buffer.byteLength(css) > maxFilteredBytes) {
    return nothingBut(`longer than ${maxFilteredBytes} bytes once every rule is scoped`);
  }
  return { css, warnings: work.warnings };
}
