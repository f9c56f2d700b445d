import { type IpFamily, parseHostname } from "../network/host.ts";

/** The host of `sslCheckDomain`. */
export interface Domain {
  /** In ASCII. */
  readonly hostname: string;
  readonly port: number;
  /** The families of its addresses, in the order in which they are tried. */
  readonly families: readonly IpFamily[];
}

const httpsPort = 443;
const maxPort = 65_535;

/** Parses `shop.example.com`, `shop.example.com:8443` or an IP address; returns why it is none. */
export function parseDomain(text: string): Domain | { readonly reason: string } {
  const [, name = text, digits] = /^([^:]+|\[.+\]):(\d{1,5})$/.exec(text) ?? [];
  const port = digits === undefined ? httpsPort : Number(digits);
  if (port < 1 || port > maxPort) return { reason: "the port must be 1 to 65535" };
  const parsed = parseHostname(name.replace(/^\[(.+)\]$/, "$1"));
  if (parsed.kind === "invalid") return { reason: parsed.reason };
  if (parsed.kind === "name") return { hostname: parsed.ascii, port, families: ["IPv4", "IPv6"] };
  return { hostname: parsed.address, port, families: [parsed.family] };
}
