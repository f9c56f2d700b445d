/** Controls and line ends, which a single line cannot have. */
const lineBreakers = /[\p{Cc}\u2028\u2029]+/gu;
/** Marks that turn the reading direction, and can make a text read as another one. */
const invisibleTurns = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

export function toOneLine(text: string): string {
  return text.toWellFormed().replaceAll(invisibleTurns, "").replaceAll(lineBreakers, " ").trim();
}

/** At most so many UTF-16 units, the ellipsis included, and never half a character. */
export function clipText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, Math.max(0, maxLength - 1));
  const isHalf = /[\ud800-\udbff]$/.test(cut);
  return `${isHalf ? cut.slice(0, -1) : cut}…`;
}

/** One line of bounded length, as every channel shows names, reasons and values. */
export function toShortLine(text: string, maxLength: number): string {
  return clipText(toOneLine(text), maxLength);
}
