import { isIPv4 } from "node:net";
import { domainToASCII } from "node:url";
import { parseIpv6 } from "../network/host.ts";
import { maxNameBytes } from "./wire/name.ts";
import type { QueryType } from "./wire/record-types.ts";

export type QueryName =
  /** ASCII in lower case, without the trailing dot; `.` is the root. */
  | { readonly kind: "name"; readonly ascii: string }
  | { readonly kind: "invalid"; readonly reason: string };

const maxLabelLength = 63;
/** More than host names allow: services, wildcards and classless delegations (RFC 2317). */
const label = /^[A-Za-z0-9_*/+=-]+$/;
const nonAscii = /\P{ASCII}/u;

/** Parses the name to query. An address becomes the name of its PTR record. */
export function parseQueryName(text: string, type: QueryType): QueryName {
  if (text === "") return reject("The name is empty.");
  if (text === ".") return { kind: "name", ascii: "." };
  const reverse = type === "PTR" ? writeReverseName(text) : null;
  if (reverse !== null) return { kind: "name", ascii: reverse };
  const ascii = nonAscii.test(text) ? domainToASCII(text) : text.toLowerCase();
  if (ascii === "") return reject("The international name is not valid.");
  const name = ascii.endsWith(".") ? ascii.slice(0, -1) : ascii;
  for (const part of name.split(".")) {
    if (part === "") return reject("The name has an empty part between dots.");
    if (part.length > maxLabelLength) return reject("A part of the name is too long.");
    if (!label.test(part)) {
      return reject("The parts of a name may contain only letters, digits and - _ * / + =.");
    }
  }
  // Each part is prefixed with its length, and the root takes one byte.
  if (name.length + 2 > maxNameBytes) return reject("The name is longer than 253 characters.");
  return { kind: "name", ascii: name };
}

function writeReverseName(text: string): string | null {
  if (isIPv4(text)) return `${text.split(".").reverse().join(".")}.in-addr.arpa`;
  const bytes = parseIpv6(text);
  if (bytes === null) return null;
  const digits = [...Buffer.from(bytes).toString("hex")];
  return `${digits.reverse().join(".")}.ip6.arpa`;
}

function reject(reason: string): QueryName {
  return { kind: "invalid", reason };
}
