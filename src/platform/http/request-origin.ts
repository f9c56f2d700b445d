import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { forbidden } from "../errors.ts";
import { isInRange, parseClientAddress } from "../ip-address.ts";

/** The API and the health endpoints. Not `/metrics`, which many operators block at their proxy. */
const apiPath =
  /^\/(?:v\d+|next|accounts|users|oauth|mcp|ping|healthz|readyz|openapi\.json)(?:[/?]|$)/;
/** URLs in the jobs of users: triggers of checks, and push addresses of other monitors. */
const callPath =
  /^\/(?:check(?:-group)?s\/[^/?]+\/trigger|api\/push|api\/v1\/endpoints|healthchecks)\//;
const uuidPart = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const slugPart = "[\\w-]{22}/[a-z0-9_-]{1,150}";
/**
 * Push addresses of Healthchecks, which have no prefix: `/{uuid}`, or `/{ping key}/{slug}` with a key
 * of 22 characters. No other path of this server has that form.
 */
const bareJobPath = new RegExp(`^/(?:${uuidPart}|${slugPart})(?:/\\w{1,8})?(?:\\?|$)`, "i");

interface PageOrigin {
  readonly site: string | undefined;
  readonly origin: string | undefined;
}

/** Where a same-origin page may be: on the requested host or at the public URL. */
interface OwnAddress {
  readonly host: string;
  readonly publicUrl: string;
}

/**
 * Whether a request comes from a page of this server, according to the browser's headers; other
 * clients send none. A page without a referrer has the origin `null`; then `Sec-Fetch-Site`
 * decides.
 */
export function isFromOwnPage({ site, origin }: PageOrigin, own: OwnAddress): boolean {
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  if (origin === undefined) return true;
  if (origin === "null") return site === "same-origin";
  const sender = URL.parse(origin);
  if (sender === null) return false;
  return sender.host === own.host || sender.origin === URL.parse(own.publicUrl)?.origin;
}

/** Rejects requests of other sites' pages on behalf of a signed-in user (CSRF). */
export function rejectForeignPage(request: FastifyRequest, publicUrl: string): void {
  const { "sec-fetch-site": site, origin } = request.headers;
  const from = { site: site === undefined ? undefined : String(site), origin };
  // The host from a trusted proxy's header, which is the one the browser requested.
  if (!isFromOwnPage(from, { host: request.host, publicUrl })) throw forbidden();
}

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

/** Whether a path is served by the API on every host. */
export function isApiPath(url: string): boolean {
  // Most requests are for the API, and a string comparison is cheaper than a pattern.
  return url.startsWith("/v1/") || apiPath.test(url) || callPath.test(url);
}

/**
 * Prepends a host's prefix to the path, so that no other page is reachable through that host. The
 * API is served on every host, so that claiming a host name cannot hide it. Push addresses of
 * Healthchecks get the prefix of their route.
 */
export function createUrlRewrite(findPrefix: FindPrefix, trustedProxies: readonly string[]) {
  return (request: IncomingMessage): string => {
    const url = request.url ?? "/";
    if (isApiPath(url)) return url;
    if (bareJobPath.test(url)) return `/healthchecks${url}`;
    const prefix = findPrefix(findHost(request, trustedProxies));
    return prefix === null ? url : `${prefix}${url}`;
  };
}

interface ConnectionSource {
  /** Address from the socket; empty once the peer has disconnected. */
  readonly remoteAddress: string;
  readonly forwardedFor: string | undefined;
  readonly trustedProxies: readonly string[];
}

/**
 * Returns the address of the client: the nearest one that is not a trusted proxy. A client can
 * write anything into `X-Forwarded-For`, so only entries appended by trusted proxies count.
 */
export function findClientAddress({
  remoteAddress,
  forwardedFor = "",
  trustedProxies,
}: ConnectionSource): string {
  const isTrusted = (address: string) => {
    const known = parseClientAddress(address);
    return known !== null && trustedProxies.some((range) => isInRange(known, range));
  };
  const hops = forwardedFor.split(",").map((hop) => hop.trim());
  let address = remoteAddress;
  while (isTrusted(address)) {
    const next = hops.pop();
    if (next === undefined || parseClientAddress(next) === null) break;
    address = next;
  }
  return address;
}
