import { randomUUIDv7 } from "node:crypto";

const tailBits = 62n;
const tailMask = (1n << tailBits) - 1n;

/**
 * Ids that sort in the order they were made, by this process, within a millisecond too: those of
 * the platform do not. For rows whose order matters and is read from their id.
 */
export function createOrderedIds(next: () => string = randomUUIDv7): () => string {
  let last = "";
  return () => {
    const fresh = next();
    last = fresh > last ? fresh : follow(last);
    return last;
  };
}

/** The next id of the same millisecond: its tail is 62 random bits, far from overflowing. */
function follow(id: string): string {
  const number = BigInt(`0x${id.replaceAll("-", "")}`);
  const tail = ((number & tailMask) + 1n) & tailMask;
  const hex = ((number & ~tailMask) | tail).toString(16).padStart(32, "0");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
