import { randomUUIDv7 } from "node:crypto";

const tailBits = 62n;
const tailMask = (1n << tailBits) - 1n;

/**
 * Creates ids that sort in the order of creation in this process, even within a millisecond, unlike
 * those of the platform. For rows whose order is read from their id.
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
 * Returns the next id of the same millisecond: its tail is 62 random bits, far from overflowing.
 */
function follow(id: string): string {
  const number = BigInt(`0x${id.replaceAll("-", "")}`);
  const tail = ((number & tailMask) + 1n) & tailMask;
  const hex = ((number & ~tailMask) | tail).toString(16).padStart(32, "0");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
