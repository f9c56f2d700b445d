// Parses host names and IP addresses. An address is accepted only in forms that every program
// interprets in the same way.
import { parseIpAddress } from "../ip-address.ts";

export type IpFamily = "IPv4" | "IPv6";

const dotCode = ".".charCodeAt(0);
const zeroCode = "0".charCodeAt(0);

/**
 * Parses four decimal numbers without leading zeros. Octal, hexadecimal and shortened forms are
 * rejected. The parser is written by hand, because it runs several times for each run of a check,
 * and `net.isIPv4` with `split` takes four times as long.
 */
export function parseIpv4(text: string): Uint8Array | null {
  const bytes = new Uint8Array(4);
  let place = 0;
  let value: number | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === dotCode && value !== null && place < 3) {
      bytes[place] = value;
      place += 1;
      value = null;
      continue;
    }
    const digit = code - zeroCode;
    // A digit after a zero is rejected, because the zero would be a leading zero.
    if (digit < 0 || digit > 9 || value === 0) return null;
    value = (value ?? 0) * 10 + digit;
    if (value > 255) return null;
  }
  if (place !== 3 || value === null) return null;
  bytes[3] = value;
  return bytes;
}

/** Parses an IPv6 address in any form of RFC 4291. Brackets and scope ids are rejected. */
export function parseIpv6(text: string): Uint8Array | null {
  const address = text.includes("%") ? null : parseIpAddress(text);
  return address?.kind() === "ipv6" ? Uint8Array.from(address.toByteArray()) : null;
}

/** Formats the bytes of an address. IPv6 addresses follow RFC 5952. */
export function formatIpBytes(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, place) =>
    (((bytes[2 * place] ?? 0) << 8) | (bytes[2 * place + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]/`).hostname.slice(1, -1);
}

// Result of parsing a host field.
type Hostname =
  | { readonly kind: "name"; readonly ascii: string }
  | { readonly kind: "address"; readonly family: "IPv4" | "IPv6"; readonly address: string }
  | { readonly kind: "invalid"; readonly reason: string };

const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
const MAX_INPUT_LENGTH = 2048;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
const ASCII_NAME_CHARACTERS = /^[A-Za-z0-9._-]*$/;
const NON_ASCII = /\P{ASCII}/u;
/** Matches spaces, invisible characters and unpaired surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]/u;
const NUMERIC_LABEL = /^(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * Parses a host field. Removes a trailing dot and converts international names to ASCII. These
 * inputs are rejected on purpose: spaces and control characters; URLs, ports, user names and
 * brackets; scope ids and link-local IPv6 addresses, which need a scope id; IPv4 addresses as a
 * single number or in octal, hexadecimal or shortened form, which programs interpret differently;
 * unspecified, broadcast, multicast and reserved addresses, which do not identify a single host;
 * and IPv4-mapped IPv6 addresses, which would be sent as IPv4.
 */
export function parseHostname(text: string): Hostname {
  if (text === "") return reject("The host name is empty.");
  if (text.length > MAX_INPUT_LENGTH) return reject("The host name is longer than 253 characters.");
  if (INVISIBLE.test(text)) {
    return reject("The host name contains a space or an invisible character.");
  }
  const syntaxFault = findSyntaxFault(text);
  if (syntaxFault !== null) return reject(syntaxFault);
  if (text.includes(":")) return decideIpv6(text);
  const ipv4 = parseIpv4(text);
  if (ipv4 !== null) return decideIpv4(text, ipv4);
  return decideName(text);
}

function findSyntaxFault(text: string): string | null {
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\//.test(text) || text.includes("/")) {
    return "Enter a host name or an IP address, not a URL.";
  }
  if (text.includes("@")) return "Enter a host name without a user name.";
  if (/[[\]]/.test(text)) return "Enter the IPv6 address without brackets.";
  if (/^[0-9a-fA-F:.]+%/.test(text) && text.includes(":")) {
    return "IPv6 addresses with a scope (such as %eth0) are not supported.";
  }
  if (/^[^:]+:[0-9]*$/.test(text)) return "Enter the host name without a port.";
  return null;
}

function decideIpv4(text: string, bytes: Uint8Array): Hostname {
  const [first = 0] = bytes;
  if (first === 0) return reject("Addresses in 0.0.0.0/8 do not identify a host.");
  if (bytes.every((byte) => byte === 255))
    return reject("The broadcast address does not identify a host.");
  if (first >= 224 && first <= 239)
    return reject("Multicast addresses do not identify a single host.");
  if (first >= 240) return reject("Addresses in 240.0.0.0/4 are reserved.");
  return { kind: "address", family: "IPv4", address: text };
}

function decideIpv6(text: string): Hostname {
  const bytes = parseIpv6(text);
  if (bytes === null) return reject("This is neither a host name nor an IPv6 address.");
  if (bytes.every((byte) => byte === 0)) return reject("The address :: does not identify a host.");
  if (bytes[0] === 0xff) return reject("Multicast addresses do not identify a single host.");
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff;
  if (isMapped && bytes[11] === 0xff) {
    return reject("Enter the IPv4 address itself instead of its IPv6 form ::ffff:….");
  }
  if (bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80) {
    return reject("Link-local IPv6 addresses need a scope, which is not supported.");
  }
  return { kind: "address", family: "IPv6", address: text.toLowerCase() };
}

function decideName(text: string): Hostname {
  const isInternational = NON_ASCII.test(text);
  const ascii = isInternational ? toAscii(text) : text.toLowerCase();
  if (ascii === null) return reject("The international host name is not valid.");
  const name = ascii.endsWith(".") ? ascii.slice(0, -1) : ascii;
  if (!ASCII_NAME_CHARACTERS.test(name)) {
    return reject("A host name may contain only letters, digits, hyphens, underscores and dots.");
  }
  if (name.length > MAX_NAME_LENGTH) return reject("The host name is longer than 253 characters.");
  const labels = name.split(".");
  for (const label of labels) {
    if (label === "") return reject("The host name has an empty part between dots.");
    if (label.length > MAX_LABEL_LENGTH) return reject("A part of the host name is too long.");
    if (!LABEL.test(label)) return reject("A part of the host name starts or ends with a hyphen.");
  }
  if (NUMERIC_LABEL.test(labels.at(-1) ?? "")) {
    return reject("An IPv4 address has four decimal numbers from 0 to 255 without leading zeros.");
  }
  return { kind: "name", ascii: name };
}

/**
 * Converts an international name to ASCII according to UTS 46; `null` if the name is invalid. The
 * ASCII characters are checked first, because some of them have a special meaning in a URL.
 */
function toAscii(text: string): string | null {
  const asciiPart = text.replace(/\P{ASCII}/gu, "");
  if (!ASCII_NAME_CHARACTERS.test(asciiPart)) return null;
  const { hostname } = URL.parse(`http://${text}`) ?? { hostname: "" };
  return hostname === "" ? null : hostname;
}

function reject(reason: string): Hostname {
  return { kind: "invalid", reason };
}

/** Returns whether a host matches a pattern such as `api.example.com` or `*.example.com`. */
export function doesHostMatch(pattern: string, host: string): boolean {
  const expected = tidy(pattern);
  const given = tidy(host);
  if (!expected.startsWith("*.")) return given === expected;
  // The wildcard matches exactly one label, as in certificates.
  const dot = given.indexOf(".");
  return dot > 0 && given.slice(dot) === expected.slice(1);
}

function tidy(name: string): string {
  const bare = name.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  // Normalises the spelling of an IPv6 address.
  if (bare.includes(":")) return URL.parse(`http://[${bare}]/`)?.hostname.slice(1, -1) ?? bare;
  return bare.replace(/\.$/, "");
}
