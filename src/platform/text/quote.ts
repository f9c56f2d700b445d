const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]+/gu;

/**
 * Text of others as a code span on one line: in there nothing is a link, an image, a heading or
 * an instruction, whatever the text says.
 */
export function quote(text: string, maxLength = 80): string {
  const flat = text.replace(invisible, " ").replace(/\s+/gu, " ").replaceAll("`", "'").trim();
  const cut = [...flat];
  const shown = cut.length > maxLength ? `${cut.slice(0, maxLength - 1).join("")}…` : flat;
  return `\`${shown === "" ? " " : shown}\``;
}

/** What somebody says yes to is shown to its end. */
export function quoteWhole(text: string): string {
  return quote(text, 10_000);
}
