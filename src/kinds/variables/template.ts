const name = "\\s{0,20}([A-Za-z_$][\\w$]{0,254})\\s{0,20}";
/** `{{NAME}}` in a text. `{{{NAME}}}` is the same: values are never escaped. */
const names = new RegExp(`\\{\\{\\{${name}\\}\\}\\}|\\{\\{${name}\\}\\}`, "g");

/** What is not known stays as it is, so that a text may hold braces for other reasons. */
export function fillVariables(text: string, find: (name: string) => string | undefined): string {
  if (!text.includes("{{")) return text;
  return text.replaceAll(names, (whole, tripled?: string, doubled?: string) => {
    return find(tripled ?? doubled ?? "") ?? whole;
  });
}

/** The text with one value for all of its variables: to check what stands around them. */
export function fillAlike(text: string, value: string): string {
  return fillVariables(text, () => value);
}

export function hasVariables(text: string): boolean {
  return fillAlike(text, "") !== text;
}
