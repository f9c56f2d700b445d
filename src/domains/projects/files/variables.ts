/** Variables of the environment in texts: `${NAME}`. `$${` stands for the characters `${`. */

const marks = /\$\$\{|\$\{([^}]*)\}?/g;
const validName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Filled {
  readonly text: string;
  /** Rules that the text breaks. */
  readonly faults: readonly string[];
}

/** Replaces the variables of a text by their values. */
export function fillVariables(text: string, environment: Environment): Filled {
  const faults: string[] = [];
  const filled = text.replaceAll(marks, (mark, name: string | undefined) => {
    if (name === undefined) return "${";
    if (!mark.endsWith("}") || !validName.test(name)) {
      faults.push(`contains "${mark}", which is not a variable; write $\${ for the characters \${`);
      return mark;
    }
    const value = environment[name];
    if (value === undefined) faults.push(`needs the variable ${name}, which is not set`);
    return value ?? "";
  });
  return { text: filled, faults };
}

export const writeVariable = (name: string) => `\${${name}}`;

/** Writes a text so that it contains no variables. */
export const escapeVariables = (text: string) => text.replaceAll("${", () => "$${");
