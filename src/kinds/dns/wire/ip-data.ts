import type { WireReader } from "./bytes.ts";

export function readIpv4(reader: WireReader): string {
  return reader.bytes(4).join(".");
}

/** Formats the shortest form (RFC 5952). */
export function readIpv6(reader: WireReader): string {
  const groups = Array.from({ length: 8 }, () => reader.short());
  let best = { from: 0, length: 1 };
  for (let from = 0; from < 8; from += 1) {
    let to = from;
    while (to < 8 && groups[to] === 0) to += 1;
    if (to - from > best.length) best = { from, length: to - from };
  }
  const write = (some: readonly number[]) => some.map((group) => group.toString(16)).join(":");
  if (best.length < 2) return write(groups);
  return `${write(groups.slice(0, best.from))}::${write(groups.slice(best.from + best.length))}`;
}
