import { randomUUIDv7 } from "node:crypto";

const tailBits = 62n;
const tailMask = (1n << tailBits) - 1n;

/**
 * Returns a function that creates ids. The ids sort in the order in which this process has created
 * them, unlike ids of `randomUUIDv7` within one millisecond. Use them for rows that are sorted by
 * id.
 */
export function createOrderedIds(next: () => string = randomUUIDv7): () => string {
  let last = "";
  return () => {
    const fresh = next();
    last = fresh > last ? fresh : follow(last);
    return last;
  };
}

/**
 * Returns the id that directly follows another id. It increments the last 62 bits, which are
 * random, so an overflow is practically impossible.
 */
function follow(id: string): string {
  const number = BigInt(`0x${id.replaceAll("-", "")}`);
  const tail = ((number & tailMask) + 1n) & tailMask;
  const hex = ((number & ~tailMask) | tail).toString(16).padStart(32, "0");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
