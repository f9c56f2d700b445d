import { createHash } from "node:crypto";
import { renderDashboardPage } from "../../../pages/dashboard/page.ts";
import type { ShellView } from "../../../pages/dashboard/view.ts";
import type { Markup } from "../../../pages/html.ts";
import { KnownError } from "../../../platform/errors.ts";
import {
  findPageImage,
  grantPageAccess,
  hasPageAccess,
  type ImageRole,
  type PageImage,
  type PageImageState,
  renewPageAccess,
  type Visitor,
  writePageCookie,
} from "../../sites/index.ts";
import { referTo } from "../actions.ts";
import type { DashboardsContext } from "../context.ts";
import { filteredSheets } from "../custom-css/filtered-sheets.ts";
import type { Dashboard } from "../dashboard.ts";
import { type BoardPage, Boards } from "./boards.ts";
import { DashboardNames } from "./names.ts";
import { Walls } from "./walls.ts";

/** What one server keeps for everybody who looks at dashboards. */
export interface WallWorld {
  readonly context: DashboardsContext;
  readonly boards: Boards;
  readonly names: DashboardNames;
  readonly walls: Walls;
}

const gatherMs = 200;
const maxGathered = 1_000;

/** Checks change by the thousand when they are imported: whose they are is asked once for many. */
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
    // A check that is gone has no account any more: then all look again.
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

/** Lets the world hear the news: what is known is forgotten first, and then walls are told. */
export function createWallWorld(context: DashboardsContext): WallWorld {
  const boards = new Boards(context);
  const names = new DashboardNames(context);
  const walls = new Walls();
  const tell = (accountId: string | null) => {
    boards.forget(accountId);
    walls.tell(accountId);
  };
  context.onStateChange(tell);
  context.onPageChange((accountId) => {
    names.forgetAll();
    tell(accountId);
    void walls.review(accountId);
  });
  const gather = gatherChecks(context, tell);
  context.onCheckChange((checkId) => {
    // While nobody looks, there is nothing to forget and nobody to tell.
    if (boards.size > 0 || walls.size > 0) gather(checkId);
  });
  return { context, boards, names, walls };
}

export type Admission =
  | { readonly kind: "missing" }
  | { readonly kind: "locked"; readonly dashboard: Dashboard }
  | { readonly kind: "open"; readonly dashboard: Dashboard };

/** Whether there is such a dashboard, and whether this visitor may look at it now. */
export async function admitVisitor(
  { context, names }: WallWorld,
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

function writeCookie(
  context: DashboardsContext,
  dashboard: Dashboard,
  { value, basePath }: { readonly value: string; readonly basePath: string },
): string {
  // Without the slash at its end: the page itself is found without one, too.
  const path = basePath === "/" ? "/" : basePath.slice(0, -1);
  return writePageCookie(context, referTo(dashboard.dashboardId), { value, path });
}

/** The header that lets a browser in; null when the key does not fit. */
export async function unlock(
  { context }: WallWorld,
  dashboard: Dashboard,
  attempt: { readonly rawKey: string; readonly address: string; readonly basePath: string },
): Promise<string | null> {
  const value = await grantPageAccess(context, referTo(dashboard.dashboardId), attempt);
  const { basePath } = attempt;
  return value === null ? null : writeCookie(context, dashboard, { value, basePath });
}

/** The header that lets a browser stay as long as it looks; null where nothing is to be renewed. */
export async function prolong(
  { context }: WallWorld,
  dashboard: Dashboard,
  visit: { readonly cookieHeader: string | undefined; readonly basePath: string },
): Promise<string | null> {
  if (!dashboard.settings.isPrivate) return null;
  const { cookieHeader, basePath } = visit;
  const value = await renewPageAccess(context, referTo(dashboard.dashboardId), cookieHeader);
  return value === null ? null : writeCookie(context, dashboard, { value, basePath });
}

export interface BoardWish {
  readonly page: number;
  /** Null: as the dashboard says. */
  readonly expand: boolean | null;
}

export function readBoard(
  { boards }: WallWorld,
  dashboard: Dashboard,
  { page, expand }: BoardWish,
): Promise<BoardPage & { readonly images: readonly PageImageState[] }> {
  const isExpanded = expand ?? dashboard.settings.expandChecks;
  return boards.read(dashboard, { page, isExpanded });
}

function versionCss(css: string): string {
  return createHash("sha256").update(css).digest("hex").slice(0, 12);
}

function toShell(
  { context }: WallWorld,
  dashboard: Dashboard,
  page: { readonly basePath: string; readonly images: readonly PageImageState[] },
): ShellView {
  const { settings } = dashboard;
  const { basePath, images } = page;
  const findUrl = (role: ImageRole): string | null => {
    const hash = images.find((image) => image.role === role)?.hash ?? null;
    return hash === null ? null : `${basePath}images/${role}?v=${hash.slice(0, 16)}`;
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
    customCssUrl: customCSS === "" ? null : `${basePath}custom.css?v=${versionCss(customCSS)}`,
  };
}

/** The whole page, for a browser that comes for the first time. */
export async function renderWall(
  world: WallWorld,
  dashboard: Dashboard,
  wish: BoardWish & { readonly basePath: string },
): Promise<Markup> {
  const { view, images } = await readBoard(world, dashboard, wish);
  return renderDashboardPage(toShell(world, dashboard, { basePath: wish.basePath, images }), view);
}

export async function readCustomCss({ settings: { customCSS } }: Dashboard): Promise<string> {
  const filtered = await filteredSheets.read(customCSS);
  if (filtered === null) throw new KnownError("unavailable");
  return filtered.css;
}

export function findPicture(
  { context }: WallWorld,
  dashboard: Dashboard,
  role: ImageRole,
): Promise<PageImage | null> {
  return findPageImage(context.db, { ...referTo(dashboard.dashboardId), role });
}
