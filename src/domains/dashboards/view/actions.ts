import { createHash } from "node:crypto";
import { renderDashboardPage } from "../../../pages/dashboard/page.ts";
import type { ShellView } from "../../../pages/dashboard/view.ts";
import type { Markup } from "../../../pages/html.ts";
import {
  findPageImage,
  grantPageAccess,
  hasPageAccess,
  readPageCss,
  renewPageAccess,
  type Visitor,
} from "../../sites/index.ts";
import { referTo } from "../actions.ts";
import type { DashboardsContext } from "../context.ts";
import type { Dashboard } from "../dashboard.ts";
import { DashboardViews, type ViewImages, type ViewPage } from "./dashboard-views.ts";
import { DashboardNames } from "./names.ts";
import { Viewers } from "./viewers.ts";

/** What one server keeps for everybody who looks at dashboards. */
export interface Viewing {
  readonly context: DashboardsContext;
  readonly views: DashboardViews;
  readonly names: DashboardNames;
  readonly viewers: Viewers;
}

const gatherMs = 200;
const maxGathered = 1_000;

/** An import changes checks by the thousand, so their accounts are looked up in batches. */
function gatherChecks(
  context: DashboardsContext,
  tell: (accountId: string | null) => void,
): (checkId: string | null) => void {
  let ids = new Set<string>();
  let isWaiting = false;
  const ask = async () => {
    const asked = [...ids];
    ids = new Set();
    isWaiting = false;
    const watched = await context.watchList.find(asked);
    // A deleted check has no account: then every viewer looks again.
    if (watched.size < asked.length) return tell(null);
    for (const one of new Set([...watched.values()].map(({ accountId }) => accountId))) tell(one);
  };
  return (checkId) => {
    if (checkId === null || ids.size >= maxGathered) return tell(null);
    ids.add(checkId);
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => void ask().catch(() => tell(null)), gatherMs).unref();
  };
}

/** Subscribes to changes: cached views are dropped first, then viewers are told. */
export function createViewing(context: DashboardsContext): Viewing {
  const views = new DashboardViews(context);
  const names = new DashboardNames(context);
  const viewers = new Viewers();
  const tell = (accountId: string | null) => {
    views.forget(accountId);
    viewers.tell(accountId);
  };
  context.stateNews.onChange(tell);
  context.pageNews.onChange((accountId) => {
    names.forgetAll();
    tell(accountId);
    void viewers.review(accountId);
  });
  const gather = gatherChecks(context, tell);
  context.checkNews.onChange((checkId) => {
    // Without viewers there is nothing cached and nobody to tell.
    if (views.size > 0 || viewers.size > 0) gather(checkId);
  });
  return { context, views, names, viewers };
}

export type Admission =
  | { readonly kind: "missing" }
  | { readonly kind: "locked"; readonly dashboard: Dashboard }
  | { readonly kind: "open"; readonly dashboard: Dashboard };

/** Whether there is such a dashboard, and whether this visitor may look at it now. */
export async function admitVisitor(
  { context, names }: Viewing,
  name: string,
  visitor: Visitor,
): Promise<Admission> {
  const dashboard = await names.find(name);
  if (dashboard === null) return { kind: "missing" };
  const isOpen =
    !dashboard.settings.isPrivate ||
    (await hasPageAccess(context, referTo(dashboard.dashboardId), visitor));
  return { kind: isOpen ? "open" : "locked", dashboard };
}

/** The cookie header that grants access; null when the key is wrong. */
export function unlock(
  { context }: Viewing,
  dashboard: Dashboard,
  attempt: { readonly rawKey: string; readonly address: string; readonly basePath: string },
): Promise<string | null> {
  return grantPageAccess(context, referTo(dashboard.dashboardId), attempt);
}

/** The cookie header that extends access; null when there is nothing to renew. */
export async function prolong(
  { context }: Viewing,
  dashboard: Dashboard,
  visit: { readonly cookieHeader: string | undefined; readonly basePath: string },
): Promise<string | null> {
  if (!dashboard.settings.isPrivate) return null;
  return renewPageAccess(context, referTo(dashboard.dashboardId), visit);
}

export interface ViewRequest {
  readonly page: number;
  /** Null: as the dashboard says. */
  readonly expand: boolean | null;
}

export function readView(
  { views }: Viewing,
  dashboard: Dashboard,
  { page, expand }: ViewRequest,
): Promise<ViewPage & { readonly images: ViewImages }> {
  const isExpanded = expand ?? dashboard.settings.expandChecks;
  return views.read(dashboard, { page, isExpanded });
}

function versionCss(css: string): string {
  return createHash("sha256").update(css).digest("hex").slice(0, 12);
}

/** What of a page is not its view. */
export function toShell(
  context: Pick<DashboardsContext, "clock">,
  dashboard: Dashboard,
  page: { readonly basePath: string; readonly images: ViewImages },
): ShellView {
  const { settings } = dashboard;
  const { basePath, images } = page;
  const findUrl = (role: keyof ViewImages): string | null => {
    const hash = images[role];
    return hash === undefined ? null : `${basePath}images/${role}?v=${hash.slice(0, 16)}`;
  };
  const { customCSS } = settings;
  return {
    basePath,
    header: settings.header,
    description: settings.description,
    showsHeader: settings.showHeader,
    logoUrl: findUrl("logo"),
    faviconUrl: findUrl("favicon"),
    link: settings.link,
    isWide: settings.width === "FULL",
    isPrivate: settings.isPrivate,
    refreshSeconds: settings.refreshRate,
    paginationSeconds: settings.paginationRate,
    nowMs: context.clock.now().getTime(),
    preview: null,
    customCssUrl: customCSS === "" ? null : `${basePath}custom.css?v=${versionCss(customCSS)}`,
  };
}

/** The whole page, for a browser that comes for the first time. */
export async function renderWholePage(
  viewing: Viewing,
  dashboard: Dashboard,
  input: ViewRequest & { readonly basePath: string },
): Promise<Markup> {
  const { view, images } = await readView(viewing, dashboard, input);
  return renderDashboardPage(
    toShell(viewing.context, dashboard, { basePath: input.basePath, images }),
    view,
  );
}

export function readCustomCss({ settings: { customCSS } }: Dashboard): Promise<string> {
  return readPageCss({ source: customCSS, scope: "dashboard" });
}

export function findPicture({ context }: Viewing, dashboard: Dashboard, role: keyof ViewImages) {
  return findPageImage(context.db, { ...referTo(dashboard.dashboardId), role });
}
