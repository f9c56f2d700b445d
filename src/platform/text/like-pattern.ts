/** For `like` and `ilike`: anything that contains the text, whatever signs it is made of. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
