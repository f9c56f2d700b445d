import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { forbidden } from "../errors.ts";
import { isInRange, parseClientAddress } from "../ip-address.ts";

/** Paths of the API and the health endpoints, without `/metrics`, which proxies often block. */
const apiPath =
  /^\/(?:v\d+|next|accounts|users|oauth|mcp|ping|healthz|readyz|openapi\.json)(?:[/?]|$)/;
/** Paths that users request from their own jobs: triggers of checks, and push URLs. */
const callPath =
  /^\/(?:check(?:-group)?s\/[^/?]+\/trigger|api\/push|api\/v1\/endpoints|healthchecks)\//;
const uuidPart = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const slugPart = "[\\w-]{22}/[a-z0-9_-]{1,150}";
/**
 * Push URLs in the format of Healthchecks, which have no prefix: `/{uuid}`, or `/{ping key}/{slug}`
 * with a ping key of 22 characters. No other path of this server has this format.
 */
const bareJobPath = new RegExp(`^/(?:${uuidPart}|${slugPart})(?:/\\w{1,8})?(?:\\?|$)`, "i");

interface PageOrigin {
  readonly site: string | undefined;
  readonly origin: string | undefined;
}

/** Where browsers open pages of this server: at the requested host or at the public URL. */
interface OwnAddress {
  readonly host: string;
  readonly publicUrl: string;
}

/**
 * Whether a request may come from a page of this server, according to the headers that browsers
 * send. Clients other than browsers send no such headers and are accepted. If a page sends no
 * referrer, its origin is `null`, and `Sec-Fetch-Site` decides.
 */
export function isFromOwnPage({ site, origin }: PageOrigin, own: OwnAddress): boolean {
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  if (origin === undefined) return true;
  if (origin === "null") return site === "same-origin";
  const sender = URL.parse(origin);
  if (sender === null) return false;
  return sender.host === own.host || sender.origin === URL.parse(own.publicUrl)?.origin;
}

/** Rejects a request that a page of another site sent on behalf of a signed-in user (CSRF). */
export function rejectForeignPage(request: FastifyRequest, publicUrl: string): void {
  const { "sec-fetch-site": site, origin } = request.headers;
  const from = { site: site === undefined ? undefined : String(site), origin };
  // `request.host` is the host that the browser requested, even behind a trusted proxy.
  if (!isFromOwnPage(from, { host: request.host, publicUrl })) throw forbidden();
}

/** Returns the path prefix of a host; `null` for the server's own host and for unknown hosts. */
export type FindPrefix = (host: string) => string | null;

/** Whether an address is this machine or a trusted proxy, which may serve many clients. */
export function isOwnOrTrusted(address: string, trustedProxies: readonly string[]): boolean {
  const known = parseClientAddress(address);
  if (known === null) return false;
  return known.range() === "loopback" || trustedProxies.some((range) => isInRange(known, range));
}

/** Returns the requested host. X-Forwarded-Host is used only if a trusted proxy sent it. */
function findHost(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const { host = "", "x-forwarded-host": forwarded } = request.headers;
  const address = parseClientAddress(request.socket.remoteAddress ?? "");
  if (typeof forwarded !== "string" || address === null) return host;
  if (!trustedProxies.some((range) => isInRange(address, range))) return host;
  // Use the last value, because the nearest proxy appends its value to the header.
  return forwarded.split(",").at(-1)?.trim() ?? host;
}

/** Whether a path belongs to the API, which is available on every host. */
export function isApiPath(url: string): boolean {
  // Most requests are for `/v1/`, and a string comparison is cheaper than a pattern.
  return url.startsWith("/v1/") || apiPath.test(url) || callPath.test(url);
}

/**
 * Returns a function that rewrites URLs before routing. If a host has a prefix, the function
 * prepends it to the path, so that no other page is reachable through the host. API paths stay
 * unchanged on every host, so that nobody can hide the API by claiming a host name. Push URLs of
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
  /** Remote address of the socket; empty after the peer has disconnected. */
  readonly remoteAddress: string;
  readonly forwardedFor: string | undefined;
  readonly trustedProxies: readonly string[];
}

/**
 * Returns the address of the client: the last address in the chain of proxies that is not a trusted
 * proxy. A client can send any `X-Forwarded-For`, so only entries that trusted proxies have
 * appended count.
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
