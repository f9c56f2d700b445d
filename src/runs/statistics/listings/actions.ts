import type { Caller } from "../../../access/accounts/index.ts";
import { type ListFilter, listAccountCheckIds } from "../../../checks/checks/index.ts";
import { isCheckType, kinds } from "../../../kinds/index.ts";
import type { Verdict } from "../../../kinds/kit/verdict.ts";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import {
  type CheckRow,
  countOwnFacets,
  type FacetCount,
  type ListSort,
  listCheckPage,
  slotMs,
} from "../../states/index.ts";
import { type CheckSummary, summariseChecks } from "../analytics/actions.ts";
import { findRolledTimes } from "../analytics/analytics-store.ts";
import type { StatisticsContext } from "../context.ts";
import { type CheckFigures, FigureReader, type FiguresContext } from "../overviews/figures.ts";
import type { HourPoint } from "../rollups/rollup.ts";
import { alignWindow, dayMs, hourMs, startOf } from "../window.ts";

/**
 * Maximum number of checks in an account for which sorting by availability or response time uses
 * all runs of the last day. In a larger account, sorting uses only hours that are already rolled
 * up.
 */
const maxCountedNow = 200;
const maxAgeMs = 600_000;
/** Maximum number of accounts in the cache, which needs a few hundred kilobytes per account. */
const maxAccounts = 20;
const chunkSize = 1_000;

interface ListingContext extends StatisticsContext {
  readonly figures: FigureReader;
  readonly ranks: FigureRanks;
}

export function createListing(context: StatisticsContext): ListingContext {
  return { ...context, figures: new FigureReader(context), ranks: new FigureRanks(context) };
}

export interface ListQuery {
  readonly filter: ListFilter;
  readonly sort: ListSort;
  readonly isDescending: boolean;
  readonly limit: number;
  readonly page: number;
}

/** A row in the list of checks, with the figures of the last day. */
export interface FiguredRow extends Omit<CheckRow, "slots" | "periodMs"> {
  /** Share of runs that were passing or degraded, from 0 to 1; `null` if no run has a verdict. */
  readonly availability: number | null;
  readonly p95Ms: number | null;
  readonly hasEnoughData: boolean;
  readonly bar: string;
}

export interface FiguredPage {
  readonly rows: readonly FiguredRow[];
  readonly total: number;
  readonly barFromMs: number;
}

export async function listOverviews(
  context: ListingContext,
  { accountId }: Caller,
  { filter, sort, isDescending, limit, page }: ListQuery,
): Promise<FiguredPage> {
  const figures =
    sort === "availability" || sort === "p95"
      ? await context.ranks.read(accountId, sort)
      : new Map<string, number>();
  const query = { sort, isDescending, limit, page, figures };
  const found = await listCheckPage(context, accountId, { filter, page: query });
  const read = await context.figures.read(found.rows.map(({ id }) => id));
  const rows = found.rows.map((row) => addFigures(row, read.get(row.id), found.barFromMs));
  return { ...found, rows };
}

function addFigures(row: CheckRow, figures: CheckFigures | undefined, fromMs: number): FiguredRow {
  const { slots, periodMs, ...shown } = row;
  const { hours = [], day } = figures ?? {};
  const isOrdered = isCheckType(row.kind) && kinds[row.kind].isOrdered;
  const bar = drawBar(slots, {
    fromMs,
    firstRunMs: row.firstRunAt?.getTime() ?? null,
    periodMs: isOrdered ? periodMs : null,
    hours,
  });
  return {
    ...shown,
    availability: day?.availability ?? null,
    p95Ms: day?.latencyMs.p95 ?? null,
    // A check has enough data only if it ran before the previous clock hour. With less data, "100 %
    // of 24 h" would be misleading.
    hasEnoughData: hours.slice(0, -2).some(({ runs }) => runs > 0),
    bar,
  };
}

export function countListFacets(
  context: ListingContext,
  { accountId }: Caller,
  filter: ListFilter,
): Promise<FacetCount[]> {
  return countOwnFacets(context, accountId, filter);
}

/** Letters of the status bar, one per slot. "-" means that there is no data. */
const letters: Readonly<Record<Verdict, string>> = {
  passing: "p",
  degraded: "d",
  failing: "f",
  unknown: "-",
};

interface BarFacts {
  readonly fromMs: number;
  /** Start of the first run; `null` if the check has not run yet. */
  readonly firstRunMs: number | null;
  /** Interval between runs; `null` if other systems report the runs, as for heartbeats. */
  readonly periodMs: number | null;
  /** Points of the last 24 hours, oldest first. The last hour is still open. */
  readonly hours: readonly HourPoint[];
}

/**
 * Draws the status bar of a check. A state lasts until the next run. Hours without the expected
 * runs, for example because the server was down, have no data.
 */
function drawBar(slots: readonly Verdict[], facts: BarFacts): string {
  const { fromMs, firstRunMs, periodMs, hours } = facts;
  const withRuns = new Set(hours.filter(({ runs }) => runs > 0).map(({ startsMs }) => startsMs));
  const earliestMs = hours[0]?.startsMs ?? 0;
  const openMs = hours.at(-1)?.startsMs ?? 0;
  const hasNews = (startsMs: number) => {
    const hour = startOf(startsMs, hourMs);
    if (periodMs === null || hour >= openMs) return true;
    for (let at = hour; at >= hour - startOf(periodMs, hourMs); at -= hourMs) {
      if (at < earliestMs || withRuns.has(at)) return true;
    }
    return false;
  };
  return slots
    .map((state, slot) => {
      const startsMs = fromMs + slot * slotMs;
      const hasBegun = firstRunMs !== null && startsMs + slotMs > firstRunMs;
      return hasBegun && hasNews(startsMs) ? letters[state] : letters.unknown;
    })
    .join("");
}

type RankedFigure = "availability" | "p95";

type Ranks = Readonly<Record<RankedFigure, ReadonlyMap<string, number>>>;

function toRanks(summaries: readonly CheckSummary[]): Ranks {
  const listed = (read: (summary: CheckSummary) => number | null) =>
    new Map(
      summaries.flatMap((summary) => {
        const figure = read(summary);
        return figure === null ? [] : [[summary.checkId, figure] as const];
      }),
    );
  return {
    availability: listed((summary) => summary.availability),
    p95: listed((summary) => summary.latencyMs.p95),
  };
}

interface KeptRanks {
  readonly key: string;
  readonly ranks: Promise<Ranks>;
}

/**
 * Figures of the last day by which the checks of an account are sorted. The database cannot sort by
 * a percentile from a sketch, so the figures of all checks are loaded and cached until the next
 * hour is closed.
 */
class FigureRanks {
  readonly #context: FiguresContext;
  readonly #kept = new BoundedMap<string, KeptRanks>(maxAccounts);

  constructor(context: FiguresContext) {
    this.#context = context;
  }

  async read(accountId: string, figure: RankedFigure): Promise<ReadonlyMap<string, number>> {
    const { db, clock } = this.#context;
    const checkIds = await listAccountCheckIds(db, accountId, null);
    const nowMs = clock.now().getTime();
    const day = { fromMs: nowMs - dayMs, toMs: nowMs };
    if (checkIds.length <= maxCountedNow) {
      return toRanks(await summariseChecks(this.#context, checkIds, day))[figure];
    }
    const rolled = await findRolledTimes(db, alignWindow(day, nowMs), "hour");
    const toMs = Math.max(...rolled.hours, day.fromMs - hourMs) + hourMs;
    const key = `${toMs} ${checkIds.length} ${Math.floor(nowMs / maxAgeMs)}`;
    const known = this.#kept.get(accountId);
    if (known?.key === key) return (await known.ranks)[figure];
    const ranks = this.#rank(checkIds, { fromMs: toMs - dayMs, toMs });
    this.#keep(accountId, { key, ranks });
    return (await ranks)[figure];
  }

  async #rank(checkIds: readonly string[], span: { fromMs: number; toMs: number }): Promise<Ranks> {
    const summaries: CheckSummary[] = [];
    for (let at = 0; at < checkIds.length; at += chunkSize) {
      const some = checkIds.slice(at, at + chunkSize);
      summaries.push(...(await summariseChecks(this.#context, some, span)));
    }
    return toRanks(summaries);
  }

  #keep(accountId: string, one: KeptRanks): void {
    this.#kept.set(accountId, one);
    one.ranks.catch(() => {
      if (this.#kept.get(accountId) === one) this.#kept.delete(accountId);
    });
  }
}
