import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { renderDashboardPage } from "../../../pages/dashboard/page.ts";
import type { ShellView } from "../../../pages/dashboard/view.ts";
import type { Markup } from "../../../pages/html.ts";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import { KnownError } from "../../../platform/errors.ts";
import {
  findPageImage,
  grantPageAccess,
  hasPageAccess,
  readPageCss,
  renewPageAccess,
  type Visitor,
} from "../../../sites/publishing/index.ts";
import { type DashboardsContext, referTo } from "../actions.ts";
import type { Dashboard } from "../dashboard.ts";
import { findDashboardByName } from "../store.ts";
import { DashboardViews, type ViewImages, type ViewPage } from "./dashboard-views.ts";

const maxRemembered = 1_000;
const maxAgeMs = 30_000;

interface ViewerLimits {
  readonly total: number;
  readonly perAddress: number;
  /** Minimum time between two change events to a viewer, in milliseconds. */
  readonly quietMs: number;
}

const defaultLimits: ViewerLimits = { total: 500, perAddress: 50, quietMs: 1_000 };

/** A client with an open event stream, which is notified of changes to a dashboard. */
export interface Viewer {
  readonly accountId: string;
  readonly address: string;
  /** Returns whether the viewer still has access after a change of keys or settings. */
  readonly mayStay: () => Promise<boolean>;
}

/**
 * Maximum number of unsent bytes per viewer. A viewer that does not read fast enough is
 * disconnected.
 */
const maxUnsentBytes = 64 * 1_024;
const beatText = "event: beat\ndata: \n\n";
const changedText = "event: changed\ndata: \n\n";
const helloText = "retry: 5000\nevent: beat\ndata: \n\n";

/**
 * Event streams of viewers. An event contains no data. It only signals that the view may have
 * changed.
 */
export class Viewers {
  readonly #limits: ViewerLimits;
  readonly #viewers = new Map<ServerResponse, Viewer>();
  readonly #perAddress = new Map<string, number>();
  /**
   * Accounts whose viewers were notified recently. Until the timer of an account fires, a further
   * change only sets `hasMore`. If `hasMore` is set when the timer fires, the viewers are notified
   * again.
   */
  readonly #quiet = new Map<string, { timer: NodeJS.Timeout; hasMore: boolean }>();
  readonly #toReview = new Set<string | null>();
  #isReviewing = false;
  #isClosed = false;

  constructor(limits: ViewerLimits = defaultLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#viewers.size;
  }

  /**
   * Throws if too many viewers are connected. Must be called before the response is started, so
   * that the error can still be sent.
   */
  rejectExcess(address: string): void {
    const isFull = this.#isClosed || this.#viewers.size >= this.#limits.total;
    if (isFull) throw new KnownError("unavailable", { retryAfterSeconds: 30 });
    if ((this.#perAddress.get(address) ?? 0) >= this.#limits.perAddress) {
      throw new KnownError("tooManyRequests", { retryAfterSeconds: 30 });
    }
  }

  add(stream: ServerResponse, viewer: Viewer): void {
    // If the client disconnected during authorisation, the stream has already emitted `close` and
    // would never be removed.
    if (stream.destroyed) return;
    this.#viewers.set(stream, viewer);
    this.#perAddress.set(viewer.address, (this.#perAddress.get(viewer.address) ?? 0) + 1);
    stream.once("close", () => this.#remove(stream));
    stream.on("error", () => stream.destroy());
    this.#write(stream, Buffer.from(helloText));
  }

  #remove(stream: ServerResponse): void {
    const viewer = this.#viewers.get(stream);
    if (viewer === undefined) return;
    this.#viewers.delete(stream);
    const left = (this.#perAddress.get(viewer.address) ?? 1) - 1;
    if (left > 0) this.#perAddress.set(viewer.address, left);
    else this.#perAddress.delete(viewer.address);
  }

  #write(stream: ServerResponse, bytes: Buffer): void {
    if (stream.writableLength > maxUnsentBytes) stream.destroy();
    else stream.write(bytes);
  }

  /** Sends a heartbeat event, so that neither proxies nor viewers treat the stream as dead. */
  beat(): void {
    const bytes = Buffer.from(beatText);
    for (const stream of this.#viewers.keys()) this.#write(stream, bytes);
  }

  /**
   * Notifies the viewers of an account, or all viewers if `accountId` is `null`. The first change
   * is sent immediately, and changes soon after it are combined into one event.
   */
  notify(accountId: string | null): void {
    if (accountId === null) {
      for (const one of new Set([...this.#viewers.values()].map((viewer) => viewer.accountId))) {
        this.notify(one);
      }
      return;
    }
    const quiet = this.#quiet.get(accountId);
    if (quiet !== undefined) {
      quiet.hasMore = true;
      return;
    }
    const bytes = Buffer.from(changedText);
    let isHeard = false;
    for (const [stream, viewer] of this.#viewers) {
      if (viewer.accountId !== accountId) continue;
      this.#write(stream, bytes);
      isHeard = true;
    }
    if (isHeard) this.#beQuiet(accountId);
  }

  #beQuiet(accountId: string): void {
    const timer = setTimeout(() => {
      const hasMore = this.#quiet.get(accountId)?.hasMore ?? false;
      this.#quiet.delete(accountId);
      if (hasMore) this.notify(accountId);
    }, this.#limits.quietMs);
    this.#quiet.set(accountId, { timer, hasMore: false });
  }

  /**
   * Ends the streams of viewers who have lost access, in the given account or, if `accountId` is
   * `null`, in all accounts. If a call is still in progress, a further call only adds its account
   * to a queue, which the first call then processes.
   */
  async review(accountId: string | null): Promise<void> {
    this.#toReview.add(accountId);
    if (this.#isReviewing) return;
    this.#isReviewing = true;
    for (let next = this.#takeReview(); next !== undefined; next = this.#takeReview()) {
      for (const [stream, viewer] of [...this.#viewers]) {
        if (next !== null && viewer.accountId !== next) continue;
        if (!(await viewer.mayStay().catch(() => false))) stream.destroy();
      }
    }
    this.#isReviewing = false;
  }

  #takeReview(): string | null | undefined {
    const [next] = this.#toReview;
    if (next !== undefined) this.#toReview.delete(next);
    return next;
  }

  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#quiet.values()) clearTimeout(timer);
    this.#quiet.clear();
    for (const stream of this.#viewers.keys()) stream.end();
  }
}

/** Caches and event streams that one server shares between all viewers of dashboards. */
export interface Viewing {
  readonly context: DashboardsContext;
  readonly views: DashboardViews;
  readonly names: DashboardNames;
  readonly viewers: Viewers;
}

const gatherMs = 200;
const maxGathered = 1_000;

/**
 * Returns a function that receives the ids of changed checks and notifies the viewers of their
 * accounts. It looks up the accounts in batches, because an import can change thousands of checks.
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
    // The account of a deleted check is unknown, so all viewers are notified.
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

/**
 * Creates the caches and event streams of this server and subscribes them to changes. A change
 * drops the cached views first and then notifies the viewers.
 */
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
    // A change of a check matters only if this server has a cached view or a viewer.
    if (views.size > 0 || viewers.size > 0) gather(checkId);
  });
  return { context, views, names, viewers };
}

type Admission =
  | { readonly kind: "missing" }
  | { readonly kind: "locked"; readonly dashboard: Dashboard }
  | { readonly kind: "open"; readonly dashboard: Dashboard };

/** Visitor of a dashboard, who may be a signed-in member of its account. */
export type DashboardVisitor = Visitor & { isMemberOf: (accountId: string) => Promise<boolean> };

/** Decides whether the dashboard exists and whether the visitor may view it. */
export async function admitVisitor(
  { context, names }: Viewing,
  name: string,
  visitor: DashboardVisitor,
): Promise<Admission> {
  const dashboard = await names.find(name);
  if (dashboard === null) return { kind: "missing" };
  const isOpen =
    !dashboard.settings.isPrivate ||
    (await visitor.isMemberOf(dashboard.accountId)) ||
    (await hasPageAccess(context, referTo(dashboard.dashboardId), visitor));
  return { kind: isOpen ? "open" : "locked", dashboard };
}

/** Returns a `Set-Cookie` header that grants access; `null` if the key is wrong. */
export function unlock(
  { context }: Viewing,
  dashboard: Dashboard,
  attempt: { readonly rawKey: string; readonly address: string; readonly basePath: string },
): Promise<string | null> {
  return grantPageAccess(context, referTo(dashboard.dashboardId), attempt);
}

/** Returns a `Set-Cookie` header that extends access; `null` if there is no cookie to renew. */
export async function prolong(
  { context }: Viewing,
  dashboard: Dashboard,
  visit: { readonly cookieHeader: string | undefined; readonly basePath: string },
): Promise<string | null> {
  if (!dashboard.settings.isPrivate) return null;
  return renewPageAccess(context, referTo(dashboard.dashboardId), visit);
}

interface ViewRequest {
  readonly page: number;
  /** Whether each check shows its locations; if `null`, the setting of the dashboard applies. */
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

/** Returns the parts of the HTML page that do not depend on states and figures. */
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

/** Renders the complete HTML page for the first request of a browser. */
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
 * Caches dashboards by name, so that a viewer's request needs no query. Names that do not exist are
 * cached too.
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
