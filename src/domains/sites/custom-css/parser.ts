import { type CssNode, type ParseOptions, parse, tokenize, tokenTypes } from "css-tree";

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
