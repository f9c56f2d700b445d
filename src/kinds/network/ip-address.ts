// IP addresses as text and as bytes. Strict: what parses here means the same to every program.

export type IpFamily = "IPv4" | "IPv6";

const DECIMAL_OCTET = /^(?:0|[1-9][0-9]{0,2})$/;
const HEX_GROUP = /^[0-9a-fA-F]{1,4}$/;

/** Four decimal numbers without leading zeros; no octal, hexadecimal or shortened forms. */
export function parseIpv4(text: string): Uint8Array | null {
  const parts = text.split(".");
  if (parts.length !== 4) return null;
  const bytes = new Uint8Array(4);
  for (const [index, part] of parts.entries()) {
    const value = DECIMAL_OCTET.test(part) ? Number(part) : 256;
    if (value > 255) return null;
    bytes[index] = value;
  }
  return bytes;
}

/** Any RFC 4291 form without brackets and without a scope. */
export function parseIpv6(text: string): Uint8Array | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const head = parseGroups(halves[0] ?? "", halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? "", true) : [];
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/** The embedded dotted form may only end an address. */
function parseGroups(text: string, mayEndInIpv4: boolean): number[] | null {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (HEX_GROUP.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const embedded = mayEndInIpv4 && index === parts.length - 1 ? parseIpv4(part) : null;
    if (embedded === null) return null;
    const [a = 0, b = 0, c = 0, d = 0] = embedded;
    groups.push((a << 8) | b, (c << 8) | d);
  }
  return groups;
}
