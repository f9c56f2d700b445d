import { isCheckType, kinds } from "../../../kinds/index.ts";
import type { Verdict } from "../../../kinds/kit/verdict.ts";
import { explainVerdict } from "../../../kinds/kit/verdict.ts";
import { findNamedResults, listSlots, type ResultRow, verdictNames } from "../../results/index.ts";
import {
  type CountedState,
  countStatesOf,
  type FailingCheckRow,
  listFailingRows,
} from "../check-state-store.ts";
import { listSilentChecks, type StatesContext } from "../current-status.ts";

const slotMinutes = 5;
const slotMs = slotMinutes * 60_000;
const slotCount = 12;

interface PlaceVote {
  readonly location: string;
  readonly verdict: Verdict;
}

export interface FailingCheck extends Omit<FailingCheckRow, "locations"> {
  /** Display name of the check's target; `null` if the check cannot be parsed. */
  readonly target: string | null;
  /** One sentence that explains the failure; `null` if the result is no longer stored. */
  readonly explanation: string | null;
  readonly locations: readonly PlaceVote[];
  /** Worst verdict of each slot of the last hour, oldest first; `null` for a slot without runs. */
  readonly slots: readonly (Verdict | null)[];
}

interface FailingChecks {
  readonly counts: Readonly<Record<CountedState, number>>;
  readonly checks: readonly FailingCheck[];
}

type Context = StatesContext;

/** Counts checks by state and lists failing, then degraded checks, newest problem first. */
export async function listFailingChecks(
  context: Context,
  accountId: string,
  limit: number,
): Promise<FailingChecks> {
  const { db, clock, watchList } = context;
  const silentIds = (await listSilentChecks(context, accountId)).map(({ checkId }) => checkId);
  const [counts, rows] = await Promise.all([
    countStatesOf(db, accountId, silentIds),
    listFailingRows(db, accountId, { silentIds, limit }),
  ]);
  const ids = rows.map(({ id }) => id);
  const toMs = (Math.floor(clock.now().getTime() / slotMs) + 1) * slotMs;
  const fromMs = toMs - slotCount * slotMs;
  const [watched, results, slots] = await Promise.all([
    watchList.find(ids),
    findNamedResults(db, rows.flatMap(nameTroubles)),
    listSlots(db, ids, { fromMs, toMs, slotMs }),
  ]);
  const resultsOf = Map.groupBy(results, (row) => row.check_id);
  const slotsOf = Map.groupBy(slots, ({ place }) => place - 1);
  const checks = rows.map(({ locations, ...row }, place) => {
    const check = watched.get(row.id);
    const worst = new Map((slotsOf.get(place) ?? []).map((one) => [one.slot, one.worst]));
    return {
      ...row,
      target: check === undefined ? null : check.kind.target(check.settings),
      explanation: explain(row, resultsOf.get(row.id) ?? []),
      locations: Object.entries(isSeenFromPlaces(row.kind) ? locations : {})
        .map(([location, { verdict }]) => ({ location, verdict }))
        .sort((one, other) => one.location.localeCompare(other.location)),
      slots: carrySlots({
        slots: Array.from({ length: slotCount }, (_, slot) => {
          const code = worst.get(slot);
          return code === undefined ? null : (verdictNames[code] ?? null);
        }),
        slotMs,
        fromMs,
        periodMs: check?.plan.periodMs ?? slotMs,
        status: row.status,
        since: row.since,
      }),
    };
  });
  return { counts, checks };
}

/** Whether runs of the kind have a location. Runs that other systems report have none. */
function isSeenFromPlaces(kind: string): boolean {
  return !isCheckType(kind) || kinds[kind].isOrdered;
}

function nameTroubles({ id, locations }: FailingCheckRow) {
  return Object.values(locations)
    .filter(({ verdict }) => verdict !== "passing")
    .map(({ resultId }) => ({ checkId: id, resultId }));
}

/**
 * Returns the newest result whose verdict equals the status of the check. If there is none, returns
 * the newest result that did not pass.
 */
function findExplaining(
  { status }: Pick<FailingCheckRow, "status">,
  results: readonly ResultRow[],
): ResultRow | undefined {
  return results.find(({ verdict }) => verdictNames[verdict] === status) ?? results[0];
}

function explain(
  { kind, status }: Pick<FailingCheckRow, "kind" | "status">,
  results: readonly ResultRow[],
): string | null {
  const own = findExplaining({ status }, results);
  if (own?.reasons == null || !isCheckType(kind)) return null;
  return explainVerdict(kinds[kind], own.reasons);
}

interface Carried {
  /** Worst verdict of the runs in each slot, oldest first; `null` for a slot without runs. */
  readonly slots: readonly (Verdict | null)[];
  readonly slotMs: number;
  readonly fromMs: number;
  /** Time between two runs of the check. */
  readonly periodMs: number;
  readonly status: Verdict;
  readonly since: Date;
}

/**
 * Fills the slots between two runs with the verdict of the earlier run, which is valid until the
 * next run is due. Otherwise a check that runs every ten minutes and always fails would appear
 * intermittent. If a run was due but is missing, its slots stay empty.
 */
export function carrySlots(carried: Carried): (Verdict | null)[] {
  const { slots, slotMs, fromMs, periodMs, status, since } = carried;
  // Number of slots to fill after a run. Rounds up, because the next run may start late and fall
  // into a later slot.
  const reach = periodMs > slotMs ? Math.ceil(periodMs / slotMs) : 0;
  const first = slots.findIndex((slot) => slot !== null);
  const runsBefore = (place: number) => slots.slice(Math.max(0, place - reach), place);
  const holdsSince = (place: number) => fromMs + (place + 1) * slotMs > since.getTime();
  return slots.map((slot, place) => {
    if (slot !== null) return slot;
    const earlier = runsBefore(place).findLast((one) => one !== null);
    if (earlier !== undefined) return earlier;
    // The latest run before this slot may have been before the first slot, so its verdict is not
    // loaded. The current status is then used, but only if the status began before the end of this
    // slot.
    const isBeforeFirst = place <= (first === -1 ? slots.length : first) && place < reach;
    return isBeforeFirst && holdsSince(place) ? status : null;
  });
}

interface Cause {
  /**
   * Key that is equal for all checks that fail for the same reason, even if the checks have
   * different targets and measured values.
   */
  readonly key: string;
  /** One sentence that explains the failure; `null` if the result is no longer stored. */
  readonly explanation: string | null;
}

interface FailingCause extends Omit<FailingCheckRow, "locations"> {
  readonly cause: Cause;
  /** Locations whose newest run did not pass. */
  readonly places: readonly string[];
}

/**
 * Returns the cause of a failure. Its key is the name of the first reason, with the error code if
 * there is one, for example "connection-failed ECONNREFUSED".
 */
function findCause(kind: string, row: ResultRow | undefined): Cause {
  const reasons = row?.reasons ?? null;
  const [first] = reasons ?? [];
  if (reasons === null || first === undefined || !isCheckType(kind)) {
    return { key: "unknown", explanation: null };
  }
  const code = "code" in first && typeof first.code === "string" ? ` ${first.code}` : "";
  return { key: `${first.name}${code}`, explanation: explainVerdict(kinds[kind], reasons) };
}

/** Lists failing and degraded checks with their causes, but without slots and targets. */
export async function listFailingCauses(
  context: StatesContext,
  accountId: string,
  limit: number,
): Promise<FailingCause[]> {
  const { db } = context;
  const silentIds = (await listSilentChecks(context, accountId)).map(({ checkId }) => checkId);
  const rows = await listFailingRows(db, accountId, { silentIds, limit });
  const results = await findNamedResults(db, rows.flatMap(nameTroubles));
  const resultsOf = Map.groupBy(results, (row) => row.check_id);
  return rows.map(({ locations, ...row }) => ({
    ...row,
    cause: findCause(row.kind, findExplaining(row, resultsOf.get(row.id) ?? [])),
    places: Object.entries(isSeenFromPlaces(row.kind) ? locations : {})
      .filter(([, { verdict }]) => verdict !== "passing")
      .map(([location]) => location)
      .sort(),
  }));
}
