/** A UUID of any version, in either case, without braces or `urn:uuid:`. */
export const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Returns a pattern for `like` and `ilike` that matches any value containing the text. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

/** Builds a regular expression from several lines; line breaks and indentation are ignored. */
export function pattern(strings: TemplateStringsArray): RegExp {
  return new RegExp(strings.raw.join("").replaceAll(/\n\s*/g, ""));
}

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
