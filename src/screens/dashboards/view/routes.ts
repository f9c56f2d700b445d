import type { FastifyReply, FastifyRequest } from "fastify";
import { isMemberOf } from "../../../access/accounts/index.ts";
import {
  assetVersions,
  icon,
  renderLockedPage,
  renderMissingPage,
  script,
  stylesheet,
} from "../../../pages/dashboard/page.ts";
import type { Markup } from "../../../pages/html.ts";
import { KnownError, notFound } from "../../../platform/errors.ts";
import { rejectForeignPage } from "../../../platform/http/request-origin.ts";
import { addScope, type HttpServer } from "../../../platform/http/server.ts";
import { addressKey } from "../../../platform/ip-address.ts";
import { readVisitor } from "../../../sites/publishing/index.ts";
import type { DashboardsContext } from "../actions.ts";
import { type Dashboard, pagePolicy as policy } from "../dashboard.ts";
import {
  admitVisitor,
  createViewing,
  type DashboardVisitor,
  findPicture,
  prolong,
  readCustomCss,
  readView,
  renderWholePage,
  unlock,
  type Viewing,
} from "./actions.ts";
import { KeyQuery, PictureParams, readForm, ViewParams, ViewQuery } from "./dashboard-views.ts";

/** Interval of heartbeat events. Strict proxies close a stream after 25 seconds without data. */
const beatEveryMs = 20_000;
const maxFormBytes = 1_024;

/** Content security policy of images: an image that is opened directly must not run scripts. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

interface ViewerRequest extends FastifyRequest {
  readonly params: { readonly name: string };
  readonly query: { readonly key?: string | undefined };
}

function basePathOf({ originalUrl, params }: ViewerRequest): string {
  return findDashboardBasePath(originalUrl, params.name);
}

function readDashboardVisitor({ context }: Viewing, request: FastifyRequest): DashboardVisitor {
  const isMember = (accountId: string) => isMemberOf(context.credentials, request, accountId);
  return { ...readVisitor(request), isMemberOf: isMember };
}

function sendPage(reply: FastifyReply, page: Markup): FastifyReply {
  return (
    reply
      .header("content-security-policy", policy)
      // The page's script uses this header to detect responses that do not come from this server,
      // but from a proxy.
      .header("x-dashboard", "page")
      // With `no-referrer`, browsers send the form with the origin `null`, which is rejected as
      // cross-origin.
      .header("referrer-policy", "same-origin")
      .type("text/html; charset=utf-8")
      .send(page.text)
  );
}

/**
 * Returns the dashboard, or throws if the visitor has no access. The header of the error response
 * tells the page's script that this server, and not a proxy, denied access.
 */
async function getOpen(
  viewing: Viewing,
  request: ViewerRequest,
  reply: FastifyReply,
): Promise<Dashboard> {
  const admission = await admitVisitor(
    viewing,
    request.params.name,
    readDashboardVisitor(viewing, request),
  );
  if (admission.kind === "open") return admission.dashboard;
  reply.header("x-dashboard", "closed");
  throw admission.kind === "missing" ? notFound() : new KnownError("badToken");
}

const toViewRequest = ({ page, expand }: ViewQuery) => ({
  page,
  expand: expand === undefined ? null : expand === "1",
});

async function sendWholePage(
  viewing: Viewing,
  request: ViewerRequest & { query: ViewQuery },
  reply: FastifyReply,
) {
  const { params, query } = request;
  const basePath = basePathOf(request);
  const visitor = readDashboardVisitor(viewing, request);
  const admission = await admitVisitor(viewing, params.name, { ...visitor, presentedKey: null });
  if (admission.kind === "missing") {
    return sendPage(reply.code(404), renderMissingPage(basePath));
  }
  const { dashboard } = admission;
  if (admission.kind === "open") {
    const page = await renderWholePage(viewing, dashboard, { ...toViewRequest(query), basePath });
    return sendPage(reply, page);
  }
  return admit(viewing, dashboard, { request, reply, rawKey: query.key ?? null });
}

/**
 * Exchanges a valid key in the URL for a cookie, because other people may see the URL. Without a
 * valid key, sends the page on which the visitor can enter a key.
 */
async function admit(
  viewing: Viewing,
  dashboard: Dashboard,
  call: {
    readonly request: ViewerRequest;
    readonly reply: FastifyReply;
    readonly rawKey: string | null;
  },
): Promise<FastifyReply> {
  const { request, reply, rawKey } = call;
  const basePath = basePathOf(request);
  const answer = { isWrong: rawKey !== null, isTooOften: false };
  try {
    const attempt = { rawKey: rawKey ?? "", address: request.ip, basePath };
    const cookie = rawKey === null ? null : await unlock(viewing, dashboard, attempt);
    if (cookie !== null) return reply.header("set-cookie", cookie).redirect(basePath, 303);
  } catch (error) {
    if (!(error instanceof KnownError) || error.errorName !== "tooManyRequests") throw error;
    const isTooOften = true;
    reply.header("retry-after", String(error.retryAfterSeconds ?? 60));
    return sendPage(reply.code(429), renderLockedPage(basePath, { ...answer, isTooOften }));
  }
  return sendPage(reply.code(401), renderLockedPage(basePath, answer));
}

async function sendView(
  viewing: Viewing,
  request: ViewerRequest & { query: ViewQuery },
  reply: FastifyReply,
) {
  const dashboard = await getOpen(viewing, request, reply);
  const visit = { cookieHeader: request.headers.cookie, basePath: basePathOf(request) };
  const cookie = await prolong(viewing, dashboard, visit);
  if (cookie !== null) reply.header("set-cookie", cookie);
  const view = await readView(viewing, dashboard, toViewRequest(request.query));
  const isPrivate = dashboard.settings.isPrivate;
  reply
    .header("cache-control", isPrivate ? "private, no-store" : "no-cache")
    .header("x-dashboard-now", String(viewing.context.clock.now().getTime()))
    .header("vary", "accept-encoding, cookie")
    .header("etag", view.etag)
    .header("content-security-policy", policy)
    .type("text/html; charset=utf-8");
  if (request.headers["if-none-match"] === view.etag) return reply.code(304).send();
  const takesZip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  if (!takesZip) return reply.send(view.text);
  return reply.header("content-encoding", "gzip").send(await view.zip());
}

/** Opens an event stream. An event only signals that the view may have changed. */
async function openStream(
  viewing: Viewing,
  request: ViewerRequest,
  reply: FastifyReply,
): Promise<void> {
  const address = addressKey(request.ip);
  const dashboard = await getOpen(viewing, request, reply);
  viewing.viewers.rejectExcess(address);
  const visitor = readDashboardVisitor(viewing, request);
  const { name } = request.params;
  reply.header("content-type", "text/event-stream; charset=utf-8");
  reply.header("x-accel-buffering", "no");
  reply.hijack();
  for (const [header, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(header, value);
  }
  reply.raw.writeHead(200);
  viewing.viewers.add(reply.raw, {
    accountId: dashboard.accountId,
    address,
    mayStay: async () => (await admitVisitor(viewing, name, visitor)).kind === "open",
  });
}

/** Sends an asset that browsers cache permanently, because its URL changes with its content. */
function sendAsset(reply: FastifyReply, type: string, body: string | Buffer): FastifyReply {
  return reply.header("cache-control", "public, max-age=31536000, immutable").type(type).send(body);
}

export function addViewRoutes(server: HttpServer, context: DashboardsContext): void {
  const viewing = createViewing(context);
  const beat = setInterval(() => viewing.viewers.beat(), beatEveryMs);
  beat.unref();
  // Close the streams first, because a server that stops waits for open streams.
  server.addHook("preClose", async () => {
    clearInterval(beat);
    viewing.viewers.close();
  });
  addScope(server, (scope) => addPageRoutes(scope, viewing));
}

/**
 * Adds the routes of the pages. `scope` is separate because only these routes accept HTML forms.
 */
function addPageRoutes(scope: HttpServer, viewing: Viewing): void {
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer", bodyLimit: maxFormBytes },
    (_request, body, done) => done(null, body),
  );
  // Readers have a higher rate limit, because an office may share one IP address. Their requests
  // are cheap, because views are cached.
  const config = { access: "public", isForReaders: true } as const;
  const ofDashboard = {
    config,
    schema: { hide: true, params: ViewParams, querystring: ViewQuery },
  };
  const ofPart = { config, schema: { hide: true, params: ViewParams, querystring: KeyQuery } };
  for (const path of ["/dashboards/:name", "/dashboards/:name/"]) {
    scope.get(path, ofDashboard, (request, reply) => sendWholePage(viewing, request, reply));
  }
  scope.get("/dashboards/:name/view", ofDashboard, (request, reply) =>
    sendView(viewing, request, reply),
  );
  // A HEAD route is not exposed, because a HEAD request to a stream would never end.
  scope.get("/dashboards/:name/events", { ...ofPart, exposeHeadRoute: false }, (request, reply) =>
    openStream(viewing, request, reply),
  );
  scope.get("/dashboards/:name/page.css", ofPart, async (_request, reply) =>
    sendAsset(
      reply.header("etag", `"${assetVersions.css}"`),
      "text/css; charset=utf-8",
      stylesheet,
    ),
  );
  scope.get("/dashboards/:name/page.js", ofPart, async (_request, reply) =>
    sendAsset(
      reply.header("etag", `"${assetVersions.js}"`),
      "text/javascript; charset=utf-8",
      script,
    ),
  );
  scope.get("/dashboards/:name/icon.svg", ofPart, async (_request, reply) =>
    reply
      .header("cache-control", "public, max-age=86400")
      .header("content-security-policy", picturePolicy)
      .type("image/svg+xml")
      .send(icon),
  );
  scope.get("/dashboards/:name/custom.css", ofPart, async (request, reply) => {
    const dashboard = await getOpen(viewing, request, reply);
    const { isPrivate } = dashboard.settings;
    const css = await readCustomCss(dashboard);
    return reply
      .header("cache-control", `${isPrivate ? "private" : "public"}, max-age=300`)
      .type("text/css; charset=utf-8")
      .send(css);
  });
  scope.get(
    "/dashboards/:name/images/:role",
    { config, schema: { hide: true, params: PictureParams, querystring: KeyQuery } },
    async (request, reply) => {
      const dashboard = await getOpen(viewing, request, reply);
      const picture = await findPicture(viewing, dashboard, request.params.role);
      if (picture === null) throw notFound();
      const { isPrivate } = dashboard.settings;
      return reply
        .header("cache-control", `${isPrivate ? "private" : "public"}, max-age=300`)
        .header("content-security-policy", picturePolicy)
        .type(picture.contentType)
        .send(picture.bytes);
    },
  );
  scope.post(
    "/dashboards/:name/unlock",
    { config: { access: "public" }, schema: { hide: true, params: ViewParams } },
    async (request, reply) => {
      rejectForeignPage(request, viewing.context.publicUrl());
      const { params, body } = request;
      const viewerRequest = Object.assign(request, { query: {} });
      const admission = await admitVisitor(
        viewing,
        params.name,
        readDashboardVisitor(viewing, viewerRequest),
      );
      if (admission.kind === "missing") {
        return sendPage(reply.code(404), renderMissingPage(basePathOf(viewerRequest)));
      }
      const rawKey = readForm(body);
      if (admission.kind === "open" && rawKey === "")
        return reply.redirect(basePathOf(viewerRequest), 303);
      return admit(viewing, admission.dashboard, { request: viewerRequest, reply, rawKey });
    },
  );
}

/** Returns the base path of links: `/dashboards/{name}/`, or `/` on a custom domain. */
export function findDashboardBasePath(originalUrl: string, name: string): string {
  const folder = `/dashboards/${encodeURIComponent(name)}`;
  const [path = ""] = originalUrl.toLowerCase().split("?");
  const isBelow = path === folder.toLowerCase() || path.startsWith(`${folder.toLowerCase()}/`);
  return isBelow ? `${folder}/` : "/";
}
