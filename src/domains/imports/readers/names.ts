import { createHash } from "node:crypto";

/** Replaces what an identifier of a resource must not contain. */
export const toLogicalPart = (text: string): string => text.replaceAll(/[^A-Za-z0-9_\-/.]/g, "-");

const maxPartLength = 150;
const exactAddress = /^(?:\w+:\/\/)?[\w\-.]+(?::\d+)?(?:\/[\w\-/.]*)?$/;

/**
 * Converts an address such as `https://a.example:8443/x` to a part of an identifier. Different
 * addresses give different parts: a hash is added if the text alone does not identify it.
 */
export function toAddressPart(address: string): string {
  const readable = hideCredentials(address)
    .replace(/[?#].*$/s, "")
    .replace("://", "/")
    .replace(/:(\d+)(?=\/|$)/, "#$1")
    .replaceAll(/[^A-Za-z0-9_\-/.#]+/g, "-");
  if (address.length <= maxPartLength && exactAddress.test(address)) return readable;
  const hash = createHash("sha256").update(address).digest("hex").slice(0, 10);
  return `${readable.slice(0, maxPartLength)}-${hash}`;
}

/** Removes user and password from a URL. */
export const hideCredentials = (url: string): string => url.replace(/\/\/[^/?#]*@/, "//");

/** Removes the brackets of an IPv6 address. */
export const trimHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");
