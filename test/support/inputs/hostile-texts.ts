/** Starts of all Markdown constructs without their ends, and mismatched pairs. */
const pieces = [
  ..."[]()*_~`<>&!\\:\n#=-+|\"'",
  ...["> ", "- ", "1. ", "# ", "=\n", "-\n", "* * *\n", "\t", "    - x\n", "``` \n", "|a|\n"],
  ...["*a_", "**a", "_a ", "~~a", "a**b", "*_", "*a **a ", "x ~~", "`a``", "[`", "`["],
  ...["[a](", "![", "[]", "[a]", "[a][", "[a](<", '[a](b "', "[[", "](", "[![", "[a](b)["],
  ...["[a](((", "[a\\](", "[ ](\n", "[a]: <x\n", "[a]: b\n\n", "[x]:\n", "a\\\n"],
  ...["<a", "<!--", "<a>b", "<http://", "&#", "&amp", "&#x", "&a;", "http://", "http://a.b/("],
  ...["https://a.b?[", "mailto:", "a@", "((", "--", "...", "*a* ", "`a` ", "[a](http://b.c) "],
  // Constructs surrounded by letters, so that a text contains just as many marks as the parser
  // accepts.
  ...["[aaaaaa", "*aaaaaa", "_a aaaa", "`aaaaaa", "<aaaaaa", "http://a.b/aaaaaaaaaa "],
];

/**
 * Returns texts of a given length, each of which repeats one piece and is therefore expensive to
 * parse.
 */
export function listHostileTexts(length: number): readonly string[] {
  return pieces.map((piece) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length));
}

export function createPlainText(length: number): string {
  return "We are looking into what goes wrong here and will tell more soon.\n\n"
    .repeat(Math.ceil(length / 67))
    .slice(0, length);
}
