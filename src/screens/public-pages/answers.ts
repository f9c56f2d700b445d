import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { bannerSecurityPolicy } from "../../pages/status-page/home.ts";
import {
  createPlainLook,
  pageSecurityPolicy,
  renderProblemPage,
  renderUnlockPage,
} from "../../pages/status-page/shell.ts";
import { badToken, type KnownError } from "../../platform/errors.ts";
import { sendError, toErrorBody, toKnownError } from "../../platform/http/error-handler.ts";
import { findBasePath } from "../../sites/status-pages/index.ts";
import type { PageRequest } from "./actions.ts";
import { contentTypes, isForReaders } from "./page-document.ts";
import { type CompressedBody, chooseBody, matchesEntityTag } from "./rendered-pages.ts";

/**
 * Cache header of public pages. Browsers revalidate each time, usually with a 304 response, so that
 * updates are visible immediately. Caches may serve a stale copy while the server is unreachable,
 * which is when people look at a status page.
 */
const publicCaching = "public, max-age=0, stale-if-error=3600";
const assetCaching = "public, max-age=31536000, immutable";
/**
 * Referrer policy that sends no referrer to other sites. `no-referrer` would also remove the Origin
 * header from form submissions on this site.
 */
const referrerPolicy = "same-origin";
const nothingAllowed = "default-src 'none'; frame-ancestors 'none'";

function choosePolicy({ contentType, isEmbeddable }: CompressedBody): string {
  if (isEmbeddable) return bannerSecurityPolicy;
  return contentType === contentTypes.html ? pageSecurityPolicy : nothingAllowed;
}

function addCommonHeaders(reply: FastifyReply, body: CompressedBody): void {
  reply
    .header("content-type", body.contentType)
    .header("content-security-policy", choosePolicy(body))
    .header("referrer-policy", referrerPolicy);
}

function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  body: CompressedBody,
): FastifyReply {
  reply.header("vary", "accept-encoding");
  const { bytes, encoding } = chooseBody(body, request.headers["accept-encoding"]);
  if (encoding !== null) reply.header("content-encoding", encoding);
  return reply.send(bytes);
}

export function sendPublic(
  request: FastifyRequest,
  reply: FastifyReply,
  body: CompressedBody,
  caching = publicCaching,
): FastifyReply {
  addCommonHeaders(reply, body);
  reply.header("cache-control", caching).header("etag", body.entityTag);
  // Feeds and other data are equal for all visitors, so scripts of other sites may read them.
  if (body.contentType !== contentTypes.html) reply.header("access-control-allow-origin", "*");
  if (!matchesEntityTag(body, request.headers["if-none-match"]))
    return sendCompressed(request, reply, body);
  return reply.header("vary", "accept-encoding").code(304).send();
}

/** Sends a stale page without caching, because the next response may be current. */
export function sendStale(
  request: FastifyRequest,
  reply: FastifyReply,
  body: CompressedBody,
): FastifyReply {
  addCommonHeaders(reply, body);
  return sendCompressed(request, reply.header("cache-control", "no-store"), body);
}

/** Sends an asset. Caches keep it for a year if its URL contains the current hash. */
export function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: { readonly body: CompressedBody; readonly isExact: boolean },
): FastifyReply {
  return sendPublic(request, reply, asset.body, asset.isExact ? assetCaching : publicCaching);
}

/** Sends a private document. Proxies must not cache it, and search engines must not index it. */
export function sendPrivate(
  request: FastifyRequest,
  reply: FastifyReply,
  body: CompressedBody,
): FastifyReply {
  addCommonHeaders(reply, body);
  reply.header("cache-control", "private, no-store").header("x-robots-tag", "noindex");
  return sendCompressed(request, reply, body);
}

/** Denies access. Sends a form for the key instead of a page, and an error instead of data. */
export function sendLocked(
  reply: FastifyReply,
  { basePath, name }: PageRequest,
  fault: string | null = null,
): FastifyReply {
  reply
    .header("cache-control", "private, no-store")
    .header("x-robots-tag", "noindex")
    .header("www-authenticate", 'Bearer realm="status page"')
    .code(401);
  if (!isForReaders(name)) return sendPlainError(reply, badToken());
  return sendMarkup(reply, renderUnlockPage(createPlainLook(basePath), fault).text);
}

function sendPlainError(reply: FastifyReply, error: KnownError): FastifyReply {
  return reply.type(contentTypes.json).send(JSON.stringify(toErrorBody(error)));
}

function sendMarkup(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .header("content-security-policy", pageSecurityPolicy)
    .header("referrer-policy", referrerPolicy)
    .type(contentTypes.html)
    .send(text);
}

const problems: Readonly<Record<number, readonly [title: string, text: string]>> = {
  404: ["Page not found", "The address may be wrong, or the page was removed."],
  429: ["Too many requests", "Please wait a moment before you try again."],
  503: ["Temporarily unavailable", "The page cannot be loaded right now. Please try again soon."],
};

/**
 * Sends an error. A browser receives an HTML page if `problems` contains texts for the status of
 * the error. In all other cases, the error is sent as JSON.
 */
export function sendProblem(
  error: FastifyError | KnownError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = toKnownError(error);
  const { statusCode } = toErrorBody(known);
  const [title, text] = problems[statusCode] ?? [];
  const isBrowser = request.headers.accept?.includes("text/html") ?? false;
  if (!isBrowser || title === undefined || text === undefined) {
    return sendError(error, request, reply);
  }
  if (known.retryAfterSeconds !== undefined) reply.header("retry-after", known.retryAfterSeconds);
  const { url = "" } = request.params as { url?: string };
  const basePath = findBasePath(request.originalUrl, url.toLowerCase());
  return sendMarkup(reply.code(statusCode), renderProblemPage(basePath, title, text).text);
}
