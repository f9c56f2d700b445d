/** A regular expression over several lines: where a line breaks, nothing stands. */
export function pattern(strings: TemplateStringsArray): RegExp {
  return new RegExp(strings.raw.join("").replaceAll(/\n\s*/g, ""));
}
