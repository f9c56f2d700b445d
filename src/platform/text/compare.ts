/**
 * Order of names: "host 2" precedes "host 10". Case and accents matter only if the names are
 * otherwise equal.
 */
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "variant" });

export function compareNames(one: string, other: string): number {
  return collator.compare(one, other);
}

/**
 * Returns the minimum number of insertions, deletions, substitutions and swaps of neighbouring
 * letters that turn one text into the other. If this number exceeds the limit, the result also
 * exceeds the limit but may differ from the exact number.
 */
export function measureEditDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped =
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1];
      if (isSwapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > limit) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? limit + 1;
}

/**
 * Returns the number of typos that are tolerated in a word of a given length. Short words tolerate
 * fewer typos, because a short word with a typo is often another valid word.
 */
export function allowedSlips(length: number): number {
  if (length < 4) return 0;
  return length < 8 ? 1 : 2;
}
