// IP addresses as text and as bytes. Strict: what parses here means the same to every program.
import { isIPv4 } from "node:net";
import { parseIpAddress } from "../../platform/ip-address.ts";

export type IpFamily = "IPv4" | "IPv6";

/**
 * Four decimal numbers without leading zeros; no octal, hexadecimal or shortened forms. Without
 * `ipaddr.js`, which takes three times as long: every run parses its address three times.
 */
export function parseIpv4(text: string): Uint8Array | null {
  if (!isIPv4(text)) return null;
  const [a, b, c, d] = text.split(".");
  return Uint8Array.of(Number(a), Number(b), Number(c), Number(d));
}

/** Any RFC 4291 form without brackets and without a scope. */
export function parseIpv6(text: string): Uint8Array | null {
  const address = text.includes("%") ? null : parseIpAddress(text);
  return address?.kind() === "ipv6" ? Uint8Array.from(address.toByteArray()) : null;
}
