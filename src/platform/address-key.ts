import { parseClientAddress } from "./ip-address.ts";

declare const isAddressKey: unique symbol;

/** Key of a client in a limit by network address. Created only by `addressKey`. */
export type AddressKey = string & { readonly [isAddressKey]: true };

/** Prefix of an IPv4 client's address on a dual-stack socket. */
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
 * Returns one key per IPv6 /64, because the holder of one address usually has the whole network.
 * The address is undefined once the client has disconnected, despite the types.
 */
export function addressKey(address: string | undefined): AddressKey {
  return nameBlock(address ?? "") as AddressKey;
}
