const quote = 0x22;
const backslash = 0x5c;

/** Returns the index of the quote that ends the string whose text starts at `from`, or -1. */
function findStringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

/**
 * Whether a JSON text is nested deeper than the limit. The function only counts brackets outside
 * strings. A hostile text is therefore rejected before `JSON.parse` spends time and memory on it.
 */
export function isTooDeep(text: string, limit: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    // Skip the most frequent characters first, such as digits, commas and colons.
    if (code < 0x5b && code !== quote) continue;
    if (code === quote) {
      index = findStringEnd(text, index + 1);
      if (index === -1) return false;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return false;
}
