import { BlockList, isIPv6 } from "node:net";
import { type AddressClass, classifyAddress } from "../../platform/outbound-guard.ts";

/** Addresses or prefixes, as people write them. Plain data: the socket thread gets a copy. */
export interface ReachRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Which addresses probes may connect to. It is asked about resolved addresses only. */
export interface Reach {
  /** Why an address may not be reached, as a sentence; null: it may. */
  findRefusal(address: string): string | null;
}

/** Whoever may create checks must not read what a cloud tells this machine only. */
const refusedClasses: Readonly<Partial<Record<AddressClass, string>>> = {
  metadata: "is the metadata service of a cloud",
  "link-local": "is link-local",
};

/** Internal hosts may be reached: a monitor watches them. Allowed prefixes win over denied ones. */
export function createReach({ allow, deny }: ReachRules): Reach {
  const allowed = createList(allow);
  const denied = createList(deny);
  const findRefusal = (address: string) => {
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (allow.length > 0 && allowed.check(address, family)) return null;
    if (deny.length > 0 && denied.check(address, family)) {
      return `The address ${address} is denied to this probe by PROBE_DENY.`;
    }
    const refused = refusedClasses[classifyAddress(address)];
    if (refused === undefined) return null;
    return `The address ${address} ${refused}, which probes do not reach unless PROBE_ALLOW names it.`;
  };
  return { findRefusal };
}

function createList(prefixes: readonly string[]): BlockList {
  const list = new BlockList();
  for (const prefix of prefixes) {
    const [address = "", bits] = prefix.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
