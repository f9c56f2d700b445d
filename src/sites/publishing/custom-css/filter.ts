import {
  type Atrule,
  type Block,
  type CssNode,
  type Declaration,
  generate,
  List,
  type Rule,
  type Selector,
  type SelectorList,
  type StyleSheet,
} from "css-tree";
import {
  allowedPositions,
  allowedProperties,
  allowedPseudoClasses,
  allowedPseudoElements,
  findDepth,
  isHarmlessPrelude,
  isHarmlessValue,
  isPlainName,
  maxCssBytes,
  parseWithFewFaults,
  type SheetScope,
} from "./values.ts";

/** Maximum size of the filtered sheet. Scoping lengthens selectors, so sheets grow. */
const maxFilteredBytes = 256 * 1024;
const maxRules = 2_000;
const maxWarnings = 50;
/**
 * Maximum nesting depth of brackets, because the parser recurses at every bracket. Hand-written CSS
 * is not as deep.
 */
const maxDepth = 24;
const maxShownLength = 60;

const keyframePattern =
  /^(?:from|to|\d{1,3}(?:\.\d{1,6})?%)(?:,(?:from|to|\d{1,3}(?:\.\d{1,6})?%))*$/i;
const maxParts = 30;

/** A part that was removed from a style sheet, with its position. */
export interface CssWarning {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface FilteredCss {
  readonly css: string;
  readonly warnings: readonly CssWarning[];
}

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

/** Filters a keyframes rule, whose blocks have percentages instead of selectors. */
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

/** Escapes every `<`, so that the CSS cannot close the HTML style element that contains it. */
function encodeAngles(css: string): string {
  return css.replaceAll("<", "\\3c ");
}

function nothingBut(message: string): FilteredCss {
  return { css: "", warnings: [{ line: 1, column: 1, message }] };
}

/**
 * Filters an untrusted style sheet. Only rules with allowed properties and values remain, and each
 * rule is scoped to the element with the class `scope`. The output is generated from the parsed
 * rules, so that a browser cannot interpret the output differently.
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

const combinators: ReadonlySet<string> = new Set([" ", ">", "+", "~"]);
const sideways: ReadonlySet<string> = new Set(["+", "~"]);

function isAllowedList(children: List<CssNode> | null | undefined): boolean {
  return (children?.toArray() ?? []).every(isAllowedPart);
}

/**
 * Returns whether a part of a selector is allowed. Attribute selectors are not allowed, because
 * they can leak attribute values to third parties.
 */
function isAllowedPart(node: CssNode): boolean {
  switch (node.type) {
    case "TypeSelector":
      return node.name === "*" || isPlainName(node.name);
    case "ClassSelector":
    case "IdSelector":
      return isPlainName(node.name);
    case "Combinator":
      return combinators.has(node.name);
    case "PseudoClassSelector":
      return allowedPseudoClasses.has(node.name.toLowerCase()) && isAllowedList(node.children);
    case "PseudoElementSelector":
      return allowedPseudoElements.has(node.name.toLowerCase()) && !node.children;
    case "SelectorList":
    case "Selector":
      return isAllowedList(node.children);
    case "Nth":
      return node.selector === null || isAllowedPart(node.selector);
    case "AnPlusB":
    case "Identifier":
      return true;
    default:
      return false;
  }
}

const isRoot = (node: CssNode | undefined, scopeClass: SheetScope): boolean =>
  (node?.type === "TypeSelector" && ["html", "body"].includes(node.name.toLowerCase())) ||
  (node?.type === "PseudoClassSelector" && node.name.toLowerCase() === "root") ||
  (node?.type === "ClassSelector" && node.name === scopeClass);

const isStep = (node: CssNode | undefined): boolean =>
  node?.type === "Combinator" && (node.name === " " || node.name === ">");

/**
 * Adds the scope class to a selector. If the selector starts with `html`, `body`, `:root` or the
 * scope class itself, the scope class replaces this part.
 */
function scope(parts: readonly CssNode[], scopeClass: SheetScope): CssNode[] {
  const root: CssNode = { type: "ClassSelector", name: scopeClass };
  if (!isRoot(parts[0], scopeClass)) return [root, { type: "Combinator", name: " " }, ...parts];
  if (isStep(parts[1]) && isRoot(parts[2], scopeClass)) return scope(parts.slice(2), scopeClass);
  return [root, ...parts.slice(1)];
}

function scopeSelector(selector: Selector, scopeClass: SheetScope): Selector | null {
  const parts = selector.children.toArray();
  if (parts.length === 0 || parts.length > maxParts || !parts.every(isAllowedPart)) return null;
  if (parts[0]?.type === "Combinator" || parts.at(-1)?.type === "Combinator") return null;
  const scoped = scope(parts, scopeClass);
  // A sibling combinator after the scope class would select elements outside the scope.
  const first = scoped.find(({ type }) => type === "Combinator");
  if (first?.type === "Combinator" && sideways.has(first.name)) return null;
  return { type: "Selector", children: new List<CssNode>().fromArray(scoped) };
}

/**
 * Scopes the selectors of a rule. Returns `null` if one of them is forbidden, because browsers also
 * drop a rule with one invalid selector.
 */
function scopeSelectors(list: SelectorList, scopeClass: SheetScope): SelectorList | null {
  const children = new List<CssNode>();
  for (const node of list.children.toArray()) {
    const scoped = node.type === "Selector" ? scopeSelector(node, scopeClass) : null;
    if (scoped === null) return null;
    children.appendData(scoped);
  }
  return children.isEmpty ? null : { type: "SelectorList", children };
}
