/** Decides which addresses a user-supplied URL may reach. All functions are pure. */
import ipaddr from "ipaddr.js";
import { isInRange, parseIpAddress } from "./ip-address.ts";

const maxUrlLength = 8_192;

export const rejectionMessages = {
  "bad-url": "The URL is not valid.",
  scheme: "Only http and https URLs are supported.",
  userinfo: "URLs with a user name or password are not supported.",
  port: "This port is reserved for another protocol.",
  "private-address": "The URL leads to a private, local or reserved network.",
  "lan-address":
    "The address is on a private network, which is allowed if an owner or admin enters it, or " +
    "with OUTBOUND_ALLOW_PRIVATE=true.",
  "local-address":
    "The address is this machine, link-local, reserved or used by Vedette itself, which is " +
    "allowed only if OUTBOUND_ALLOW_PRIVATE contains it.",
  downgrade: "The response redirects from https to http, which is not followed.",
  "bad-request": "The request has an invalid method or header.",
} as const;
export type RejectionReason = keyof typeof rejectionMessages;

export interface Rejection {
  readonly kind: "refused";
  readonly reason: RejectionReason;
  /** One sentence for a delivery log; never contains a part of the URL. */
  readonly message: string;
}

export function reject(reason: RejectionReason): Rejection {
  return { kind: "refused", reason, message: rejectionMessages[reason] };
}

export type AddressClass =
  | "public"
  | "loopback"
  | "private"
  | "link-local"
  | "metadata"
  | "carrier-grade-nat"
  | "multicast"
  | "unspecified"
  | "reserved"
  | "not-an-address";

/**
 * Ports that requests must not use: the ports that the Fetch standard blocks, and the ports of two
 * data stores. The text protocols of these data stores would execute the lines of a request body as
 * commands.
 */
const foreignPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667,
  6668, 6669, 6679, 6697, 10080, 11211,
]);

/** Addresses of cloud metadata services, which expose credentials; some are public. */
const metadataAddresses = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
]);

const ipv4Classes: Readonly<Record<string, AddressClass>> = {
  unicast: "public",
  unspecified: "unspecified",
  broadcast: "multicast",
  multicast: "multicast",
  linkLocal: "link-local",
  loopback: "loopback",
  carrierGradeNat: "carrier-grade-nat",
  private: "private",
};

const ipv6Classes: Readonly<Record<string, AddressClass>> = {
  unspecified: "unspecified",
  linkLocal: "link-local",
  multicast: "multicast",
  loopback: "loopback",
  uniqueLocal: "private",
  deprecatedSiteLocal: "private",
};

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
const ipv4Compatible = ipaddr.IPv6.parseCIDR("::/96");
const localNat64 = ipaddr.IPv6.parseCIDR("64:ff9b:1::/48");

/** Which addresses requests may reach, besides public ones. */
export interface AddressRules {
  /** Whether every address is allowed, including those of this machine. */
  readonly allowPrivate: boolean;
  /** Addresses, or prefixes in CIDR notation, that are allowed in any case. */
  readonly allowedAddresses?: readonly string[];
  /**
   * Whether private networks such as a LAN are allowed, because an owner or admin entered the URL.
   * If omitted, no member can allow them.
   */
  readonly allowLan?: boolean;
}

/** Returns why an IP address is not allowed; `null` if it is allowed. */
export function findAddressFault(address: string, rules: AddressRules): RejectionReason | null {
  const { allowPrivate, allowedAddresses = [], allowLan } = rules;
  const parsed = parseIpAddress(address);
  if (parsed === null) return "private-address";
  if (classifyAddress(address) === "public" || allowPrivate) return null;
  if (allowedAddresses.some((range) => isInRange(parsed, range))) return null;
  if (allowLan === undefined) return "private-address";
  if (!isOnLan(address)) return "local-address";
  return allowLan ? null : "lan-address";
}

const lanClasses: ReadonlySet<AddressClass> = new Set(["private", "carrier-grade-nat"]);

function isOnLan(address: string): boolean {
  return [address, ...listEmbeddedIpv4(address)].every((one) =>
    lanClasses.has(classifyAddress(one)),
  );
}

/** Classifies an IP address. An address in an unknown range does not count as public. */
export function classifyAddress(text: string): AddressClass {
  const address = parseIpAddress(text);
  if (address === null) return "not-an-address";
  return address instanceof ipaddr.IPv4 ? classifyIpv4(address) : classifyIpv6(address);
}

function classifyIpv4(address: ipaddr.IPv4): AddressClass {
  if (metadataAddresses.has(address.toString())) return "metadata";
  return ipv4Classes[address.range()] ?? "reserved";
}

function classifyIpv6(address: ipaddr.IPv6): AddressClass {
  const bare = new ipaddr.IPv6(address.parts);
  if (metadataAddresses.has(bare.toString())) return "metadata";
  const known = ipv6Classes[bare.range()];
  if (known !== undefined) return known;
  const embedded = findEmbeddedIpv4(bare);
  if (embedded !== null) return classifyIpv4(embedded);
  return bare.range() === "unicast" && bare.match(globalUnicast) ? "public" : "reserved";
}

const teredo = ipaddr.IPv6.parseCIDR("2001::/32");

/**
 * Returns every IPv4 address that a translator or tunnel may extract from an IPv6 address; an empty
 * list for an IPv4 address. Unlike `classifyAddress`, this function includes uncertain
 * interpretations.
 */
export function listEmbeddedIpv4(text: string): string[] {
  const address = parseIpAddress(text);
  if (!(address instanceof ipaddr.IPv6)) return [];
  const bare = new ipaddr.IPv6(address.parts);
  const bytes = bare.toByteArray();
  const write = (four: readonly number[]) => new ipaddr.IPv4([...four]).toString();
  const certain = findEmbeddedIpv4(bare);
  const found = certain === null ? [] : [certain.toString()];
  if (bare.match(localNat64)) {
    // RFC 6052: the IPv4 address starts after 48, 56, 64 or 96 bits, and byte 8 is skipped.
    const pick = (...places: number[]) => write(places.map((place) => bytes[place] ?? 0));
    found.push(pick(6, 7, 9, 10), pick(7, 9, 10, 11), pick(9, 10, 11, 12), pick(12, 13, 14, 15));
  }
  // A Teredo address contains the IPv4 address of the client with all bits inverted.
  if (bare.match(teredo)) found.push(write(bytes.slice(12).map((byte) => byte ^ 0xff)));
  const isIsatap = bytes[10] === 0x5e && bytes[11] === 0xfe;
  if (isIsatap) found.push(write(bytes.slice(12)));
  return found;
}

/**
 * Returns the IPv4 address to which a tunnel or translator forwards an IPv6 address; `null` if
 * there is none or if it is uncertain.
 */
function findEmbeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === "6to4") return new ipaddr.IPv4(bytes.slice(2, 6));
  // In a local prefix, the position of the IPv4 address is not standardised.
  if (address.match(localNat64)) return null;
  const isTranslated = range === "ipv4Mapped" || range === "rfc6145" || range === "rfc6052";
  if (isTranslated || address.match(ipv4Compatible)) return new ipaddr.IPv4(bytes.slice(12));
  return null;
}

type CheckedUrl = { readonly kind: "ok"; readonly url: URL } | Rejection;

/** Validates a URL as far as that is possible without resolving its host name. */
export function checkUrl(text: string): CheckedUrl {
  if (text.length > maxUrlLength) return reject("bad-url");
  // The URL parser drops or rewrites control characters, spaces and backslashes. The request would
  // then go to a URL that differs from the text that a person reads, so the text is rejected.
  if (/[\p{Cc} \\]/u.test(text)) return reject("bad-url");
  if (!/^https?:/i.test(text))
    return reject(/^[a-z][a-z0-9+.-]*:/i.test(text) ? "scheme" : "bad-url");
  if (!/^https?:\/\/[^/]/i.test(text)) return reject("bad-url");
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return reject("userinfo");
  const url = URL.parse(text);
  if (url === null || url.hostname === "") return reject("bad-url");
  if (foreignPorts.has(portOf(url))) return reject("port");
  return { kind: "ok", url };
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Returns the host of a URL in the form that sockets need: an IPv6 address has no brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/**
 * Returns why a URL that a user has entered is not allowed; `null` if it is allowed. Does not
 * resolve the host name.
 */
export function findUrlFault(text: string, rules: AddressRules): RejectionReason | null {
  const checked = checkUrl(text);
  if (checked.kind === "refused") return checked.reason;
  const host = hostOf(checked.url);
  return parseIpAddress(host) === null ? null : findAddressFault(host, rules);
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number, location: string | undefined): location is string {
  return location !== undefined && redirectStatuses.has(status);
}

/** Resolves the target of a redirect and validates it like the original URL. */
export function checkRedirect(from: URL, location: string): CheckedUrl {
  const next = URL.parse(location, from);
  if (next === null) return reject("bad-url");
  const checked = checkUrl(next.href);
  if (checked.kind === "refused") return checked;
  const isDowngrade = from.protocol === "https:" && next.protocol === "http:";
  return isDowngrade ? reject("downgrade") : checked;
}

/** Whether both URLs have the same origin, or `to` is the https version of `from`. */
export function mayKeepSecrets(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:";
  return isUpgrade && from.hostname === to.hostname && from.port === "" && to.port === "";
}

const headersForStrangers = new Set(["accept", "content-type", "idempotency-key", "user-agent"]);

/** Keeps only headers that never contain a secret. */
export function keepPublicHeaders(
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => headersForStrangers.has(name.toLowerCase())),
  );
}
