import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { assetVersions } from "../../../pages/dashboard/assets.ts";
import { renderBoard } from "../../../pages/dashboard/board.ts";
import type { BoardView } from "../../../pages/dashboard/view.ts";
import { type CheckOverview, doubtOldNews, listCheckOverviews } from "../../runs/index.ts";
import { listPageImages, type PageImageState } from "../../sites/index.ts";
import {
  type CheckFigures,
  FigureReader,
  type PlaceFigures,
  readPlaceFigures,
} from "../../statistics/index.ts";
import { referTo } from "../actions.ts";
import type { DashboardsContext } from "../context.ts";
import type { Dashboard } from "../dashboard.ts";
import { orderChecks, slicePage } from "./board.ts";
import { listOngoingIncidents, type OngoingIncident } from "./board-store.ts";
import { toBoardView } from "./board-view.ts";

const compress = promisify(gzip);

/** As many checks as a wall can hold; with more, somebody has to choose by tags. */
export const maxChecks = 1_000;
const maxIncidents = 3;
/** How long a look serves everybody: without news, and when news may be missed. */
const maxAgeMs = 30_000;
const maxBlindAgeMs = 1_000;
/** A state is shown when it changes; its figures may be so much older. */
const maxFigureAgeMs = 15_000;

export interface BoardLimits {
  readonly boards: number;
  /** Checks with figures, of all boards together: a large one takes the room of many small ones. */
  readonly figures: number;
}
const defaultLimits: BoardLimits = { boards: 200, figures: 20_000 };
/** What nobody has looked at for this long is not kept. */
const maxIdleMs = 300_000;

interface Figured<Figures> {
  readonly figures: Figures;
  readonly atMs: number;
}

/** What all pages of a dashboard show at one moment, and the pages that somebody asked for. */
interface Look {
  readonly asOf: Date;
  readonly shell: string;
  readonly images: readonly PageImageState[];
  readonly checks: readonly CheckOverview[];
  readonly left: number;
  readonly incidents: readonly OngoingIncident[] | null;
  readonly pages: Map<string, Promise<BoardPage>>;
}

export interface BoardPage {
  readonly view: BoardView;
  readonly text: string;
  readonly etag: string;
  readonly zip: () => Promise<Buffer>;
}

interface Board {
  readonly accountId: string;
  /** Which state of the settings it was made from. */
  readonly version: string;
  look: Promise<Look> | null;
  atMs: number;
  readonly figures: Map<string, Figured<CheckFigures>>;
  readonly places: Map<string, Figured<readonly PlaceFigures[]>>;
}

function hash(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

function versionOf({ settings, updatedAt }: Dashboard): string {
  return hash(settings, updatedAt);
}

/**
 * What walls show, made once for all that look at the same dashboard. News makes it anew; so does
 * time. Pages are made when somebody asks for them, so a wall of many pages costs no more than the
 * page it is at.
 */
export class Boards {
  readonly #context: DashboardsContext;
  readonly #figures: FigureReader;
  readonly #boards = new Map<string, Board>();
  readonly #limits: BoardLimits;

  constructor(context: DashboardsContext, limits = defaultLimits) {
    this.#context = context;
    this.#limits = limits;
    this.#figures = new FigureReader(context);
  }

  get size(): number {
    return this.#boards.size;
  }

  /** The states, incidents and pictures may be others now; null for those of every account. */
  forget(accountId: string | null): void {
    for (const board of this.#boards.values()) {
      if (accountId === null || board.accountId === accountId) board.look = null;
    }
  }

  async read(
    dashboard: Dashboard,
    wish: { readonly page: number; readonly isExpanded: boolean },
  ): Promise<BoardPage & { readonly images: readonly PageImageState[] }> {
    const board = this.#boardOf(dashboard);
    const look = await this.#lookAt(board, dashboard);
    const slice = slicePage(look.checks.length, dashboard.settings, wish.page);
    const key = `${slice.page} ${wish.isExpanded}`;
    const page =
      look.pages.get(key) ??
      this.#makePage(board, { dashboard, look, isExpanded: wish.isExpanded, slice });
    look.pages.set(key, page);
    page.catch(() => look.pages.delete(key));
    return { ...(await page), images: look.images };
  }

  #boardOf(dashboard: Dashboard): Board {
    const version = versionOf(dashboard);
    const known = this.#boards.get(dashboard.dashboardId);
    this.#boards.delete(dashboard.dashboardId);
    const fresh: Board = {
      accountId: dashboard.accountId,
      version,
      look: null,
      atMs: 0,
      figures: new Map(),
      places: new Map(),
    };
    const board = known?.version === version ? known : fresh;
    if (board === fresh) this.#dropIdle();
    // Set last, so that the first entry is always the one that nobody has asked for the longest.
    this.#boards.set(dashboard.dashboardId, board);
    this.#dropOldest();
    return board;
  }

  #dropOldest(): void {
    let figures = 0;
    for (const board of this.#boards.values()) figures += board.figures.size;
    for (const [id, board] of this.#boards) {
      const isTooMuch = this.#boards.size > this.#limits.boards || figures > this.#limits.figures;
      if (!isTooMuch || this.#boards.size === 1) return;
      this.#boards.delete(id);
      figures -= board.figures.size;
    }
  }

  #dropIdle(): void {
    const oldestMs = this.#context.clock.now().getTime() - maxIdleMs;
    for (const [id, { atMs }] of this.#boards) if (atMs < oldestMs) this.#boards.delete(id);
  }

  #lookAt(board: Board, dashboard: Dashboard): Promise<Look> {
    const { clock, isPageNewsOn, isStateNewsOn } = this.#context;
    const nowMs = clock.now().getTime();
    const ageMs = nowMs - board.atMs;
    const allowedMs = isPageNewsOn() && isStateNewsOn() ? maxAgeMs : maxBlindAgeMs;
    if (board.look !== null && ageMs >= 0 && ageMs < allowedMs) return board.look;
    const look = this.#makeLook(dashboard);
    board.look = look;
    board.atMs = nowMs;
    look.catch(() => {
      if (board.look === look) board.look = null;
    });
    return look;
  }

  async #makeLook(dashboard: Dashboard): Promise<Look> {
    const { db, pool, clock, watchList } = this.#context;
    const { accountId, dashboardId, settings } = dashboard;
    const asOf = clock.now();
    const [checks, incidents, images] = await Promise.all([
      listCheckOverviews(pool, accountId, {
        tags: settings.tags,
        isEveryTag: settings.useTagsAndOperator,
        limit: maxChecks,
      }),
      settings.enableIncidents ? listOngoingIncidents(db, accountId, maxIncidents) : null,
      listPageImages(db, referTo(dashboardId)),
    ]);
    const watched = await watchList.find(checks.list.map(({ id }) => id));
    const known = checks.list.map((check) =>
      doubtOldNews(check, watched.get(check.id), { lastDueAt: check.lastRunAt, now: asOf }),
    );
    const pictures = images.map(({ role, hash: one }) => [role, one]);
    return {
      asOf,
      shell: hash(settings, pictures, assetVersions),
      images,
      checks: orderChecks(known, settings.sortByStatus),
      left: checks.total - checks.list.length,
      incidents,
      pages: new Map(),
    };
  }

  async #makePage(
    board: Board,
    wish: {
      readonly dashboard: Dashboard;
      readonly look: Look;
      readonly isExpanded: boolean;
      readonly slice: ReturnType<typeof slicePage>;
    },
  ): Promise<BoardPage> {
    const { look, slice, isExpanded, dashboard } = wish;
    const ids = look.checks.slice(slice.from, slice.to).map(({ id }) => id);
    const context = this.#context;
    const [figures, places] = await Promise.all([
      this.#reuse(board.figures, ids, (some) => this.#figures.read(some)),
      isExpanded
        ? this.#reuse(board.places, ids, (some) => readPlaceFigures(context, some))
        : new Map<string, readonly PlaceFigures[]>(),
    ]);
    const { asOf, shell, checks, left, incidents } = look;
    const made = { asOf, shell, checks, left, incidents, figures, places };
    const publicUrl = context.publicUrl();
    const view = toBoardView({ ...made, dashboard, slice, isExpanded, publicUrl });
    const { text } = renderBoard(view);
    let zipped: Promise<Buffer> | undefined;
    const zip = () => {
      zipped ??= compress(text);
      return zipped;
    };
    return { view, text, etag: `"${hash(text)}"`, zip };
  }

  /** Asks only for what is not known, or too old. */
  async #reuse<Figures>(
    known: Map<string, Figured<Figures>>,
    ids: readonly string[],
    read: (some: readonly string[]) => Promise<ReadonlyMap<string, Figures>>,
  ): Promise<Map<string, Figures>> {
    const nowMs = this.#context.clock.now().getTime();
    const isFresh = (one: Figured<Figures>) =>
      nowMs >= one.atMs && nowMs - one.atMs < maxFigureAgeMs;
    for (const [id, one] of known) if (!isFresh(one)) known.delete(id);
    // Taken before anything is waited for: meanwhile another look may drop what grows too old.
    const found = new Map<string, Figures>();
    for (const id of ids) {
      const one = known.get(id);
      if (one !== undefined) found.set(id, one.figures);
    }
    const missing = ids.filter((id) => !found.has(id));
    for (const [id, figures] of await read(missing)) {
      known.set(id, { figures, atMs: nowMs });
      found.set(id, figures);
    }
    return found;
  }
}
