import { BoundedMap } from "../../../platform/bounded-map.ts";
import { summariseChecks } from "../analytics/actions.ts";
import type { StatisticsContext } from "../context.ts";
import { dayMs, hourMs, startOf } from "../window.ts";
import { chooseCandidates, findTrends, type Trend } from "./trend.ts";
import { sumCoarsely } from "./trend-store.ts";

/** Maximum number of checks that are examined in detail. */
const maxCandidates = 40;
/** Trends over days hardly change within minutes, so they are cached. */
const keptMs = 600_000;
const maxKept = 200;

export interface Trends {
  readonly trends: readonly Trend[];
  readonly asOfMs: number;
}

interface KeptTrends {
  readonly atMs: number;
  readonly found: Promise<Trends>;
}

type Context = Pick<StatisticsContext, "db" | "clock">;

/** Finds what got worse in the last day compared with the seven days before; cached. */
export class TrendReader {
  readonly #context: Context;
  readonly #kept = new BoundedMap<string, KeptTrends>(maxKept);

  constructor(context: Context) {
    this.#context = context;
  }

  read(accountId: string): Promise<Trends> {
    const nowMs = this.#context.clock.now().getTime();
    const known = this.#kept.get(accountId);
    if (known !== undefined && nowMs - known.atMs < keptMs) return known.found;
    const found = this.#find(accountId, nowMs);
    const kept = { atMs: nowMs, found };
    this.#kept.set(accountId, kept);
    found.catch(() => {
      if (this.#kept.get(accountId) === kept) this.#kept.delete(accountId);
    });
    return found;
  }

  async #find(accountId: string, nowMs: number): Promise<Trends> {
    const { db } = this.#context;
    const toMs = startOf(nowMs, hourMs);
    const todayMs = startOf(toMs - dayMs, dayMs);
    const lastDay = { fromMs: toMs - dayMs, toMs };
    const weekBefore = { fromMs: lastDay.fromMs - 7 * dayMs, toMs: lastDay.fromMs };
    const [earlier, recent] = await Promise.all([
      sumCoarsely(db, accountId, { fromMs: todayMs - 7 * dayMs, toMs: todayMs, unit: "day" }),
      sumCoarsely(db, accountId, { ...lastDay, unit: "hour" }),
    ]);
    const candidates = chooseCandidates(earlier, recent, maxCandidates);
    const ids = candidates.map(({ checkId }) => checkId);
    if (ids.length === 0) return { trends: [], asOfMs: toMs };
    const [before, now] = await Promise.all([
      summariseChecks(this.#context, ids, weekBefore),
      summariseChecks(this.#context, ids, lastDay),
    ]);
    const trends = candidates.flatMap((check, place) => {
      const then = before[place];
      const last = now[place];
      return then === undefined || last === undefined ? [] : findTrends(check, then, last);
    });
    return { trends, asOfMs: toMs };
  }
}
