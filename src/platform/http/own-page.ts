import type { FastifyRequest } from "fastify";
import { forbidden } from "../errors.ts";

export interface PageOrigin {
  readonly site: string | undefined;
  readonly origin: string | undefined;
}

/** Where a request's own page may live: on the host that was asked, or at the public address. */
export interface OwnAddress {
  readonly host: string;
  readonly publicUrl: string;
}

/**
 * Whether a request came from a page of ours, by what browsers say of it; a program says nothing.
 * A page without a referrer has the origin `null`, and then only the other header can vouch for it.
 */
export function isFromOwnPage({ site, origin }: PageOrigin, own: OwnAddress): boolean {
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  if (origin === undefined) return true;
  if (origin === "null") return site === "same-origin";
  const asked = URL.parse(origin);
  if (asked === null) return false;
  return asked.host === own.host || asked.origin === URL.parse(own.publicUrl)?.origin;
}

/** Pages of other sites must not act on behalf of a signed-in visitor. */
export function rejectForeignPage(request: FastifyRequest, publicUrl: string): void {
  const { "sec-fetch-site": site, origin } = request.headers;
  const from = { site: site === undefined ? undefined : String(site), origin };
  // The host as trusted proxies tell it, which is the one the browser asked for.
  if (!isFromOwnPage(from, { host: request.host, publicUrl })) throw forbidden();
}
