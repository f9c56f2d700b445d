/** Builds a regular expression from several lines; line breaks and indentation are ignored. */
export function pattern(strings: TemplateStringsArray): RegExp {
  return new RegExp(strings.raw.join("").replaceAll(/\n\s*/g, ""));
}
