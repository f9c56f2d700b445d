import type { IncomingMessage } from "node:http";
import { isInRange, parseClientAddress } from "../ip-address.ts";

/** The path below which a host's requests are answered; null for our own hosts and unknown ones. */
export type FindPrefix = (host: string) => string | null;

/** This machine, or a proxy that brings the connections of many. */
export function isOwnOrTrusted(address: string, trustedProxies: readonly string[]): boolean {
  const known = parseClientAddress(address);
  if (known === null) return false;
  return known.range() === "loopback" || trustedProxies.some((range) => isInRange(known, range));
}

/** X-Forwarded-Host counts only when it comes from a trusted proxy. */
function findHost(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const { host = "", "x-forwarded-host": forwarded } = request.headers;
  const address = parseClientAddress(request.socket.remoteAddress ?? "");
  if (typeof forwarded !== "string" || address === null) return host;
  if (!trustedProxies.some((range) => isInRange(address, range))) return host;
  // The nearest proxy writes last.
  return forwarded.split(",").at(-1)?.trim() ?? host;
}

/** The API, and what supervisors ask for. Not `/metrics`, which many close at their proxy. */
const apiPath = /^\/(?:v\d+|accounts|mcp|ping|healthz|readyz|openapi\.json)(?:[/?]|$)/;

/** Whether a path is answered by the product on every host. */
export function isApiPath(url: string): boolean {
  // Most requests are for the API, and a pattern costs more than a comparison.
  return url.startsWith("/v1/") || apiPath.test(url);
}

/**
 * Puts a host's prefix before whatever is asked for, so that no other page can be reached by it.
 * The API is on every host: whoever claims a name by which others reach it takes nothing from them.
 */
export function createUrlRewrite(findPrefix: FindPrefix, trustedProxies: readonly string[]) {
  return (request: IncomingMessage): string => {
    const url = request.url ?? "/";
    if (isApiPath(url)) return url;
    const prefix = findPrefix(findHost(request, trustedProxies));
    return prefix === null ? url : `${prefix}${url}`;
  };
}
