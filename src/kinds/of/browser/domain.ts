import { type IpFamily, parseHostname } from "../../../platform/net/host.ts";

/** The parsed host of `sslCheckDomain`. */
export interface Domain {
  /** Host name in ASCII, or an IP address. */
  readonly hostname: string;
  readonly port: number;
  /** IP families to try, in this order. */
  readonly families: readonly IpFamily[];
}

const httpsPort = 443;
const maxPort = 65_535;

/** Parses a host with an optional port, or returns the reason why the text is invalid. */
export function parseDomain(text: string): Domain | { readonly reason: string } {
  const [, name = text, digits] = /^([^:]+|\[.+\]):(\d{1,5})$/.exec(text) ?? [];
  const port = digits === undefined ? httpsPort : Number(digits);
  if (port < 1 || port > maxPort) return { reason: "the port must be 1 to 65535" };
  const parsed = parseHostname(name.replace(/^\[(.+)\]$/, "$1"));
  if (parsed.kind === "invalid") return { reason: parsed.reason };
  if (parsed.kind === "name") return { hostname: parsed.ascii, port, families: ["IPv4", "IPv6"] };
  return { hostname: parsed.address, port, families: [parsed.family] };
}
