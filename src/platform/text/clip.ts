/** Control characters and line breaks, which must not appear in a single line. */
const lineBreakers = /[\p{Cc}\u2028\u2029]+/gu;
/** Invisible characters. Some of them change the reading direction, which can disguise a text. */
const invisibleTurns = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]+/gu;

export function toOneLine(text: string): string {
  return text.toWellFormed().replaceAll(invisibleTurns, "").replaceAll(lineBreakers, " ").trim();
}

/**
 * Truncates a text to a length in UTF-16 units, which includes the ellipsis. Does not split a
 * character.
 */
export function clipText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, Math.max(0, maxLength - 1));
  const isHalf = /[\ud800-\udbff]$/.test(cut);
  return `${isHalf ? cut.slice(0, -1) : cut}…`;
}

/** Formats a name, reason or value for any channel, as one line of limited length. */
export function toShortLine(text: string, maxLength: number): string {
  return clipText(toOneLine(text), maxLength);
}

/** Formats user text as a code span in one line, so that it cannot act as a link or an image. */
export function quote(text: string, maxLength = 80): string {
  const flat = text.replace(invisible, " ").replace(/\s+/gu, " ").replaceAll("`", "'").trim();
  const cut = [...flat];
  const shown = cut.length > maxLength ? `${cut.slice(0, maxLength - 1).join("")}…` : flat;
  return `\`${shown === "" ? " " : shown}\``;
}

/**
 * Quotes a text that a user must confirm. Its limit is much higher than usual, so that the user
 * sees the whole text.
 */
export function quoteWhole(text: string): string {
  return quote(text, 10_000);
}
