import type { IpFamily } from "../network/host.ts";
import type { HopError } from "./measurement.ts";

const ipv4Texts: Readonly<Record<number, string>> = {
  0: "network unreachable",
  1: "host unreachable",
  2: "protocol unreachable",
  3: "port unreachable",
  5: "source route failed",
  6: "network unknown",
  7: "host unknown",
  9: "network prohibited",
  10: "host prohibited",
  11: "network unreachable for the type of service",
  12: "host unreachable for the type of service",
  13: "prohibited by a filter",
  14: "host precedence violation",
  15: "precedence cutoff",
};

const ipv6Texts: Readonly<Record<number, string>> = {
  0: "no route",
  1: "prohibited by a filter",
  2: "beyond the scope of the source",
  3: "address unreachable",
  4: "port unreachable",
  5: "source address prohibited",
  6: "route rejected",
};

/** Names an ICMP error: "host unreachable", "packet too big, the next link carries 1400 bytes". */
export function nameHopError({ type, code, mtu }: HopError, family: IpFamily): string {
  const isTooBig = family === "IPv4" ? type === 3 && code === 4 : type === 2;
  if (isTooBig) {
    return mtu === null ? "packet too big" : `packet too big, the next link carries ${mtu} bytes`;
  }
  const isUnreachable = type === (family === "IPv4" ? 3 : 1);
  const text = (family === "IPv4" ? ipv4Texts : ipv6Texts)[code];
  return (isUnreachable ? text : undefined) ?? `ICMP type ${type}, code ${code}`;
}
