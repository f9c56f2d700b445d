import { type CssNode, type ParseOptions, parse } from "css-tree";

/**
 * css-tree keeps its list of tokens from one text to the next, and for brackets that do not match
 * it looks one place past the end of the new list: an old bracket there can send it round in
 * circles for ever. So every text follows one that leaves nothing but commas that far.
 */
export function parseCss(source: string, options: ParseOptions): CssNode {
  parse(`x:${",".repeat(source.length)}`, { context: "declaration", parseValue: false });
  return parse(source, options);
}
