import { Gauge, type Registry } from "prom-client";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { listNow } from "./actions.ts";
import { describeGap } from "./plans.ts";
import { listWatchedAccounts } from "./store.ts";

const keptMs = 60_000;

/**
 * Returns a function that repeats a slow read at most once a minute, and spends at most a tenth of
 * the time on it. If the read fails, its result is empty: `/metrics` must still serve the others.
 */
export function keepRead<Item>(
  { clock }: Pick<GapContext, "clock">,
  read: () => Promise<readonly Item[]>,
): () => Promise<readonly Item[]> {
  let dueMs = Number.NEGATIVE_INFINITY;
  let items: Promise<readonly Item[]> = Promise.resolve([]);
  return () => {
    const nowMs = clock.nowMs();
    if (nowMs < dueMs) return items;
    dueMs = nowMs + keptMs;
    items = read()
      .catch(() => [])
      .finally(() => {
        dueMs = Math.max(dueMs, clock.nowMs() + 9 * (clock.nowMs() - nowMs));
      });
    return items;
  };
}

export interface GapWarning {
  readonly scheduleId: string;
  readonly scheduleName: string;
  readonly fromMs: number;
  readonly sentence: string;
}

interface GapContext {
  readonly db: Database;
  readonly clock: Clock;
}

/** Lists the gap warnings of an account for the next 14 days, earliest gap first. */
export async function listAccountGaps(
  context: GapContext,
  accountId: string,
): Promise<GapWarning[]> {
  const nowMs = context.clock.nowMs();
  const warnings: GapWarning[] = [];
  for (const { planned, gaps } of await listNow(context, accountId)) {
    const { id: scheduleId, name: scheduleName, timeZone, warnsAboutGaps } = planned.schedule;
    const [gap] = gaps;
    const sentence = describeGap(timeZone, gaps, nowMs);
    if (!warnsAboutGaps || gap === undefined || sentence === null) continue;
    warnings.push({ scheduleId, scheduleName, fromMs: gap.fromMs, sentence });
  }
  return warnings.sort((one, other) => one.fromMs - other.fromMs);
}

/** Lists the gap warnings of all accounts, earliest gap first. */
export async function listGapWarnings(context: GapContext): Promise<GapWarning[]> {
  const warnings: GapWarning[] = [];
  for (const accountId of await listWatchedAccounts(context.db)) {
    warnings.push(...(await listAccountGaps(context, accountId)));
  }
  return warnings.sort((one, other) => one.fromMs - other.fromMs);
}

/**
 * Adds metrics about gaps in on-call schedules. The metrics contain no names, because `/metrics`
 * needs no key. The values are cached for at least one minute.
 */
export function addGapMetrics(registry: Registry, context: GapContext): void {
  const read = keepRead(context, () => listGapWarnings(context));
  new Gauge({
    name: "vedette_on_call_schedules_unattended",
    help: "Number of on-call schedules with nobody on call now.",
    registers: [registry],
    async collect() {
      const nowMs = context.clock.nowMs();
      this.set((await read()).filter(({ fromMs }) => fromMs <= nowMs).length);
    },
  });
  new Gauge({
    name: "vedette_on_call_schedules_with_gaps",
    help: "Number of on-call schedules with a time within 14 days when nobody is on call.",
    registers: [registry],
    async collect() {
      this.set((await read()).length);
    },
  });
}
