import type { ListStateChangesData } from "../tool-shapes/check-data.ts";
import type { Found } from "../tool-shapes/tool-data.ts";
import {
  checkIdsOf,
  describeScopes,
  during,
  isAhead,
  isUnclear,
  periodOf,
  placesOf,
  type Situation,
  spanOf,
  speechOf,
  statesOf,
} from "./situation.ts";
import { writeReason, writeStatus } from "./status-words.ts";
import { dayMs } from "./times.ts";
import {
  formatTime,
  quote,
  writeAvailability,
  writeCount,
  writeDuration,
  writeList,
} from "./wording.ts";

type Change = ListStateChangesData["changes"][number];

const maxListed = 12;
const flapThreshold = 4;

interface Outage {
  readonly name: string;
  readonly startMs: number;
  readonly lengthMs: number | null;
}

/** Failures in a list of changes, newest first. An outage that is not over has no length. */
function listOutages(changes: readonly Change[]): readonly Outage[] {
  return changes.flatMap((change, index) => {
    if (change.toStatus !== "failing") return [];
    const end = changes.slice(0, index).findLast(({ checkId }) => checkId === change.checkId);
    const startMs = Date.parse(change.at);
    const lengthMs = end === undefined ? null : Date.parse(end.at) - startMs;
    return [{ name: change.name ?? "a deleted check", startMs, lengthMs }];
  });
}

/** Answers what changed: the changes, what flaps, and how long outages lasted. */
export async function answerChanges(situation: Situation): Promise<void> {
  if (isUnclear(situation) || isAhead(situation)) return;
  const { answer, lookup, slots } = situation;
  const isRecovery = /\brecover|\bmttr\b|\bbefore\b/.test(slots.text) && slots.periods.length === 0;
  const period = periodOf(situation, isRecovery ? 30 * dayMs : dayMs);
  const checkIds = checkIdsOf(situation);
  const [only, ...others] = checkIds;
  const isOne = only !== undefined && others.length === 0;
  const [found, figures] = await Promise.all([
    lookup("list_state_changes", { ...(isOne && { checkId: only }), ...spanOf(period) }),
    isOne ? lookup("get_statistics", { checkIds, ...spanOf(period) }) : null,
  ]);
  if (found === null) return;
  const changes = found.data.changes.filter(
    ({ checkId }) => checkIds.length === 0 || checkIds.includes(checkId),
  );
  const cited = answer.cite(found, ...(isOne ? [only] : []));
  if (changes.length === 0) {
    const scope = describeScopes(slots);
    answer.line(`Nothing changed${scope === "" ? "" : ` for ${scope}`} ${during(period)}.${cited}`);
  } else writeChanges(situation, found, changes);
  const own = figures?.data.checks[0];
  if (figures && own !== undefined) {
    const { failing, degraded } = own.runs;
    const total = Object.values(own.runs).reduce((sum, count) => sum + count, 0);
    answer.line(
      `Availability: ${writeAvailability(own.availabilityPercent)} (${failing} failing and ${degraded} degraded of ${writeCount(total, "run")}).${answer.cite(figures, own.checkId)}`,
    );
  }
}

function writeChanges(
  situation: Situation,
  found: Found<ListStateChangesData>,
  changes: readonly Change[],
): void {
  const { answer, slots, nowMs } = situation;
  const period = periodOf(situation);
  const isRecovered = /\brecovered\b|\bcame back\b/.test(slots.text);
  const wanted = isRecovered ? ["passing"] : statesOf(slots).filter((one) => one === "degraded");
  const shown = changes.filter(({ toStatus }) => wanted.length === 0 || wanted.includes(toStatus));
  const checks = new Set(shown.map(({ checkId }) => checkId)).size;
  const more = found.data.isTruncated ? "at least " : "";
  const isFirst = /\bfirst\b/.test(slots.text);
  const listed = isFirst ? shown.toReversed() : shown;
  answer.line(
    `${more}${writeCount(shown.length, "change")} of ${writeCount(checks, "check")} ${during(period)}, ${isFirst ? "oldest" : "newest"} first:`,
  );
  for (const change of answer.upTo(listed, maxListed)) {
    const index = found.data.changes.indexOf(change);
    const later = found.data.changes
      .slice(0, index)
      .findLast(({ checkId }) => checkId === change.checkId);
    const endMs = later === undefined ? Math.min(period.toMs, nowMs) : Date.parse(later.at);
    const lasted = `for ${writeDuration(endMs - Date.parse(change.at))}${later === undefined ? " so far" : ""}`;
    const name = change.name === null ? "a deleted check" : quote(change.name);
    const how =
      change.fromStatus === "unknown"
        ? `became ${writeStatus(change.toStatus)}`
        : `went from ${change.fromStatus} to ${change.toStatus}`;
    answer.item(
      `${formatTime(change.at)}: ${name} ${how} (${lasted}).${answer.cite(found, change.checkId)}`,
    );
  }
  writeFlapping(situation, found, changes);
  writeOutages(situation, found, changes);
}

function writeFlapping(
  { answer, slots }: Situation,
  found: Found<ListStateChangesData>,
  changes: readonly Change[],
): void {
  const byCheck = Map.groupBy(changes, ({ checkId }) => checkId);
  const flapping = [...byCheck]
    .filter(([, own]) => own.length >= flapThreshold)
    .sort(([, one], [, other]) => other.length - one.length);
  for (const [checkId, own] of answer.upTo(flapping, maxListed)) {
    const failures = own.filter(({ toStatus }) => toStatus === "failing").length;
    answer.item(
      `flapping: ${quote(own[0]?.name ?? "")}, ${writeCount(own.length, "change")}, ${failures} of them to failing.${answer.cite(found, checkId)}`,
    );
  }
  if (flapping.length === 0 && /\bflap|\bstable\b|\bflaky\b/.test(slots.text)) {
    answer.item(
      `Nothing is flapping: no check changed ${flapThreshold} times.${answer.cite(found)}`,
    );
  }
}

function writeOutages(
  { answer }: Situation,
  found: Found<ListStateChangesData>,
  changes: readonly Change[],
): void {
  const outages = listOutages(changes);
  const over = outages.flatMap((one) =>
    one.lengthMs === null ? [] : [{ ...one, lengthMs: one.lengthMs }],
  );
  if (outages.length === 0) return;
  const open = outages.length - over.length;
  const rest = open === 0 ? "" : `, not over: ${writeCount(open, "outage")}`;
  const cited = answer.cite(found);
  const [longest] = over.toSorted((one, other) => other.lengthMs - one.lengthMs);
  if (longest === undefined) {
    answer.item(`${writeCount(outages.length, "outage")}, none of them over.${cited}`);
    return;
  }
  const mean = over.reduce((sum, { lengthMs }) => sum + lengthMs, 0) / over.length;
  answer.item(
    `Mean time to recover: ${writeDuration(mean)}, of ${writeCount(over.length, "outage")}; the longest was of ${quote(longest.name)}, ${writeDuration(longest.lengthMs)}, at ${formatTime(longest.startMs)}${rest}.${cited}`,
  );
}

/** Lists the newest runs of a check. */
export async function answerResults(situation: Situation): Promise<void> {
  if (isUnclear(situation) || isAhead(situation)) return;
  const { answer, lookup, slots } = situation;
  const [checkId] = checkIdsOf(situation);
  if (checkId === undefined) {
    answer.line("Which check do you mean? Name it, for example “results of core-db”.");
    return;
  }
  const period = periodOf(situation);
  const [verdict] = statesOf(slots).filter((status) => status !== "passing");
  const [, digits] = /\b(?:last|latest|newest) (\d{1,2})\b/.exec(slots.text) ?? [];
  const isOne = /\b(?:last|latest|newest) (?:result|run|measurement|sample)\b(?!s)/.test(
    slots.text,
  );
  const found = await lookup("list_results", {
    checkId,
    ...spanOf(period),
    ...(verdict === undefined ? {} : { verdict }),
    limit: digits === undefined ? (isOne ? 1 : 10) : Number(digits),
  });
  if (found === null) return;
  const places = placesOf(situation);
  const { name } = found.data;
  const results = found.data.results.filter(
    ({ location }) => places.length === 0 || places.includes(location),
  );
  const of = places.length === 0 ? "" : ` from ${writeList(places)}`;
  if (results.length === 0) {
    answer.line(
      `${quote(name)} has no ${verdict === undefined ? "" : `${verdict} `}results${of} ${during(period)}: no data.`,
    );
    return;
  }
  const what = verdict === undefined ? "run" : `${verdict} run`;
  answer.line(
    `The newest ${results.length === 1 ? what : writeCount(results.length, what)} of ${quote(name)}${of} ${during(period)}:`,
  );
  for (const result of results) {
    const figures = speechOf(found.data).describeResult(result);
    const why = result.verdict === "passing" ? "" : `; ${writeReason(result)}`;
    answer.item(
      `${formatTime(result.startedAt)} from ${result.location}: ${writeStatus(result.verdict)}, ${figures}${why}.${answer.cite(found, result.resultId)}`,
    );
  }
  const [first] = results;
  if (results.length > 1 || first === undefined) return;
  const run = await lookup("get_result", { checkId, resultId: first.resultId });
  if (run === null) return;
  answer.item(
    `${speechOf(run.data).describeRun(run.data).join("; ")}.${answer.cite(run, first.resultId)}`,
  );
}
