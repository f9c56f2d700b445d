import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import {
  bannerStyle,
  hashText,
  pageIcon,
  pageScript,
  pageStyle,
} from "../../pages/status-page/static-files.ts";
import { renderTheme } from "../../pages/status-page/theme.ts";
import { notFound } from "../../platform/errors.ts";
import { toKnownError } from "../../platform/http/error-handler.ts";
import { rejectForeignPage } from "../../platform/http/request-origin.ts";
import { addScope, type HttpServer } from "../../platform/http/server.ts";
import type { AddressKey } from "../../platform/ip-address.ts";
import { RateLimit } from "../../platform/rate-limit.ts";
import { isUuid } from "../../platform/text/patterns.ts";
import { readVisitor } from "../../sites/publishing/index.ts";
import { findBasePath } from "../../sites/status-pages/index.ts";
import {
  createVisitorCookie,
  openPage,
  type PageRequest,
  type PublicPages,
  recallPage,
  unlockPage,
} from "./actions.ts";
import {
  sendAsset,
  sendLocked,
  sendPrivate,
  sendProblem,
  sendPublic,
  sendStale,
} from "./answers.ts";
import type { PublicPagesContext } from "./context.ts";
import { addAudienceRoutes } from "./incident-audience.ts";
import { addIncidentPreviewRoutes } from "./incident-previews.ts";
import { addPageOverviewRoutes } from "./overviews.ts";
import { contentTypes, type DocumentName, isForReaders } from "./page-document.ts";
import { addPagePreviewRoutes } from "./previews.ts";
import { type CompressedBody, compressBody, RenderedPages } from "./rendered-pages.ts";
import { addSnapshotRoutes } from "./snapshot-routes.ts";
import { addServiceStatusRoutes } from "./statuses.ts";

interface Params {
  readonly url: string;
  readonly month?: string;
  readonly incidentId?: string;
}

/**
 * Configuration of the public pages. Requests for these pages have no rate limit, because an outage
 * attracts many visitors and cached pages are cheap to serve.
 */
const config = { access: "public", isUnlimited: true } as const;
const options = { config, schema: { hide: true } } as const;
const missesPerMinute = 120;

/** Maps URL paths below the page to documents. */
const documents: Readonly<Record<string, (params: Params) => DocumentName>> = {
  "": () => ({ kind: "home" }),
  "/": () => ({ kind: "home" }),
  "/history": () => ({ kind: "history", month: null }),
  "/history/:month": ({ month = "" }) => ({ kind: "history", month }),
  "/incidents/:incidentId": ({ incidentId = "" }) => ({
    kind: "incident",
    id: isUuid(incidentId) ? incidentId.toLowerCase() : null,
  }),
  "/summary.json": () => ({ kind: "summary" }),
  "/feed.rss": () => ({ kind: "feed", format: "rss" }),
  "/feed.atom": () => ({ kind: "feed", format: "atom" }),
  "/feed.json": () => ({ kind: "feed", format: "json" }),
  "/maintenance.ics": () => ({ kind: "calendar" }),
  "/badge.svg": () => ({ kind: "badge" }),
  "/banner": () => ({ kind: "banner" }),
  "/custom.css": () => ({ kind: "custom-style" }),
};

function createPublicPages(context: PublicPagesContext): PublicPages {
  const { clock, pageChanges } = context;
  const isListening = pageChanges.isOn;
  const rendered = new RenderedPages({ clock, isListening });
  pageChanges.onChange((accountId) => rendered.forget(accountId));
  const missLimit = new RateLimit<AddressKey>({ limit: missesPerMinute, windowMs: 60_000, clock });
  return { context, rendered, missLimit };
}

/** Reads a query parameter. A repeated parameter counts as absent. */
function readQuery(request: FastifyRequest, name: "key" | "v"): string | undefined {
  const value = (request.query as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : undefined;
}

function toPageRequest(request: FastifyRequest, name: DocumentName): PageRequest {
  const url = (request.params as Params).url.toLowerCase();
  return { url, basePath: findBasePath(request.originalUrl, url), name };
}

async function answer(
  pages: PublicPages,
  pageRequest: PageRequest,
  call: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const { request, reply } = call;
  const found = await openPage(pages, pageRequest, readVisitor(request));
  if (found.verdict === "locked") return sendLocked(reply, pageRequest);
  if (found.verdict === "stale") return sendStale(request, reply, found.body);
  if (!found.isPrivate) return sendPublic(request, reply, found.body);
  await rememberVisitor(pages, pageRequest, call);
  return sendPrivate(request, reply, found.body);
}

/** Sets a cookie for a key in the URL, because links on the page do not contain the key. */
async function rememberVisitor(
  pages: PublicPages,
  pageRequest: PageRequest,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<void> {
  if (readQuery(request, "key") === undefined || !isForReaders(pageRequest.name)) return;
  const cookie = await createVisitorCookie(pages, pageRequest, readVisitor(request));
  if (cookie !== null) reply.header("set-cookie", cookie);
}

/**
 * Adds all routes of this module. The routes for visitors have a separate scope that sends errors
 * as HTML pages and parses HTML forms.
 */
export function addPublicPageRoutes(server: HttpServer, context: PublicPagesContext): void {
  addServiceStatusRoutes(server, context);
  addSnapshotRoutes(server, context);
  addAudienceRoutes(server, context);
  addIncidentPreviewRoutes(server, context);
  addPageOverviewRoutes(server, context);
  addPagePreviewRoutes(server, context);
  const pages = createPublicPages(context);
  addScope(server, async (own) => {
    own.setErrorHandler(sendProblem);
    addDocumentRoutes(own, pages);
    await addAssetRoutes(own, pages);
    addUnlockRoute(own, pages);
  });
}

function addDocumentRoutes(scope: HttpServer, pages: PublicPages): void {
  for (const [path, nameOf] of Object.entries(documents)) {
    scope.get(`/status/:url${path}`, options, (request, reply) => {
      const pageRequest = toPageRequest(request, nameOf(request.params as Params));
      const body = recallPage(pages, pageRequest);
      // A cached page is sent synchronously, without waiting for the database.
      if (body !== null) return sendPublic(request, reply, body);
      return answer(pages, pageRequest, { request, reply });
    });
  }
  // On a custom domain, this route matches every path that no other route matches, and sends 404.
  scope.get("/status/:url/*", options, async () => {
    throw notFound();
  });
}

async function addAssetRoutes(scope: HttpServer, pages: PublicPages): Promise<void> {
  const assets: Readonly<Record<string, readonly [CompressedBody, string]>> = {
    "page.css": [await compressBody(pageStyle.text, contentTypes.css), pageStyle.hash],
    "banner.css": [await compressBody(bannerStyle.text, contentTypes.css), bannerStyle.hash],
    "page.js": [await compressBody(pageScript.text, contentTypes.script), pageScript.hash],
    "icon.svg": [await compressBody(pageIcon, contentTypes.svg), hashText(pageIcon)],
  };
  for (const [file, [body, hash]] of Object.entries(assets)) {
    scope.get(`/status/:url/${file}`, options, (request, reply) =>
      sendAsset(request, reply, { body, isExact: readQuery(request, "v") === hash }),
    );
  }
  const plainTheme = await compressBody(renderTheme(null), contentTypes.css);
  scope.get("/status/:url/theme.css", options, async (request, reply) => {
    const pageRequest = toPageRequest(request, { kind: "theme" });
    const found = await openPage(pages, pageRequest, readVisitor(request)).catch(ignoreKnownError);
    // If the page does not exist, the default colours are sent, because error pages use them.
    const body = found === null || found.verdict === "locked" ? plainTheme : found.body;
    const isExact = readQuery(request, "v") === hashText(body.plain.toString());
    return sendAsset(request, reply, { body, isExact });
  });
}

function ignoreKnownError(error: FastifyError): null {
  if (toKnownError(error).errorName === "internal") throw error;
  return null;
}

const UnlockBody = Type.Object({
  key: Type.String({ description: "Key of a private page.", maxLength: 200 }),
});

function addUnlockRoute(scope: HttpServer, pages: PublicPages): void {
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: 2_048 },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  const unlock = {
    config: { access: "public" },
    schema: { hide: true, body: UnlockBody },
  } as const;
  scope.post("/status/:url/unlock", unlock, async (request, reply) => {
    rejectForeignPage(request, pages.context.publicUrl());
    const pageRequest = toPageRequest(request, { kind: "home" });
    const attempt = { rawKey: request.body.key, address: request.ip };
    const cookie = await unlockPage(pages, pageRequest, attempt);
    if (cookie === null)
      return sendLocked(reply, pageRequest, "This key is not valid for this page.");
    return reply.header("set-cookie", cookie).redirect(pageRequest.basePath, 303);
  });
}
