const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]+/gu;

/**
 * Formats user text as a code span on one line, so that it cannot act as a link, an image, a
 * heading or an instruction.
 */
export function quote(text: string, maxLength = 80): string {
  const flat = text.replace(invisible, " ").replace(/\s+/gu, " ").replaceAll("`", "'").trim();
  const cut = [...flat];
  const shown = cut.length > maxLength ? `${cut.slice(0, maxLength - 1).join("")}…` : flat;
  return `\`${shown === "" ? " " : shown}\``;
}

/** Quotes text that a user must confirm, without truncating it. */
export function quoteWhole(text: string): string {
  return quote(text, 10_000);
}
