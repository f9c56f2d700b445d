import { type CssNode, type ParseOptions, parse, tokenize, tokenTypes } from "css-tree";

/**
 * css-tree keeps its list of tokens from one text to the next, and for brackets that do not match
 * it looks one place past the end of the new list: an old bracket there can send it round in
 * circles for ever. So every text follows one that leaves nothing but commas that far.
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
 * How deep the brackets go, as the parser reads them: one in quotes or in a comment is none, and
 * one of another kind closes nothing. So it is never less than how deep the parser will go.
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

/** What people write has a handful of faults; each costs as much as a hundred good lines. */
const maxFaults = 500;

/** Null for a text with more faults than a real sheet has. */
export function parseWithFewFaults(source: string, options: ParseOptions): CssNode | null {
  let faults = 0;
  const onParseError = () => {
    faults += 1;
    if (faults > maxFaults) throw new RangeError("too many faults");
  };
  try {
    return parseCss(source, { ...options, onParseError });
  } catch (error) {
    if (faults > maxFaults) return null;
    throw error;
  }
}
