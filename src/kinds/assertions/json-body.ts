/**
 * JSON that a stranger sent. Integers that a number cannot hold exactly become the text of their
 * digits, so that two ids that differ in the last digit are not the same.
 */
export function parseJsonBody(text: string): { readonly value: unknown } | null {
  try {
    return { value: hasLongNumber.test(text) ? parseExactly(text) : JSON.parse(text) };
  } catch {
    return null;
  }
}

const hasLongNumber = /\d{16}/;

function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    // A reviver recurses, and so cannot follow a deep nest; a parse without one can.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? source : value;
}
