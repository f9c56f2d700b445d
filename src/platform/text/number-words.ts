const numberWords: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  sixty: 60,
  ninety: 90,
  couple: 2,
  few: 3,
  several: 3,
  half: 0.5,
  dozen: 12,
};

/** Parses "3", "2.5" or "three"; returns `null` for anything else. */
export function parseNumber(word: string): number | null {
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(word)) return Number(word);
  return Object.hasOwn(numberWords, word) ? (numberWords[word] ?? null) : null;
}

/** Returns the number in the first group of a match. */
export function readNumber(line: string, pattern: RegExp): number | null {
  const text = pattern
    .exec(line)
    ?.slice(1)
    .find((group) => group !== undefined);
  return text === undefined ? null : parseNumber(text);
}
