import { callTool, type Found, type Plan, together } from "../../plan.ts";
import { dayMs } from "../../reading/moment.ts";
import type { TimeWindow } from "../../reading/time-window.ts";
import type { ListStateChangesData } from "../../tools/tool-data.ts";
import {
  formatTime,
  quote,
  writeAvailability,
  writeCount,
  writeDuration,
  writeList,
} from "../../wording.ts";
import {
  checkIdsOf,
  duringWindow,
  isAhead,
  isUnclear,
  noteUnknown,
  pastWindow,
  type Situation,
  spanOf,
  taggedIds,
} from "../situation.ts";

export type Change = ListStateChangesData["changes"][number];

const maxListed = 12;
const flapThreshold = 4;

/** Lists status changes of checks. */
export function* planChanges(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "what changed") || isAhead(situation)) return;
  noteUnknown(situation);
  const window = pastWindow(situation);
  const checkIds = checkIdsOf(intent);
  const [checkId] = checkIds;
  const requested = fetchChanges(situation, window);
  if (checkId === undefined || checkIds.length > 1) {
    const found = yield* requested;
    if (found !== null) writeChanges(situation, found);
    return;
  }
  const figures = callTool("get_statistics", { checkIds, ...spanOf(window) });
  const [found, statistics] = yield* together(requested, figures);
  if (found !== null) writeChanges(situation, found);
  const own = statistics?.data.checks[0];
  if (statistics === null || own === undefined) return;
  const { failing, degraded } = own.runs;
  const total = Object.values(own.runs).reduce((sum, count) => sum + count, 0);
  if (total === 0) {
    answer.line(`${quote(own.name)} has no data for ${window.label}.`);
    return;
  }
  answer.line(
    `Availability: ${writeAvailability(own.availabilityPercent)} (${failing} failing and ${degraded} degraded of ${writeCount(total, "run")}).${answer.cite(statistics, own.checkId)}`,
  );
}

/**
 * Fetches the status changes of the named check. If no check or several checks are named, fetches
 * the status changes of all checks.
 */
export function fetchChanges({ intent }: Situation, window: TimeWindow) {
  const [checkId, ...others] = checkIdsOf(intent);
  const isOne = checkId !== undefined && others.length === 0;
  return callTool("list_state_changes", { ...(isOne ? { checkId } : {}), ...spanOf(window) });
}

/** Returns the status changes of the named checks and tags, or all of them if none are named. */
export function keepNamed(changes: readonly Change[], situation: Situation): readonly Change[] {
  const { checks, tags } = situation.intent.subject;
  if (checks.length + tags.length === 0) return changes;
  const ids = new Set([...checks.map(({ checkId }) => checkId), ...taggedIds(situation)]);
  return changes.filter(({ checkId }) => ids.has(checkId));
}

function keep(changes: readonly Change[], situation: Situation): readonly Change[] {
  const wanted = situation.intent.statuses;
  return keepNamed(changes, situation).filter(
    ({ toStatus }) => wanted.length === 0 || wanted.includes(toStatus),
  );
}

function writeChanges(situation: Situation, found: Found<ListStateChangesData>): void {
  const { answer } = situation;
  const window = pastWindow(situation);
  const changes = keep(found.data.changes, situation);
  if (changes.length === 0) {
    const statuses = situation.intent.statuses;
    const what = statuses.length === 0 ? "changed" : `went ${writeList([...statuses])}`;
    answer.line(`Nothing ${what} ${duringWindow(window)}.${answer.cite(found)}`);
    return;
  }
  const checks = new Set(changes.map(({ checkId }) => checkId)).size;
  const more = found.data.isTruncated ? "at least " : "";
  answer.line(
    `${more}${writeCount(changes.length, "change")} of ${writeCount(checks, "check")} ${duringWindow(window)}, newest first:`,
  );
  for (const change of changes.slice(0, maxListed)) {
    const name = change.name === null ? "a check that is gone" : quote(change.name);
    const lasted = describeLength(situation, found.data.changes, change);
    const cited = answer.cite(found, change.checkId);
    answer.item(`${formatTime(change.at)}: ${name} ${describeChange(change)} (${lasted}).${cited}`);
  }
  if (changes.length > maxListed) answer.line(`And ${changes.length - maxListed} older ones.`);
}

const beginnings: Readonly<Record<string, string>> = {
  passing: "started passing",
  degraded: "became degraded",
  failing: "started failing",
};

/**
 * Describes a status change. A change from "unknown" is described as a start, such as "started
 * failing".
 */
function describeChange({ fromStatus, toStatus }: Change): string {
  const began = fromStatus === "unknown" ? beginnings[toStatus] : undefined;
  if (began !== undefined) return began;
  return toStatus === "unknown" ? "had no data" : `went from ${fromStatus} to ${toStatus}`;
}

/**
 * Describes how long a status lasted. `all` contains the changes of all checks and statuses, newest
 * first.
 */
function describeLength(situation: Situation, all: readonly Change[], change: Change): string {
  const index = all.indexOf(change);
  const later = all.slice(0, index).findLast(({ checkId }) => checkId === change.checkId);
  const { toMs } = pastWindow(situation);
  const endMs = later === undefined ? toMs : Date.parse(later.at);
  const length = writeDuration(endMs - Date.parse(change.at));
  if (later !== undefined) return `for ${length}`;
  return toMs >= situation.nowMs ? `for ${length} so far` : `for at least ${length}`;
}

/** Lists checks that change their status frequently. */
export function* planFlapping(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "how often it changes") || isAhead(situation)) return;
  const window = pastWindow(situation, dayMs);
  const checkIds = checkIdsOf(intent);
  const found = yield* fetchChanges(situation, window);
  if (found === null) return;
  const counts = new Map<string, { name: string; count: number; failures: number }>();
  for (const change of keep(found.data.changes, situation)) {
    const known = counts.get(change.checkId) ?? { name: change.name ?? "", count: 0, failures: 0 };
    const failures = known.failures + (change.toStatus === "failing" ? 1 : 0);
    counts.set(change.checkId, { ...known, count: known.count + 1, failures });
  }
  const ranked = [...counts].sort(([, left], [, right]) => right.count - left.count);
  const flapping = ranked.filter(([, { count }]) => count >= flapThreshold);
  if (flapping.length === 0) {
    const [most] = ranked;
    const who = checkIds.length > 0 ? "It is not flapping" : "Nothing is flapping";
    const detail =
      most === undefined
        ? `no status changed ${duringWindow(window)}`
        : `the most were ${writeCount(most[1].count, "change")} of ${quote(most[1].name)} ${duringWindow(window)}`;
    const cited = most === undefined ? answer.cite(found) : answer.cite(found, most[0]);
    answer.line(`${who}: ${detail}.${cited}`);
    return;
  }
  answer.line(
    `Flapping, with ${flapThreshold} changes or more: ${writeCount(flapping.length, "check")} ${duringWindow(window)}:`,
  );
  for (const [id, { name, count, failures }] of flapping.slice(0, maxListed)) {
    answer.item(
      `${quote(name)}: ${writeCount(count, "change")}, ${failures} of them to failing.${answer.cite(found, id)}`,
    );
  }
}
