/**
 * Texts from servers that were probed. They are only ever text nodes; control characters, which
 * could hide or turn round what follows, are shown as symbols.
 */
const symbolBase = 0x2400;
const deleteSymbol = "\u2421";
/** Marks that turn the direction of text, or take no room at all. */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

export function showControls(text: string): string {
  let shown = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isLayout = character === "\n" || character === "\t";
    if (code < 0x20 && !isLayout) shown += String.fromCodePoint(symbolBase + code);
    else if (code === 0x7f) shown += deleteSymbol;
    else if (code >= 0x80 && code < 0xa0) shown += `<${code.toString(16).padStart(4, "0")}>`;
    else shown += character;
  }
  return shown.replaceAll(invisible, (mark) => `<${mark.charCodeAt(0).toString(16)}>`);
}

/** In one line: line breaks are symbols too. */
export function showInLine(text: string): string {
  return showControls(text).replaceAll("\n", "\u240a").replaceAll("\t", "\u2409");
}

/** With every line break both as a symbol and as a break, as a terminal would need it. */
export function showExchange(text: string): string {
  return showControls(text).replaceAll("\n", "\u240a\n");
}
