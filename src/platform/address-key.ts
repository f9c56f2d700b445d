import { parseClientAddress } from "./ip-address.ts";

declare const isAddressKey: unique symbol;

/** Whom a limit by network address counts. Only `addressKey` makes one. */
export type AddressKey = string & { readonly [isAddressKey]: true };

/** A dual-stack socket writes an IPv4 client this way. */
const mappedPrefix = "::ffff:";

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
 * A whole IPv6 network is one client: whoever holds one address of a /64 holds all of them. A
 * client that has disconnected has no address any more, whatever the types say.
 */
export function addressKey(address: string | undefined): AddressKey {
  return nameBlock(address ?? "") as AddressKey;
}
