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

/**
 * Parses CSS. css-tree reuses its token list between texts. With unbalanced brackets, it reads one
 * entry past the end of the new list. A bracket from the previous text at this place can cause an
 * endless loop. Therefore a text of commas is parsed first, which overwrites the list.
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
 * Returns the maximum nesting depth of brackets, which is never less than the recursion depth of
 * the parser. Brackets in strings and comments do not count, and a closing bracket of the wrong
 * type is ignored.
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

/** Maximum number of syntax errors. Each error takes as much time as a hundred correct lines. */
const maxFaults = 500;

/** Parses CSS; returns `null` if the text has too many syntax errors. */
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

/** Returns whether a name has no escapes, which browsers could interpret differently. */
export function isPlainName(name: string): boolean {
  return plainName.test(name);
}

function areHarmless(nodes: List<CssNode>, property: string): boolean {
  return nodes.toArray().every((node) => isHarmless(node, property));
}

/** Parses the fallback value after the comma of `var()`, which css-tree leaves unparsed. */
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

export const maxCssBytes = 64 * 1024;

const borderParts = ["color", "style", "width"];

/** Class of the element to which all rules of a custom style sheet are scoped. */
export type SheetScope = "dashboard" | "status-page";

/** A custom style sheet as written by its author, with the kind of page that uses it. */
export interface Sheet {
  readonly source: string;
  readonly scope: SheetScope;
}

/** Allow lists of CSS properties, functions and values. The filter removes everything else. */

const boxSides = ["top", "right", "bottom", "left", "block", "inline"];
const logicalSides = ["block-start", "block-end", "inline-start", "inline-end"];
const allSides = [...boxSides, ...logicalSides];

const withSides = (name: string) => [name, ...allSides.map((side) => `${name}-${side}`)];
const corners = ["top-left", "top-right", "bottom-left", "bottom-right"];

/** Allowed properties. None of them loads resources, leaves the flow or intercepts clicks. */
export const allowedProperties: ReadonlySet<string> = new Set([
  ...withSides("margin"),
  ...withSides("padding"),
  ...withSides("border"),
  ...borderParts.flatMap((part) => [
    `border-${part}`,
    ...allSides.map((side) => `border-${side}-${part}`),
  ]),
  ...corners.map((corner) => `border-${corner}-radius`),
  ..."accent-color align-content align-items align-self".split(" "),
  ..."animation animation-delay animation-direction animation-duration".split(" "),
  ..."animation-fill-mode animation-iteration-count animation-name".split(" "),
  ..."animation-play-state animation-timing-function aspect-ratio".split(" "),
  ..."background background-clip background-color background-image".split(" "),
  ..."background-origin background-position background-repeat background-size".split(" "),
  ..."block-size border-collapse border-radius border-spacing box-shadow".split(" "),
  ..."box-sizing color color-scheme column-gap content display fill fill-opacity".split(" "),
  ..."filter flex flex-basis flex-direction flex-flow flex-grow flex-shrink".split(" "),
  ..."flex-wrap font font-family font-feature-settings font-kerning font-size".split(" "),
  ..."font-stretch font-style font-variant font-variant-caps".split(" "),
  ..."font-variant-numeric font-weight gap grid grid-area grid-auto-columns".split(" "),
  ..."grid-auto-flow grid-auto-rows grid-column grid-column-end".split(" "),
  ..."grid-column-start grid-row grid-row-end grid-row-start grid-template".split(" "),
  ..."grid-template-areas grid-template-columns grid-template-rows height".split(" "),
  ..."hyphens inline-size justify-content justify-items justify-self".split(" "),
  ..."letter-spacing line-height list-style-position list-style-type".split(" "),
  ..."max-block-size max-height max-inline-size max-width min-block-size".split(" "),
  ..."min-height min-inline-size min-width object-fit object-position".split(" "),
  ..."opacity order outline outline-color outline-offset outline-style".split(" "),
  ..."outline-width overflow overflow-wrap overflow-x overflow-y".split(" "),
  ..."place-content place-items place-self position quotes rotate row-gap".split(" "),
  ..."scale stroke stroke-dasharray stroke-linecap stroke-linejoin".split(" "),
  ..."stroke-opacity stroke-width tab-size text-align text-decoration".split(" "),
  ..."text-decoration-color text-decoration-line text-decoration-style".split(" "),
  ..."text-decoration-thickness text-indent text-overflow text-shadow".split(" "),
  ..."text-transform text-underline-offset text-wrap transform".split(" "),
  ..."transform-origin transition transition-delay transition-duration".split(" "),
  ..."transition-property transition-timing-function translate".split(" "),
  ..."vertical-align visibility white-space width word-break word-spacing".split(" "),
  ..."z-index".split(" "),
]);

/** Allowed values of `position`. Other values could put a box over the page. */
export const allowedPositions: ReadonlySet<string> = new Set([
  ..."static relative inherit initial unset revert".split(" "),
]);

/** Allowed functions. None of them accepts a URL, an attribute or a script. */
const allowedFunctions: ReadonlySet<string> = new Set([
  ..."var calc min max clamp round mod rem abs sign".split(" "),
  ..."rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark".split(" "),
  ..."linear-gradient radial-gradient conic-gradient".split(" "),
  ..."repeating-linear-gradient repeating-radial-gradient repeating-conic-gradient".split(" "),
  ..."translate translatex translatey translate3d translatez scale scalex scaley".split(" "),
  ..."scale3d scalez rotate rotatex rotatey rotatez rotate3d skew skewx skewy".split(" "),
  ..."matrix matrix3d perspective blur brightness contrast drop-shadow grayscale".split(" "),
  ..."hue-rotate invert opacity saturate sepia cubic-bezier steps linear".split(" "),
  ..."repeat minmax fit-content counter counters".split(" "),
]);

/** Properties in which a quoted string is text and never a URL. */
const propertiesWithText: ReadonlySet<string> = new Set([
  ..."content font font-family font-feature-settings grid grid-template".split(" "),
  ..."grid-template-areas list-style-type quotes text-overflow".split(" "),
]);

export const allowedPseudoClasses: ReadonlySet<string> = new Set([
  ..."hover focus focus-visible focus-within active link any-link empty root".split(" "),
  ..."first-child last-child only-child nth-child nth-last-child".split(" "),
  ..."first-of-type last-of-type only-of-type nth-of-type nth-last-of-type".split(" "),
  ..."not is where".split(" "),
]);

export const allowedPseudoElements: ReadonlySet<string> = new Set([
  ..."before after first-line first-letter marker".split(" "),
]);

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

/**
 * Returns whether the value of a CSS declaration is safe. An empty value is not safe: once the
 * filtered CSS is written as text, a browser may parse the declaration as a different one.
 */
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
