/** Replaces location codes in a sentence by names. */
export function replaceCodes(
  sentence: string,
  names: readonly (readonly [code: string, name: string])[],
): string {
  const byCode = new Map(names.filter(([code]) => sentence.includes(code)));
  if (byCode.size === 0) return sentence;
  // Matches whole words only: `eu-west-1` must not match inside `eu-west-12` or a host name.
  return sentence.replaceAll(
    /(?<![\w.-])[A-Za-z0-9-]+(?![\w-]|\.\w)/g,
    (word) => byCode.get(word) ?? word,
  );
}
