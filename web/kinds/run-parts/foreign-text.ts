/**
 * Formats untrusted text from probed servers. Control characters could hide or reverse the
 * following text, so they are shown as symbols.
 */
const symbolBase = 0x2400;
const deleteSymbol = "\u2421";
/** Characters that change the text direction or have no width. */
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

/** Formats text for a single line. Line breaks and tabs also become symbols. */
export function showInLine(text: string): string {
  return showControls(text).replaceAll("\n", "\u240a").replaceAll("\t", "\u2409");
}

/** Formats text with each line break as a symbol followed by a line break. */
export function showExchange(text: string): string {
  return showControls(text).replaceAll("\n", "\u240a\n");
}
