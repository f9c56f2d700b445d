/** Control characters and line breaks, which a single line cannot contain. */
const lineBreakers = /[\p{Cc}\u2028\u2029]+/gu;
/** Invisible marks that change the reading direction and can make a text read as another one. */
const invisibleTurns = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

export function toOneLine(text: string): string {
  return text.toWellFormed().replaceAll(invisibleTurns, "").replaceAll(lineBreakers, " ").trim();
}

/**
 * Limits a text to a number of UTF-16 units, including the ellipsis, without splitting a character.
 */
export function clipText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, Math.max(0, maxLength - 1));
  const isHalf = /[\ud800-\udbff]$/.test(cut);
  return `${isHalf ? cut.slice(0, -1) : cut}…`;
}

/** Formats a name, reason or value as one line of limited length for any channel. */
export function toShortLine(text: string, maxLength: number): string {
  return clipText(toOneLine(text), maxLength);
}
