import { createHash } from "node:crypto";
import { renderDashboardPage } from "../../../pages/dashboard/page.ts";
import type { ShellView } from "../../../pages/dashboard/view.ts";
import type { Markup } from "../../../pages/html.ts";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import {
  findPageImage,
  grantPageAccess,
  hasPageAccess,
  readPageCss,
  renewPageAccess,
  type Visitor,
} from "../../sites/index.ts";
import { type DashboardsContext, referTo } from "../actions.ts";
import type { Dashboard } from "../dashboard.ts";
import { findDashboardByName } from "../store.ts";
import { DashboardViews, type ViewImages, type ViewPage } from "./dashboard-views.ts";
import { Viewers } from "./viewers.ts";

const maxRemembered = 1_000;
const maxAgeMs = 30_000;

/** State that one server keeps for all viewers of dashboards. */
export interface Viewing {
  readonly context: DashboardsContext;
  readonly views: DashboardViews;
  readonly names: DashboardNames;
  readonly viewers: Viewers;
}

const gatherMs = 200;
const maxGathered = 1_000;

/**
 * Looks up the accounts of changed checks in batches, because an import changes thousands of them.
 */
function gatherChecks(
  context: DashboardsContext,
  notify: (accountId: string | null) => void,
): (checkId: string | null) => void {
  let ids = new Set<string>();
  let isWaiting = false;
  const lookUp = async () => {
    const checkIds = [...ids];
    ids = new Set();
    isWaiting = false;
    const watched = await context.watchList.find(checkIds);
    // A deleted check has no account, so every viewer is notified.
    if (watched.size < checkIds.length) return notify(null);
    for (const one of new Set([...watched.values()].map(({ accountId }) => accountId))) notify(one);
  };
  return (checkId) => {
    if (checkId === null || ids.size >= maxGathered) return notify(null);
    ids.add(checkId);
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => void lookUp().catch(() => notify(null)), gatherMs).unref();
  };
}

/** Subscribes to changes: drops cached views first, then notifies viewers. */
export function createViewing(context: DashboardsContext): Viewing {
  const views = new DashboardViews(context);
  const names = new DashboardNames(context);
  const viewers = new Viewers();
  const notify = (accountId: string | null) => {
    views.forget(accountId);
    viewers.notify(accountId);
  };
  context.stateChanges.onChange(notify);
  context.pageChanges.onChange((accountId) => {
    names.forgetAll();
    notify(accountId);
    void viewers.review(accountId);
  });
  const gather = gatherChecks(context, notify);
  context.checkChanges.onChange((checkId) => {
    // Without viewers, nothing is cached and nobody needs a notification.
    if (views.size > 0 || viewers.size > 0) gather(checkId);
  });
  return { context, views, names, viewers };
}

export type Admission =
  | { readonly kind: "missing" }
  | { readonly kind: "locked"; readonly dashboard: Dashboard }
  | { readonly kind: "open"; readonly dashboard: Dashboard };

/** Decides whether the dashboard exists and whether this visitor may view it. */
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

/** Returns the cookie header that grants access; `null` if the key is wrong. */
export function unlock(
  { context }: Viewing,
  dashboard: Dashboard,
  attempt: { readonly rawKey: string; readonly address: string; readonly basePath: string },
): Promise<string | null> {
  return grantPageAccess(context, referTo(dashboard.dashboardId), attempt);
}

/** Returns the cookie header that extends access; `null` if there is nothing to renew. */
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
  /** `null` for the setting of the dashboard. */
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

/** Returns the parts of a page that do not depend on its view. */
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

/** Renders the complete page, for the first request of a browser. */
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

interface Remembered {
  readonly dashboard: Promise<Dashboard | null>;
  readonly atMs: number;
}

/**
 * Caches dashboards by name, including names that do not exist, so that hundreds of open dashboards
 * do not cause a query each.
 */
class DashboardNames {
  readonly #context: Pick<DashboardsContext, "db" | "clock" | "pageChanges">;
  readonly #remembered = new BoundedMap<string, Remembered>(maxRemembered);

  constructor(context: Pick<DashboardsContext, "db" | "clock" | "pageChanges">) {
    this.#context = context;
  }

  forgetAll(): void {
    this.#remembered.clear();
  }

  find(name: string): Promise<Dashboard | null> {
    const { db, clock, pageChanges } = this.#context;
    const key = name.toLowerCase();
    const nowMs = clock.now().getTime();
    const cached = this.#remembered.get(key);
    const ageMs = cached === undefined ? Number.POSITIVE_INFINITY : nowMs - cached.atMs;
    if (cached !== undefined && pageChanges.isOn() && ageMs >= 0 && ageMs < maxAgeMs) {
      return cached.dashboard;
    }
    const dashboard = findDashboardByName(db, key);
    this.#remembered.set(key, { dashboard, atMs: nowMs });
    dashboard.catch(() => this.#remembered.delete(key));
    return dashboard;
  }
}
