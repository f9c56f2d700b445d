/** Matches a UUID of any version, in upper or lower case, without braces or `urn:uuid:`. */
export const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Returns a pattern for `like` and `ilike` that matches every value that contains the text. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

/** Builds a regular expression from several lines. Line breaks and indentation are ignored. */
export function pattern(strings: TemplateStringsArray): RegExp {
  return new RegExp(strings.raw.join("").replaceAll(/\n\s*/g, ""));
}

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
