import { ApiError } from "../api/api-error.ts";

const emptyRules = new Set(["must not be empty", "is required"]);

/** Formats a validation rule as a sentence: "Port must be between 1 and 65535", "Enter a name". */
export function writeRule(rule: string, label?: string): string {
  if (emptyRules.has(rule)) {
    return label === undefined ? "Fill in this field" : `Enter ${withArticle(lowerFirst(label))}`;
  }
  // The sentence after "is refused" says what is wrong. Below the field it needs no introduction.
  if (label === undefined) return upperFirst(rule.replace(/^is refused: /, ""));
  return upperFirst(`${label} ${rule}`);
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) && !/^url\b/i.test(noun) ? "an" : "a"} ${noun}`;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Lower-cases the first letter of a word such as "Name", but not an abbreviation such as "URL". */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** Returns the validation error of a field or of a subfield, or `undefined` if there is none. */
export function getFieldError(error: unknown, key: string, label?: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = Object.entries(error.fieldErrors).find(
    ([one]) => one === key || one.startsWith(`${key}.`),
  );
  if (found === undefined) return undefined;
  const [foundKey, rule] = found;
  return writeRule(rule, label ?? (foundKey.endsWith("name") ? "Name" : undefined));
}

/** Returns the API error if none of the form's fields shows it, otherwise `null`. */
export function getFormError(error: unknown, keys: readonly string[]): ApiError | null {
  if (!(error instanceof ApiError)) return null;
  return keys.some((key) => getFieldError(error, key) !== undefined) ? null : error;
}
