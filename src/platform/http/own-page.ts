import type { FastifyRequest } from "fastify";
import { forbidden } from "../errors.ts";

export interface PageOrigin {
  readonly site: string | undefined;
  readonly origin: string | undefined;
}

/** Where a same-origin page may be: on the requested host or at the public URL. */
export interface OwnAddress {
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
