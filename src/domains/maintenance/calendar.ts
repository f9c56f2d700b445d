import type { Database } from "../../platform/database.ts";
import { invalid } from "../../platform/errors.ts";
import type { Caller } from "../accounts/index.ts";
import { assertExist, assertSound } from "./actions.ts";
import { appliesTo, type MaintenanceWindow } from "./maintenance-window.ts";
import { findOverrun, listOccurrences, listShownOccurrences, type Span } from "./occurrence.ts";
import { describeOccurrence } from "./occurrences/actions.ts";
import type { MaintenanceContext, PublishedWindow, WindowInput } from "./planned-window.ts";
import { maxTimeMs } from "./recurrence.ts";
import {
  type LabelledCheck,
  type LabelSet,
  listEveryWindow,
  listLabelledChecks,
  listLabelSets,
  mapGroupNames,
} from "./store.ts";

const dayMs = 86_400_000;
export const maxCalendarDays = 400;
const defaultDays = 31;
const maxOccurrences = 5_000;
/** Maximum number of occurrences in a preview. */
const maxPreviewed = 8;

type Shown = ReturnType<typeof describeOccurrence>;

interface CalendarWindow extends PublishedWindow {
  readonly silences: Coverage;
  /** The occurrence in progress, otherwise the next one; `null` if there is none. */
  readonly next: Shown | null;
}

export interface Calendar {
  readonly from: Date;
  readonly to: Date;
  readonly windows: readonly CalendarWindow[];
  readonly occurrences: readonly Shown[];
  readonly isTruncated: boolean;
}

async function loadLabelled(
  db: Database,
  accountId: string,
  windows: readonly MaintenanceWindow[],
): Promise<Labelled> {
  const checkIds = windows.flatMap(({ checkIds: ids = [] }) => ids);
  const groupIds = windows.flatMap(({ groupIds: ids = [] }) => ids);
  const [sets, checks, groupNames] = await Promise.all([
    listLabelSets(db, accountId),
    listLabelledChecks(db, accountId, checkIds),
    mapGroupNames(db, accountId, groupIds),
  ]);
  return { sets, checks, groupNames };
}

function findNext(window: PublishedWindow, nowMs: number): Shown | null {
  const span = { fromMs: nowMs, toMs: maxTimeMs, limit: 1 };
  const next = findOverrun(window, nowMs) ?? listOccurrences(window.schedule, span)[0];
  return next === undefined ? null : describeOccurrence(window, next, nowMs);
}

/**
 * Returns every window of the account with the checks it silences, and its occurrences in a range.
 */
export async function readCalendar(
  { db, clock }: MaintenanceContext,
  { accountId }: Caller,
  query: { readonly from?: Date; readonly to?: Date },
): Promise<Calendar> {
  const nowMs = clock.now().getTime();
  const fromMs = query.from?.getTime() ?? nowMs;
  const toMs = query.to?.getTime() ?? fromMs + defaultDays * dayMs;
  if (toMs <= fromMs) throw invalid("to", "must be after from", "querystring");
  if (toMs - fromMs > maxCalendarDays * dayMs) {
    throw invalid("to", `must be at most ${maxCalendarDays} days after from`, "querystring");
  }
  const windows = await listEveryWindow(db, accountId);
  const labelled = await loadLabelled(
    db,
    accountId,
    windows.map(({ schedule }) => schedule),
  );
  const all = windows
    .flatMap((window) => {
      const span = { fromMs, toMs: toMs - 1, limit: maxOccurrences + 1 };
      const shown = listShownOccurrences(window.schedule, span);
      const late = nowMs < toMs ? findOverrun(window, nowMs) : null;
      const isListed = late === null || shown.some(({ index }) => index === late.index);
      const listed = isListed || late.startsAtMs >= toMs ? shown : [late, ...shown];
      return listed.map((one) => ({ window, one }));
    })
    .sort((a, b) => a.one.startsAtMs - b.one.startsAtMs || a.window.id - b.window.id);
  return {
    from: new Date(fromMs),
    to: new Date(toMs),
    windows: windows.map((window) => ({
      ...window,
      silences: describeCoverage(window.schedule, labelled),
      next: findNext(window, nowMs),
    })),
    occurrences: all
      .slice(0, maxOccurrences)
      .map(({ window, one }) => describeOccurrence(window, one, nowMs)),
    isTruncated: all.length > maxOccurrences,
  };
}

export interface Preview {
  readonly occurrences: readonly Span[];
  readonly silences: Coverage;
}

/**
 * Returns the occurrences and silenced checks of an unsaved window, with the same validation as
 * saving.
 */
export async function previewWindow(
  { db, clock }: MaintenanceContext,
  { accountId }: Caller,
  input: WindowInput,
): Promise<Preview> {
  assertSound(input);
  await assertExist(db, accountId, { now: input, before: null });
  const labelled = await loadLabelled(db, accountId, [input.schedule]);
  const fromMs = clock.now().getTime();
  const span = { fromMs, toMs: maxTimeMs, limit: maxPreviewed };
  return {
    occurrences: listOccurrences(input.schedule, span),
    silences: describeCoverage(input.schedule, labelled),
  };
}

/** The checks that a window silences. */
export interface Coverage {
  readonly isEverything: boolean;
  /** Number of distinct checks. */
  readonly checkCount: number;
  readonly tags: readonly { readonly tag: string; readonly checkCount: number }[];
  readonly groups: readonly {
    readonly id: number;
    /** `null` if it was deleted. */
    readonly name: string | null;
    readonly checkCount: number;
  }[];
  readonly checks: readonly {
    readonly id: string;
    /** `null` if it was deleted. */
    readonly name: string | null;
  }[];
}

/** Labels of an account's checks. */
interface Labelled {
  readonly sets: readonly LabelSet[];
  /** The checks that windows name. */
  readonly checks: readonly LabelledCheck[];
  readonly groupNames: ReadonlyMap<number, string>;
}

function count(sets: readonly LabelSet[], isMatch: (set: LabelSet) => boolean): number {
  return sets.reduce((sum, set) => (isMatch(set) ? sum + set.count : sum), 0);
}

function describeCoverage(window: MaintenanceWindow, labelled: Labelled): Coverage {
  const { sets, groupNames } = labelled;
  const { checkIds = [], groupIds = [], tags, silenceAlertsTags } = window;
  const byRule = { ...window, checkIds: [] };
  const isCovered = (set: Pick<LabelSet, "tags" | "groupId">) =>
    appliesTo(byRule, { checkId: "", groupId: set.groupId, tags: set.tags });
  const named = labelled.checks.filter(({ id }) => checkIds.includes(id));
  const byId = new Map(named.map((check) => [check.id, check]));
  return {
    isEverything: window.silenceAllAlerts || window.pauseAllChecks,
    checkCount: count(sets, isCovered) + named.filter((check) => !isCovered(check)).length,
    tags: [...new Set([...tags, ...silenceAlertsTags])].map((tag) => ({
      tag,
      checkCount: count(sets, (set) => set.tags.includes(tag)),
    })),
    groups: groupIds.map((id) => ({
      id,
      name: groupNames.get(id) ?? null,
      checkCount: count(sets, ({ groupId }) => groupId === id),
    })),
    checks: checkIds.map((id) => ({ id, name: byId.get(id)?.name ?? null })),
  };
}
