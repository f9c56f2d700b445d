import {
  type Atrule,
  type CssNode,
  type FunctionNode,
  List,
  type ParseOptions,
  parse,
  tokenize,
  tokenTypes,
} from "css-tree";
import { allowedFunctions, propertiesWithText } from "./allowed.ts";

/**
 * css-tree reuses its token list between texts, and for unbalanced brackets it reads one entry past
 * the end of the new list: an old bracket there can cause an endless loop. Therefore every text is
 * preceded by one that leaves only commas there.
 */
export function parseCss(source: string, options: ParseOptions): CssNode {
  parse(`x:${",".repeat(source.length)}`, { context: "declaration", parseValue: false });
  return parse(source, options);
}

const closerOf: ReadonlyMap<number, number> = new Map([
  [tokenTypes.Function, tokenTypes.RightParenthesis],
  [tokenTypes.LeftParenthesis, tokenTypes.RightParenthesis],
  [tokenTypes.LeftSquareBracket, tokenTypes.RightSquareBracket],
  [tokenTypes.LeftCurlyBracket, tokenTypes.RightCurlyBracket],
]);

/**
 * Nesting depth of the brackets as the parser counts them: brackets in quotes and comments do not
 * count, and a bracket of another type closes nothing. Never less than the parser's recursion
 * depth.
 */
export function findDepth(source: string): number {
  const open: number[] = [];
  let deepest = 0;
  tokenize(source, (type) => {
    const closer = closerOf.get(type);
    if (closer !== undefined) deepest = Math.max(deepest, open.push(closer));
    else if (open.at(-1) === type) open.pop();
  });
  return deepest;
}

/** Hand-written sheets have few errors, and each costs as much as a hundred correct lines. */
const maxFaults = 500;

/** Returns `null` for a text with too many errors. */
export function parseWithFewFaults(source: string, options: ParseOptions): CssNode | null {
  let faults = 0;
  const onParseError = () => {
    faults += 1;
    if (faults > maxFaults) throw new RangeError("too many errors");
  };
  try {
    return parseCss(source, { ...options, onParseError });
  } catch (error) {
    if (faults > maxFaults) return null;
    throw error;
  }
}

const plainName = /^(?:--|-)?[a-z_][a-z0-9_-]*$/i;
const plainHash = /^[0-9a-f]{3,8}$/i;
const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const plainUnit = /^[a-z]{1,8}$/i;
const operators: ReadonlySet<string> = new Set([",", "/", "+", "-", "*"]);
const maxTextLength = 500;

/** Names with escapes are rejected, because they could be read differently than written. */
export function isPlainName(name: string): boolean {
  return plainName.test(name);
}

function areHarmless(nodes: List<CssNode>, property: string): boolean {
  return nodes.toArray().every((node) => isHarmless(node, property));
}

/** The parser does not parse the fallback after the comma of `var()`, so it is parsed here. */
function readFallback(node: FunctionNode): boolean {
  const parts = node.children.toArray();
  if (!parts.some(({ type }) => type === "Raw")) return true;
  if (node.name.toLowerCase() !== "var") return false;
  const children = new List<CssNode>();
  for (const part of parts) {
    if (part.type !== "Raw") {
      children.appendData(part);
      continue;
    }
    const value = parseCss(part.value, { context: "value" });
    if (value.type !== "Value") return false;
    children.appendList(value.children);
  }
  node.children = children;
  return true;
}

function isHarmlessFunction(node: FunctionNode, property: string): boolean {
  if (!allowedFunctions.has(node.name.toLowerCase())) return false;
  return readFallback(node) && areHarmless(node.children, property);
}

function isHarmless(node: CssNode, property: string): boolean {
  switch (node.type) {
    case "Value":
    case "Parentheses":
      return areHarmless(node.children, property);
    case "Identifier":
      return isPlainName(node.name);
    case "Number":
    case "Percentage":
      return plainNumber.test(node.value);
    case "Dimension":
      return plainNumber.test(node.value) && plainUnit.test(node.unit);
    case "Hash":
      return plainHash.test(node.value);
    case "Operator":
      return operators.has(node.value.trim());
    case "String":
      return propertiesWithText.has(property) && node.value.length <= maxTextLength;
    case "Function":
      return isHarmlessFunction(node, property);
    default:
      return false;
  }
}

/** An empty value is rejected, because it would become another declaration when written out. */
export function isHarmlessValue(value: CssNode, property: string): boolean {
  return value.type === "Value" && !value.children.isEmpty && isHarmless(value, property);
}

function isHarmlessCondition(node: CssNode): boolean {
  switch (node.type) {
    case "AtrulePrelude":
    case "MediaQueryList":
    case "Condition":
      return node.children.toArray().every(isHarmlessCondition);
    case "MediaQuery":
      return (
        [node.modifier, node.mediaType].every((name) => name === null || isPlainName(name)) &&
        (node.condition === null || isHarmlessCondition(node.condition))
      );
    case "Feature":
      return isPlainName(node.name) && (node.value === null || isHarmless(node.value, ""));
    case "FeatureRange":
      return [node.left, node.middle, node.right].every(
        (side) => side === null || isHarmless(side, ""),
      );
    case "SupportsDeclaration":
      return (
        isPlainName(node.declaration.property) &&
        isHarmlessValue(node.declaration.value, node.declaration.property.toLowerCase())
      );
    case "Identifier":
      return isPlainName(node.name);
    default:
      return false;
  }
}

export function isHarmlessPrelude(prelude: NonNullable<Atrule["prelude"]>, name: string): boolean {
  if (prelude.type !== "AtrulePrelude" || prelude.children.isEmpty) return false;
  if (name !== "keyframes") return isHarmlessCondition(prelude);
  const [only, ...others] = prelude.children.toArray();
  return others.length === 0 && only?.type === "Identifier" && isPlainName(only.name);
}
