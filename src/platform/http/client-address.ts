import { isInRange, parseClientAddress } from "../ip-address.ts";

export interface ConnectionSource {
  /** Address from the socket; empty once the peer has disconnected. */
  readonly remoteAddress: string;
  readonly forwardedFor: string | undefined;
  readonly trustedProxies: readonly string[];
}

/**
 * Returns the address of the client: the nearest one that is not a trusted proxy. A client can
 * write anything into `X-Forwarded-For`, so only entries appended by trusted proxies count.
 */
export function findClientAddress({
  remoteAddress,
  forwardedFor = "",
  trustedProxies,
}: ConnectionSource): string {
  const isTrusted = (address: string) => {
    const known = parseClientAddress(address);
    return known !== null && trustedProxies.some((range) => isInRange(known, range));
  };
  const hops = forwardedFor.split(",").map((hop) => hop.trim());
  let address = remoteAddress;
  while (isTrusted(address)) {
    const next = hops.pop();
    if (next === undefined || parseClientAddress(next) === null) break;
    address = next;
  }
  return address;
}
