import type { NetworkInterfaceInfo } from "node:os";
import ipaddr from "ipaddr.js";
import type { AddressFamily } from "./probe.ts";

export type Interfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

/** Address ranges that targets can see: neither loopback nor link-local. */
const visibleRanges: Readonly<Record<AddressFamily, ReadonlySet<string>>> = {
  IPv4: new Set(["unicast", "private", "carrierGradeNat"]),
  IPv6: new Set(["unicast", "uniqueLocal"]),
};

export function findSourceAddresses(interfaces: Interfaces, family: AddressFamily): string[] {
  const addresses = Object.values(interfaces)
    .flatMap((list) => list ?? [])
    .filter((info) => info.family === family && !info.internal)
    .map((info) => ipaddr.parse(info.address))
    .filter((address) => visibleRanges[family].has(address.range()))
    .map((address) => address.toString());
  return [...new Set(addresses)].sort();
}
