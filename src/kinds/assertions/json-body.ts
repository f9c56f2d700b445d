/**
 * Parses untrusted JSON; returns `null` if it is invalid. Integers beyond the safe range become
 * strings of their digits, so that ids that differ only in the last digit remain different.
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
    // `JSON.parse` with a reviver recurses and overflows on deep nesting; without one it does not.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? source : value;
}
