import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Prefix that a dual-stack socket adds to the address of an IPv4 client. */
const mappedPrefix = "::ffff:";

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Parses an IP address; `null` for invalid text. Unlike the library, it rejects `1`, `0x7f.1` and
 * octal numbers.
 */
export function parseIpAddress(text: string): IpAddress | null {
  return isIP(text) === 0 ? null : ipaddr.parse(writeGroups(text));
}

/**
 * Parses the address of a client; `null` for invalid text. Converts an address such as
 * `::ffff:192.0.2.1`, which a dual-stack socket reports, to IPv4.
 */
export function parseClientAddress(text: string): IpAddress | null {
  return isIP(text) === 0 ? null : ipaddr.process(writeGroups(text));
}

/**
 * Rewrites a dotted IPv4 part of an IPv6 address to hexadecimal groups. Without this, the library
 * parses `::192.0.2.1` as `::ffff:192.0.2.1`, which is a different address.
 */
function writeGroups(text: string): string {
  return text.replace(/(?<=:)(\d+)\.(\d+)\.(\d+)\.(\d+)/, (_dotted, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
}

/** Whether an address is in a range such as `10.0.0.0/8`. A range may also be a single address. */
export function isInRange(address: IpAddress, range: string): boolean {
  const [network, bits] = range.includes("/")
    ? ipaddr.parseCIDR(range)
    : ([ipaddr.process(range), null] as const);
  if (address.kind() !== network.kind()) return false;
  return address.match(network, bits ?? (network.kind() === "ipv4" ? 32 : 128));
}

declare const isAddressKey: unique symbol;

/** Key by which limits identify a client. Only `addressKey` creates such keys. */
export type AddressKey = string & { readonly [isAddressKey]: true };

function nameBlock(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = address.startsWith(mappedPrefix) ? address.slice(mappedPrefix.length) : "";
  if (mapped.includes(".")) return mapped;
  const parsed = parseClientAddress(address);
  if (parsed === null) return address;
  if (!("parts" in parsed)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}

/**
 * Returns the key of a client address. All addresses of an IPv6 /64 have the same key, because a
 * client with one address usually has the whole network. The address is undefined after the client
 * has disconnected.
 */
export function addressKey(address: string | undefined): AddressKey {
  return nameBlock(address ?? "") as AddressKey;
}
