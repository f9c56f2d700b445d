import type { IncomingMessage } from "node:http";
import { isInRange, parseClientAddress } from "../ip-address.ts";

/**
 * Returns the path prefix for requests of a host; `null` for the server's own and unknown hosts.
 */
export type FindPrefix = (host: string) => string | null;

/** Whether an address is local or a trusted proxy, which may hold connections of many clients. */
export function isOwnOrTrusted(address: string, trustedProxies: readonly string[]): boolean {
  const known = parseClientAddress(address);
  if (known === null) return false;
  return known.range() === "loopback" || trustedProxies.some((range) => isInRange(known, range));
}

/** Uses X-Forwarded-Host only if it comes from a trusted proxy. */
function findHost(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const { host = "", "x-forwarded-host": forwarded } = request.headers;
  const address = parseClientAddress(request.socket.remoteAddress ?? "");
  if (typeof forwarded !== "string" || address === null) return host;
  if (!trustedProxies.some((range) => isInRange(address, range))) return host;
  // The nearest proxy appends last.
  return forwarded.split(",").at(-1)?.trim() ?? host;
}

/** The API and the health endpoints. Not `/metrics`, which many operators block at their proxy. */
const apiPath = /^\/(?:v\d+|accounts|mcp|ping|healthz|readyz|openapi\.json)(?:[/?]|$)/;

/** Whether a path is served by the API on every host. */
export function isApiPath(url: string): boolean {
  // Most requests are for the API, and a string comparison is cheaper than a pattern.
  return url.startsWith("/v1/") || apiPath.test(url);
}

/**
 * Prepends a host's prefix to the path, so that no other page is reachable through that host. The
 * API is served on every host, so that claiming a host name cannot hide it.
 */
export function createUrlRewrite(findPrefix: FindPrefix, trustedProxies: readonly string[]) {
  return (request: IncomingMessage): string => {
    const url = request.url ?? "/";
    if (isApiPath(url)) return url;
    const prefix = findPrefix(findHost(request, trustedProxies));
    return prefix === null ? url : `${prefix}${url}`;
  };
}
