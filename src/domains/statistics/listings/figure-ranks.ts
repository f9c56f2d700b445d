import { BoundedMap } from "../../../platform/bounded-map.ts";
import { listAccountCheckIds } from "../../checks/index.ts";
import { type CheckSummary, summariseChecks } from "../analytics/actions.ts";
import { findRolledTimes } from "../analytics/analytics-store.ts";
import type { FiguresContext } from "../overviews/figures.ts";
import { alignWindow, dayMs, hourMs } from "../window.ts";

export type RankedFigure = "availability" | "p95";

type Ranks = Readonly<Record<RankedFigure, ReadonlyMap<string, number>>>;

/** Up to this number of checks, all runs are considered; with more, only closed hours. */
const maxCountedNow = 200;
const maxAgeMs = 600_000;
/** A few hundred kilobytes each. */
const maxAccounts = 20;
const chunkSize = 1_000;

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
 * The figures of the last day by which all checks of an account are sorted. The database cannot
 * sort by a percentile of a sketch, so they are read for all checks and cached until another hour
 * is closed.
 */
export class FigureRanks {
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
