import { type CssNode, List, type Selector, type SelectorList } from "css-tree";
import type { SheetScope } from "./allowed.ts";
import { allowedPseudoClasses, allowedPseudoElements } from "./allowed.ts";
import { isPlainName } from "./values.ts";

const combinators: ReadonlySet<string> = new Set([" ", ">", "+", "~"]);
const sideways: ReadonlySet<string> = new Set(["+", "~"]);
const maxParts = 30;

function isAllowedList(children: List<CssNode> | null | undefined): boolean {
  return (children?.toArray() ?? []).every(isAllowedPart);
}

/** Attribute selectors are not allowed, because they can leak attribute values to third parties. */
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

/** `html body .check`, `body.x`, `:root` and `.dashboard` all refer to the page's own element. */
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
  // A sibling combinator after the page's own element would select elements outside of it.
  const first = scoped.find(({ type }) => type === "Combinator");
  if (first?.type === "Combinator" && sideways.has(first.name)) return null;
  return { type: "Selector", children: new List<CssNode>().fromArray(scoped) };
}

/** Returns `null` if any selector is not allowed; browsers drop such a rule as a whole, too. */
export function scopeSelectors(list: SelectorList, scopeClass: SheetScope): SelectorList | null {
  const children = new List<CssNode>();
  for (const node of list.children.toArray()) {
    const scoped = node.type === "Selector" ? scopeSelector(node, scopeClass) : null;
    if (scoped === null) return null;
    children.appendData(scoped);
  }
  return children.isEmpty ? null : { type: "SelectorList", children };
}
