/** Replaces the codes of locations in a sentence by their names. Pure. */
export function replaceCodes(
  sentence: string,
  names: readonly (readonly [code: string, name: string])[],
): string {
  const byCode = new Map(names.filter(([code]) => sentence.includes(code)));
  if (byCode.size === 0) return sentence;
  // A code is a whole word: `eu-west-1` is not a part of `eu-west-12` or of a host name.
  return sentence.replaceAll(
    /(?<![\w.-])[A-Za-z0-9-]+(?![\w-]|\.\w)/g,
    (word) => byCode.get(word) ?? word,
  );
}
