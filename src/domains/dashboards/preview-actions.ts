import { icon, renderDashboardPage, stylesheet } from "../../pages/dashboard/page.ts";
import type { Caller } from "../accounts/index.ts";
import { createPreview, type Preview, type PreviewFile } from "../previews/index.ts";
import { type CssWarning, draftPageImages } from "../sites/index.ts";
import {
  type DashboardsContext,
  decideSettings,
  filterCss,
  formatFolder,
  getDashboard,
  referTo,
} from "./actions.ts";
import { type Dashboard, type DashboardInput, pagePolicy } from "./dashboard.ts";
import { toShell } from "./view/actions.ts";
import type { DashboardViews } from "./view/dashboard-views.ts";

export interface DashboardPreview extends Preview {
  readonly cssWarnings: readonly CssWarning[];
  /** Number of checks on all its pages. */
  readonly checkCount: number;
}

const toFile = (text: string, contentType: string): PreviewFile => ({
  contentType,
  bytes: Buffer.from(text),
});

/** Renders the dashboard as viewers would see it now if the input were saved. */
export async function previewDashboard(
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
  // One preview per account, because an editor previews one dashboard at a time.
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
