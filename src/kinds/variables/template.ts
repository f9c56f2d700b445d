const name = "\\s{0,20}([A-Za-z_$][\\w$]{0,254})\\s{0,20}";
/** Matches `{{NAME}}` and `{{{NAME}}}`. Both mean the same, since values are never escaped. */
const names = new RegExp(`\\{\\{\\{${name}\\}\\}\\}|\\{\\{${name}\\}\\}`, "g");

/**
 * Replaces known variables. Unknown names stay as they are, because a text may contain braces for
 * other reasons.
 */
export function fillVariables(text: string, find: (name: string) => string | undefined): string {
  if (!text.includes("{{")) return text;
  return text.replaceAll(names, (whole, tripled?: string, doubled?: string) => {
    return find(tripled ?? doubled ?? "") ?? whole;
  });
}

/** Replaces every variable with the same value, to validate the text around them. */
export function fillAlike(text: string, value: string): string {
  return fillVariables(text, () => value);
}

export function hasVariables(text: string): boolean {
  return fillAlike(text, "") !== text;
}
