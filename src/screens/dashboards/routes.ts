import { type Caller, IdempotencyHeaders } from "../../access/accounts/index.ts";
import { icon, renderDashboardPage, stylesheet } from "../../pages/dashboard/page.ts";
import { answers, Nothing, sendTotal } from "../../platform/http/schema.ts";
import {
  IfMatchHeaders,
  sendTagged,
  type TaggedReply,
  tagVersion,
} from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  createPreview,
  type Preview,
  type PreviewFile,
  toWirePreview,
} from "../../sites/previews/index.ts";
import {
  type CssWarning,
  checkPageDomain,
  draftPageImages,
  getPageDomain,
  PageDomainSchema,
  toWirePageDomain,
} from "../../sites/publishing/index.ts";
import {
  addKey,
  changeDashboard,
  createDashboard,
  type DashboardsContext,
  decideSettings,
  filterCss,
  formatFolder,
  getDashboard,
  listKeys,
  listOwnDashboards,
  referTo,
  removeDashboard,
  removeKey,
  rotateKey,
} from "./actions.ts";
import {
  type Dashboard,
  type DashboardInput,
  type DashboardWithKeys,
  pagePolicy,
} from "./dashboard.ts";
import {
  DashboardBody,
  DashboardChange,
  DashboardList,
  DashboardParams,
  DashboardPreviewBody,
  DashboardPreviewSchema,
  DashboardQuery,
  DashboardSchema,
  fromWireDashboard,
  KeyList,
  KeyParams,
  KeySchema,
  ListQuery,
  toWireDashboard,
  toWireKey,
} from "./schema.ts";
import { toShell } from "./view/actions.ts";
import { DashboardViews } from "./view/dashboard-views.ts";
import { addViewRoutes } from "./view/routes.ts";

const tags = ["Dashboards"];

/** Maximum number of cached previews, and of checks with cached figures in all previews. */
const previewLimits = { dashboards: 20, figures: 5_000 };

export function addDashboardRoutes(server: HttpServer, context: DashboardsContext): void {
  const show = (one: DashboardWithKeys) =>
    toWireDashboard(one, formatFolder(context, one.dashboardId));
  const sendOne = (reply: TaggedReply, one: DashboardWithKeys) =>
    sendTagged(reply, tagVersion(one.version), show(one));
  server.post(
    "/v1/dashboards",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createDashboard",
        summary: "Create a dashboard",
        description:
          "A dashboard is private unless `isPrivate` is `false`. It gets its first key, which is " +
          "shown only in this response.",
        headers: IdempotencyHeaders,
        body: DashboardBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: DashboardSchema }, "conflict"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const idempotencyKey = headers["idempotency-key"];
      const made = await createDashboard(context, caller, {
        ...fromWireDashboard(body),
        body,
        idempotencyKey,
      });
      return reply.code(201).send(sendOne(reply, made));
    },
  );
  server.get(
    "/v1/dashboards",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listDashboards",
        summary: "List dashboards",
        description: "Paginated by `limit` and `page`; the total is in `Content-Range`.",
        querystring: ListQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: DashboardList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { dashboards, total } = await listOwnDashboards(context, caller, query);
      sendTotal(reply, query, total);
      return dashboards.map(show);
    },
  );
  server.get(
    "/v1/dashboards/:dashboardId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getDashboard",
        summary: "Get a dashboard by id or custom address",
        description: "The response has an `ETag`, which an update can send as `If-Match`.",
        params: DashboardParams,
        querystring: DashboardQuery,
        answerHeaders: ["ETag"],
        response: answers({ 200: DashboardSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const which = { by: query.type ?? "dashboardId", value: params.dashboardId } as const;
      return sendOne(reply, await getDashboard(context, caller, which));
    },
  );
  server.put(
    "/v1/dashboards/:dashboardId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateDashboard",
        summary: "Update a dashboard",
        description:
          "Omitted fields keep their value. With `If-Match`, a change made since then causes 412.",
        params: DashboardParams,
        headers: IfMatchHeaders,
        body: DashboardChange,
        answerHeaders: ["ETag"],
        response: answers({ 200: DashboardSchema }, "notFound", "conflict", "preconditionFailed"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const place = { dashboardId: params.dashboardId, ifMatch: headers["if-match"] };
      const change = { ...place, ...fromWireDashboard(body) };
      return sendOne(reply, await changeDashboard(context, caller, change));
    },
  );
  server.delete(
    "/v1/dashboards/:dashboardId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteDashboard",
        summary: "Delete a dashboard with its keys and addresses",
        description: "Its address becomes available.",
        params: DashboardParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeDashboard(context, caller, params.dashboardId);
      return reply.code(204).send(null);
    },
  );
  addKeyRoutes(server, context);
  addDashboardPreviewRoutes(server, context);
  addDomainRoutes(server, context);
  addViewRoutes(server, context);
}

function addKeyRoutes(server: HttpServer, context: DashboardsContext): void {
  server.post(
    "/v1/dashboards/:dashboardId/keys",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createDashboardKey",
        summary: "Create a key of a dashboard",
        description: "The key is shown only in this response. 409 for a public dashboard.",
        params: DashboardParams,
        response: answers({ 201: KeySchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      const key = await addKey(context, caller, params.dashboardId);
      return reply.code(201).send(toWireKey(key));
    },
  );
  server.get(
    "/v1/dashboards/:dashboardId/keys",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listDashboardKeys",
        summary: "List the keys of a dashboard, masked",
        description: "Keys cannot be shown again.",
        params: DashboardParams,
        response: answers({ 200: KeyList }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      (await listKeys(context, caller, params.dashboardId)).map(toWireKey),
  );
  server.post(
    "/v1/dashboards/:dashboardId/keys/:keyId/rotate",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "rotateDashboardKey",
        summary: "Replace a key of a dashboard",
        description:
          "The new key is shown only in this response. Viewers with the old key lose access " +
          "immediately.",
        params: KeyParams,
        response: answers({ 200: KeySchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireKey(await rotateKey(context, caller, params)),
  );
  server.delete(
    "/v1/dashboards/:dashboardId/keys/:keyId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteDashboardKey",
        summary: "Delete a key of a dashboard",
        description: "Viewers with this key lose access immediately.",
        params: KeyParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeKey(context, caller, params);
      return reply.code(204).send(null);
    },
  );
}

function addDomainRoutes(server: HttpServer, context: DashboardsContext): void {
  const refer = async (caller: Caller, value: string) =>
    referTo((await getDashboard(context, caller, { by: "dashboardId", value })).dashboardId);
  server.get(
    "/v1/dashboards/:dashboardId/domain",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getDashboardDomain",
        summary: "Get the DNS records that verify the domain of a dashboard",
        description:
          "Includes whether the records were found. 404 for a dashboard without `customDomain`.",
        params: DashboardParams,
        response: answers({ 200: PageDomainSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const page = await refer(caller, params.dashboardId);
      return toWirePageDomain(await getPageDomain(context, caller, page));
    },
  );
  server.post(
    "/v1/dashboards/:dashboardId/domain/check",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "checkDashboardDomain",
        summary: "Verify the domain of a dashboard now",
        description:
          "Queries the DNS records and returns the result. Once verified, the domain is served. " +
          "At most 20 requests per minute and account.",
        params: DashboardParams,
        response: answers({ 200: PageDomainSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const page = await refer(caller, params.dashboardId);
      return toWirePageDomain(await checkPageDomain(context, caller, page));
    },
  );
}

interface DashboardPreview extends Preview {
  readonly cssWarnings: readonly CssWarning[];
  /** Number of checks on all pages of the dashboard. */
  readonly checkCount: number;
}

const toFile = (text: string, contentType: string): PreviewFile => ({
  contentType,
  bytes: Buffer.from(text),
});

/** Renders the dashboard as viewers would see it now if the input were saved. */
async function previewDashboard(
  { context, views }: { readonly context: DashboardsContext; readonly views: DashboardViews },
  caller: Caller,
  draft: { readonly dashboardId: string | undefined; readonly input: DashboardInput },
): Promise<DashboardPreview> {
  const { accountId } = caller;
  const { dashboardId: value, input } = draft;
  const before =
    value === undefined ? null : await getDashboard(context, caller, { by: "dashboardId", value });
  const settings = decideSettings(context, input, before?.settings ?? null);
  const { css, warnings } = await filterCss(settings.customCSS);
  const pageId = before?.dashboardId ?? "";
  const images = await draftPageImages(context.db, {
    ...referTo(pageId),
    images: { logo: input.logo, favicon: input.favicon },
    stored: { logo: before?.settings.logo ?? null, favicon: before?.settings.favicon ?? null },
    folder: formatFolder(context, pageId),
    allowPrivate: context.allowPrivate,
  });
  const at = context.clock.now();
  // Each account has only one cached preview, because an editor previews one dashboard at a time.
  const ids = { id: 0, dashboardId: `preview of ${accountId}`, accountId };
  const versions = { cssWarnings: [], version: 0, createdAt: at, updatedAt: null };
  const dashboard: Dashboard = { ...ids, ...versions, settings };
  const { view } = await views.read(dashboard, { page: 1, isExpanded: settings.expandChecks });
  const hashes = Object.fromEntries([...images].map(([role, { hash }]) => [role, hash]));
  const shell = toShell(context, dashboard, { basePath: "./", images: hashes });
  const pictures = [...images].map(([role, { contentType, bytes }]) => [
    `images/${role}`,
    { contentType, bytes },
  ]);
  const preview = await createPreview(context, accountId, {
    html: renderDashboardPage({ ...shell, preview: "light" }, view).text,
    darkHtml: renderDashboardPage({ ...shell, preview: "dark" }, view).text,
    contentSecurityPolicy: pagePolicy,
    files: {
      ...Object.fromEntries(pictures),
      "page.css": toFile(stylesheet, "text/css; charset=utf-8"),
      "custom.css": toFile(css, "text/css; charset=utf-8"),
      "icon.svg": toFile(icon, "image/svg+xml"),
    },
  });
  const counted = Object.values(view.counts).reduce((sum, count) => sum + count, view.left);
  return { ...preview, cssWarnings: warnings, checkCount: counted };
}

function addDashboardPreviewRoutes(server: HttpServer, context: DashboardsContext): void {
  const previewing = { context, views: new DashboardViews(context, previewLimits) };
  server.post(
    "/v1/dashboards/previews",
    {
      config: { access: "write" },
      schema: {
        tags: ["Dashboards"],
        operationId: "previewDashboard",
        summary: "Preview a dashboard",
        description:
          "Accepts the body of creating or updating a dashboard, with the same validation, and " +
          "returns a URL that shows its first page for ten minutes, with warnings about its CSS. " +
          "Nothing is saved. An image given by URL is shown only after the dashboard is saved " +
          "and the image is fetched.",
        body: DashboardPreviewBody,
        response: answers({ 201: DashboardPreviewSchema }, "notFound"),
      },
    },
    async ({ caller, body }, reply) => {
      const { dashboardId, ...input } = body;
      const preview = await previewDashboard(previewing, caller, { dashboardId, input });
      const { cssWarnings, checkCount } = preview;
      const answer = { ...toWirePreview(preview), cssWarnings: [...cssWarnings], checkCount };
      return reply.code(201).send(answer);
    },
  );
}
