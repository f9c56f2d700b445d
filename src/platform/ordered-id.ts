import { randomUUIDv7 } from "node:crypto";

const tailBits = 62n;
const tailMask = (1n << tailBits) - 1n;

/**
 * Creates a generator of ids that sort in the order of creation within this process. Ids of
 * `randomUUIDv7` do not sort within a millisecond. Used for rows whose order is read from their id.
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
 * Returns the id that follows an id of the same millisecond. It increments the last 62 bits, which
 * are random, so an overflow is practically impossible.
 */
function follow(id: string): string {
  const number = BigInt(`0x${id.replaceAll("-", "")}`);
  const tail = ((number & tailMask) + 1n) & tailMask;
  const hex = ((number & ~tailMask) | tail).toString(16).padStart(32, "0");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
