const shortLength = 28;
const tailLength = 12;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Splits a long name, so that its end stays visible when the start is truncated: names with a
 * common prefix differ at the end.
 */
export function splitName(name: string): readonly [head: string, tail: string] {
  if (name.length <= shortLength) return [name, ""];
  const signs = Array.from(graphemes.segment(name), ({ segment }) => segment);
  const place = Math.max(0, signs.length - tailLength);
  return [signs.slice(0, place).join(""), signs.slice(place).join("")];
}
