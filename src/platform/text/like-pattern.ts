/** Returns a pattern for `like` and `ilike` that matches any value containing the text. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
