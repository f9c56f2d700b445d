import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Type } from "typebox";
import { assetVersions } from "../../../pages/dashboard/page.ts";
import { renderView } from "../../../pages/dashboard/render-view.ts";
import type { DashboardView, IncidentView } from "../../../pages/dashboard/view.ts";
import { listOngoingIncidents } from "../../../response/incidents/index.ts";
import {
  type CheckOverview,
  expireOldState,
  listCheckOverviews,
} from "../../../runs/states/index.ts";
import {
  type CheckFigures,
  FigureReader,
  type HourPoint,
  type PlaceFigures,
  readFirstSteps,
  readPlaceFigures,
} from "../../../runs/statistics/index.ts";
import { mapPictureHashes } from "../../../sites/publishing/index.ts";
import { type DashboardsContext, referTo } from "../actions.ts";
import type { Dashboard } from "../dashboard.ts";
import {
  isYoung,
  orderChecks,
  slicePage,
  toDashboardView,
  toIncidentView,
} from "./dashboard-view.ts";

export const ViewParams = Type.Object({
  name: Type.String({ description: "The dashboard's id or name.", minLength: 1, maxLength: 100 }),
});
export const PictureParams = Type.Object({
  name: Type.String({ description: "The dashboard's id or name.", minLength: 1, maxLength: 100 }),
  role: Type.Enum(["logo", "favicon"], { description: "Which picture.", type: "string" }),
});

export const ViewQuery = Type.Object({
  page: Type.Integer({
    description: "Page number, from 1; 0 is the same as 1.",
    minimum: 1,
    maximum: 10_000,
    default: 1,
  }),
  expand: Type.Optional(
    Type.Enum(["0", "1"], {
      description: "Whether each check shows its locations.",
      type: "string",
    }),
  ),
  key: Type.Optional(Type.String({ description: "Key of a private dashboard.", maxLength: 200 })),
});
export type ViewQuery = Type.Static<typeof ViewQuery>;

export const KeyQuery = Type.Object({
  key: Type.Optional(Type.String({ description: "Key of a private dashboard.", maxLength: 200 })),
});

/** Reads the key from the form of a private dashboard. */
export function readForm(body: unknown): string {
  const text = Buffer.isBuffer(body) ? body.toString("utf8") : "";
  return new URLSearchParams(text).get("key") ?? "";
}

const compress = promisify(gzip);

/** Maximum number of checks on a dashboard. An account with more checks must select them by tag. */
const maxChecks = 1_000;
const maxIncidents = 3;
/**
 * Maximum age of a cached snapshot in milliseconds. While notifications may be missed,
 * `maxBlindAgeMs` applies.
 */
const maxAgeMs = 30_000;
const maxBlindAgeMs = 1_000;
/** Maximum age of cached figures, which may be older than the states on the same page. */
const maxFigureAgeMs = 15_000;

interface ViewLimits {
  readonly dashboards: number;
  /**
   * Maximum number of checks with cached figures on all dashboards together, to limit memory. A
   * check that is on several dashboards counts once for each dashboard.
   */
  readonly figures: number;
}
const defaultLimits: ViewLimits = { dashboards: 200, figures: 20_000 };
/** Time without requests after which a cached view is dropped. */
const maxIdleMs = 300_000;

interface Figured<Figures> {
  readonly figures: Figures;
  readonly atMs: number;
}

export type ViewImages = Awaited<ReturnType<typeof mapPictureHashes>>;

/** Data of a dashboard at one time, and the pages rendered from these data. */
interface Snapshot {
  readonly asOf: Date;
  readonly shell: string;
  readonly images: ViewImages;
  readonly checks: readonly CheckOverview[];
  readonly left: number;
  readonly incidents: readonly IncidentView[] | null;
  readonly pages: Map<string, Promise<ViewPage>>;
}

export interface ViewPage {
  readonly view: DashboardView;
  readonly text: string;
  readonly etag: string;
  readonly zip: () => Promise<Buffer>;
}

interface Entry {
  readonly accountId: string;
  /** Hash of the settings that the entry was built from. */
  readonly version: string;
  snapshot: Promise<Snapshot> | null;
  atMs: number;
  readonly figures: Map<string, Figured<CheckFigures>>;
  readonly places: Map<string, Figured<readonly PlaceFigures[]>>;
  readonly firstSteps: Map<string, Figured<readonly HourPoint[]>>;
}

function hash(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

function versionOf({ settings, updatedAt }: Dashboard): string {
  return hash(settings, updatedAt);
}

/**
 * Builds the content of a dashboard once for all viewers. The content is built again after a
 * change, or when it has reached its maximum age. Pages are rendered on demand, because a dashboard
 * may have many.
 */
export class DashboardViews {
  readonly #context: DashboardsContext;
  readonly #figures: FigureReader;
  readonly #entries = new Map<string, Entry>();
  readonly #limits: ViewLimits;

  constructor(context: DashboardsContext, limits = defaultLimits) {
    this.#context = context;
    this.#limits = limits;
    this.#figures = new FigureReader(context);
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Drops the cached snapshots of an account, or of all accounts if `accountId` is `null`. Figures
   * stay cached.
   */
  forget(accountId: string | null): void {
    for (const entry of this.#entries.values()) {
      if (accountId === null || entry.accountId === accountId) entry.snapshot = null;
    }
  }

  async read(
    dashboard: Dashboard,
    request: { readonly page: number; readonly isExpanded: boolean },
  ): Promise<ViewPage & { readonly images: ViewImages }> {
    const entry = this.#entryOf(dashboard);
    const snapshot = await this.#getSnapshot(entry, dashboard);
    const slice = slicePage(snapshot.checks.length, dashboard.settings, request.page);
    const key = `${slice.page} ${request.isExpanded}`;
    const page =
      snapshot.pages.get(key) ??
      this.#makePage(entry, { dashboard, snapshot, isExpanded: request.isExpanded, slice });
    snapshot.pages.set(key, page);
    page.catch(() => snapshot.pages.delete(key));
    return { ...(await page), images: snapshot.images };
  }

  #entryOf(dashboard: Dashboard): Entry {
    const version = versionOf(dashboard);
    const cached = this.#entries.get(dashboard.dashboardId);
    this.#entries.delete(dashboard.dashboardId);
    const fresh: Entry = {
      accountId: dashboard.accountId,
      version,
      snapshot: null,
      atMs: 0,
      figures: new Map(),
      places: new Map(),
      firstSteps: new Map(),
    };
    const entry = cached?.version === version ? cached : fresh;
    if (entry === fresh) this.#dropIdle();
    // The entry is inserted last, so that the first entry is the least recently used.
    this.#entries.set(dashboard.dashboardId, entry);
    this.#dropOldest();
    return entry;
  }

  #dropOldest(): void {
    let figures = 0;
    for (const entry of this.#entries.values()) figures += entry.figures.size;
    for (const [id, entry] of this.#entries) {
      const isTooMuch =
        this.#entries.size > this.#limits.dashboards || figures > this.#limits.figures;
      if (!isTooMuch || this.#entries.size === 1) return;
      this.#entries.delete(id);
      figures -= entry.figures.size;
    }
  }

  #dropIdle(): void {
    const oldestMs = this.#context.clock.now().getTime() - maxIdleMs;
    for (const [id, { atMs }] of this.#entries) if (atMs < oldestMs) this.#entries.delete(id);
  }

  #getSnapshot(entry: Entry, dashboard: Dashboard): Promise<Snapshot> {
    const { clock, pageChanges, stateChanges } = this.#context;
    const nowMs = clock.now().getTime();
    const ageMs = nowMs - entry.atMs;
    const allowedMs = pageChanges.isOn() && stateChanges.isOn() ? maxAgeMs : maxBlindAgeMs;
    if (entry.snapshot !== null && ageMs >= 0 && ageMs < allowedMs) return entry.snapshot;
    const snapshot = this.#buildSnapshot(dashboard);
    entry.snapshot = snapshot;
    entry.atMs = nowMs;
    snapshot.catch(() => {
      if (entry.snapshot === snapshot) entry.snapshot = null;
    });
    return snapshot;
  }

  async #buildSnapshot(dashboard: Dashboard): Promise<Snapshot> {
    const { db, clock, watchList } = this.#context;
    const { accountId, dashboardId, settings } = dashboard;
    const asOf = clock.now();
    const [checks, incidents, images] = await Promise.all([
      listCheckOverviews(db, accountId, {
        tags: settings.tags,
        isEveryTag: settings.useTagsAndOperator,
        limit: maxChecks,
      }),
      settings.enableIncidents ? listOngoingIncidents(db, accountId, maxIncidents) : null,
      mapPictureHashes(db, referTo(dashboardId)),
    ]);
    const watched = await watchList.find(checks.list.map(({ id }) => id));
    const checked = checks.list.map((check) =>
      expireOldState(check, watched.get(check.id), { lastDueAt: check.lastRunAt, now: asOf }),
    );
    const pictures = Object.entries(images);
    return {
      asOf,
      shell: hash(settings, pictures, assetVersions),
      images,
      checks: orderChecks(checked, settings.sortByStatus),
      left: checks.total - checks.list.length,
      incidents: incidents?.map(toIncidentView) ?? null,
      pages: new Map(),
    };
  }

  async #makePage(
    entry: Entry,
    request: {
      readonly dashboard: Dashboard;
      readonly snapshot: Snapshot;
      readonly isExpanded: boolean;
      readonly slice: ReturnType<typeof slicePage>;
    },
  ): Promise<ViewPage> {
    const { snapshot, slice, isExpanded, dashboard } = request;
    const ids = snapshot.checks.slice(slice.from, slice.to).map(({ id }) => id);
    const context = this.#context;
    const [figures, places] = await Promise.all([
      this.#reuse(entry.figures, ids, (some) => this.#figures.read(some)),
      isExpanded
        ? this.#reuse(entry.places, ids, (some) => readPlaceFigures(context, some))
        : new Map<string, readonly PlaceFigures[]>(),
    ]);
    const young = [...figures].filter(([, one]) => isYoung(one)).map(([id]) => id);
    const firstSteps = await this.#reuse(entry.firstSteps, young, (some) =>
      readFirstSteps(context, some),
    );
    const { asOf, shell, checks, left, incidents } = snapshot;
    const made = { asOf, shell, checks, left, incidents, figures, places, firstSteps };
    const publicUrl = context.publicUrl();
    const view = toDashboardView({ ...made, dashboard, slice, isExpanded, publicUrl });
    const { text } = renderView(view);
    let zipped: Promise<Buffer> | undefined;
    const zip = () => {
      zipped ??= compress(text);
      return zipped;
    };
    return { view, text, etag: `"${hash(text)}"`, zip };
  }

  /** Returns cached figures, and loads only those that are missing or too old. */
  async #reuse<Figures>(
    cached: Map<string, Figured<Figures>>,
    ids: readonly string[],
    read: (some: readonly string[]) => Promise<ReadonlyMap<string, Figures>>,
  ): Promise<Map<string, Figures>> {
    const nowMs = this.#context.clock.now().getTime();
    const isFresh = (one: Figured<Figures>) =>
      nowMs >= one.atMs && nowMs - one.atMs < maxFigureAgeMs;
    for (const [id, one] of cached) if (!isFresh(one)) cached.delete(id);
    // Read the cache before the first `await`, because a concurrent call may delete entries during
    // it.
    const found = new Map<string, Figures>();
    for (const id of ids) {
      const one = cached.get(id);
      if (one !== undefined) found.set(id, one.figures);
    }
    const missing = ids.filter((id) => !found.has(id));
    for (const [id, figures] of await read(missing)) {
      cached.set(id, { figures, atMs: nowMs });
      found.set(id, figures);
    }
    return found;
  }
}
