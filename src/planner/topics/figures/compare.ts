import { speechOf } from "../../kinds.ts";
import { callTool, type Found, type Plan } from "../../plan.ts";
import { dayMs, lengthOfMonth } from "../../reading/moment.ts";
import type { LatencyFigure } from "../../reading/question.ts";
import type { TimeWindow } from "../../reading/time-window.ts";
import type { CheckFigures, CompareWindowsData } from "../../tools/tool-data.ts";
import {
  addClause,
  quote,
  writeAvailability,
  writeChange,
  writeCount,
  writeMs,
} from "../../wording.ts";
import {
  checkIdsOf,
  describeWindow,
  duringWindow,
  isAhead,
  isUnclear,
  pastWindow,
  type Situation,
  spanOf,
} from "../situation.ts";

export const figureNames: Readonly<Record<LatencyFigure, string>> = {
  avg: "average",
  p50: "median (P50)",
  p95: "P95",
  p99: "P99",
  max: "maximum",
};

type Compared = CompareWindowsData["checks"][number];

const topCount = 5;

/**
 * Returns the two windows to compare. Without a second window in the question, the earlier window
 * ends where the later one starts and has the same length.
 */
export function choosePair(situation: Situation): { now: TimeWindow; before: TimeWindow } {
  const { intent, nowMs } = situation;
  const { window, second } = intent;
  if (window !== null && second !== null) {
    const [before, now] = window.fromMs <= second.fromMs ? [window, second] : [second, window];
    return { now: { ...now, toMs: Math.min(now.toMs, nowMs) }, before };
  }
  // "worse than yesterday" compares yesterday with a window of the same length that ends now.
  const isOver =
    window !== null && window.toMs <= nowMs - 1 && !/\bwith\b.*\bLATEST$/.test(intent.canonical);
  if (window !== null && isOver && /\bCOMPARE\b.*\bTIME\b/.test(intent.canonical)) {
    const lengthMs = Math.min(window.toMs - window.fromMs, 7 * dayMs);
    const label = `the last ${Math.max(1, Math.round(lengthMs / 3_600_000))} hours`;
    return { now: { fromMs: nowMs - lengthMs, toMs: nowMs, label }, before: window };
  }
  const now = window ?? { fromMs: nowMs - dayMs, toMs: nowMs, label: "the last 24 hours" };
  const lengthMs = now.toMs - now.fromMs;
  const before = { fromMs: now.fromMs - lengthMs, toMs: now.fromMs, label: "as long before that" };
  return { now, before: nameBefore(now, before) };
}

/**
 * Returns the period before the window `now`. If `now` is "today", "this week" or "this month",
 * returns the whole previous day, week or month. For other windows, returns `before`, which has the
 * same length as `now`.
 */
function nameBefore(now: TimeWindow, before: TimeWindow): TimeWindow {
  if (now.label === "this week") {
    return { fromMs: now.fromMs - 7 * dayMs, toMs: now.fromMs, label: "last week" };
  }
  if (now.label === "today") {
    return { fromMs: now.fromMs - dayMs, toMs: now.fromMs, label: "yesterday" };
  }
  if (now.label === "this month") {
    const fromMs = now.fromMs - lengthOfMonth(now.fromMs - 15 * dayMs);
    return { fromMs, toMs: now.fromMs, label: "last month" };
  }
  return before;
}

export function* planCompare(situation: Situation): Plan<void> {
  const { intent, answer, vocabulary } = situation;
  if (isUnclear(situation, "a comparison") || isAhead(situation)) return;
  const { tags } = intent.subject;
  const tagged = vocabulary.checks.filter((check) => tags.some((tag) => check.tags.includes(tag)));
  const named = checkIdsOf(intent);
  const checkIds = named.length > 0 ? named : tagged.map(({ checkId }) => checkId).slice(0, 200);
  if (intent.subject.places.length > 1 && named.length > 0) {
    yield* comparePlaces(situation, named);
    return;
  }
  if (named.length > 1 && intent.window === null) {
    yield* compareChecks(situation, named);
    return;
  }
  const { now, before } = choosePair(situation);
  const previous = spanOf(before);
  const found = yield* callTool("compare_windows", {
    ...(checkIds.length === 0 ? {} : { checkIds }),
    ...spanOf(now),
    previousFrom: previous.from,
    previousTo: previous.to,
  });
  if (found === null) return;
  for (const id of found.data.notFound) answer.line(`There is no check ${quote(id)} here.`);
  const compared = found.data.checks.filter(
    (check) => check.now.latencyMs.avg !== null || check.now.availabilityPercent !== null,
  );
  if (compared.length === 0) {
    answer.line(`There is no data ${duringWindow(now)}.`);
    return;
  }
  if (!compared.some(hasBefore) && named.length === 0) {
    const what = writeCount(compared.length, "check");
    answer.line(
      `There is nothing to compare with: no check has data ${duringWindow(before)}. ${what} ${compared.length === 1 ? "has" : "have"} data ${duringWindow(now)}.${answer.cite(found)}`,
    );
    return;
  }
  answer.line(`Compared: ${describeWindow(now)} against ${describeWindow(before)}:`);
  if (named.length > 0) {
    for (const check of compared) writePair(situation, found, check);
    return;
  }
  writeRanking(situation, found, compared);
}

/** Compares several checks with each other. Used if the question contains no time. */
function* compareChecks(situation: Situation, checkIds: readonly string[]): Plan<void> {
  const { answer } = situation;
  const window = pastWindow(situation);
  const found = yield* callTool("get_statistics", { checkIds, ...spanOf(window) });
  if (found === null) return;
  answer.line(`${nameExtreme(situation, found.data.checks)}Side by side, ${duringWindow(window)}:`);
  for (const check of found.data.checks) {
    const { availabilityPercent, latencyMs } = check;
    answer.item(
      `${quote(check.name)}: availability ${writeAvailability(availabilityPercent)}, average ${writeMs(latencyMs.avg)}, P95 ${writeMs(latencyMs.p95)}${addClause(speechOf(check).describeFigures(check))}.${answer.cite(found, check.checkId)}`,
    );
  }
}

/**
 * Returns the sentence that names the slowest or the fastest check, or an empty string if the
 * question does not ask for it.
 */
function nameExtreme({ intent }: Situation, checks: readonly CheckFigures[]): string {
  const known = checks.filter(({ latencyMs }) => latencyMs.avg !== null);
  if (!/\b(?:SLOW|FAST)\b/.test(intent.canonical) || known.length < 2) return "";
  const ranked = known.toSorted(
    (one, other) => (one.latencyMs.avg ?? 0) - (other.latencyMs.avg ?? 0),
  );
  const found = intent.wantsFastest ? ranked[0] : ranked.at(-1);
  return `${quote(found?.name ?? "")} is the ${intent.wantsFastest ? "fastest" : "slowest"}. `;
}

/** Compares the response times of each check between its locations, fastest location first. */
export function* comparePlaces(situation: Situation, checkIds: readonly string[]): Plan<void> {
  const { answer, intent } = situation;
  const named = intent.subject.places;
  const window = pastWindow(situation);
  const input = { checkIds, ...spanOf(window), byLocation: true };
  const found = yield* callTool("get_statistics", input);
  if (found === null) return;
  for (const check of found.data.checks) {
    const cited = answer.cite(found, check.checkId);
    const seen = (check.byLocation ?? [])
      .filter(({ location }) => named.length === 0 || named.includes(location))
      .filter(({ latencyMs }) => latencyMs.avg !== null)
      .toSorted((one, other) => (one.latencyMs.avg ?? 0) - (other.latencyMs.avg ?? 0));
    const [first] = seen;
    const last = seen.at(-1);
    const isSame = first?.latencyMs.avg === last?.latencyMs.avg;
    const lead =
      first === undefined || seen.length < 2
        ? "has too little data to compare"
        : isSame
          ? "is as fast from each of them"
          : `is fastest from ${first.location} and slowest from ${last?.location}`;
    answer.line(`${quote(check.name)} ${lead}, ${duringWindow(window)}.${cited}`);
    for (const place of seen) {
      answer.item(
        `from ${place.location}: average ${writeMs(place.latencyMs.avg)}, P95 ${writeMs(place.latencyMs.p95)}${addClause(speechOf(check).describeFigures(place))}, availability ${writeAvailability(place.availabilityPercent)}.${cited}`,
      );
    }
    for (const place of named.filter((one) => !seen.some(({ location }) => location === one))) {
      answer.item(`from ${place}: no data.${cited}`);
    }
  }
}

function hasBefore({ before }: Compared): boolean {
  return before.availabilityPercent !== null || before.latencyMs.avg !== null;
}

function writePair(situation: Situation, found: Found<CompareWindowsData>, check: Compared): void {
  const { answer } = situation;
  const { now, before, change } = check;
  const cited = answer.cite(found, check.checkId);
  const figures = chooseFigures(situation);
  if (!hasBefore(check)) {
    const values = figures.map(
      (figure) => `${figureNames[figure]} ${writeMs(now.latencyMs[figure])}`,
    );
    answer.item(
      `${quote(check.name)}: availability ${writeAvailability(now.availabilityPercent)}, ${values.join(", ")} now; no data before.${cited}`,
    );
    return;
  }
  const latencies = figures.map((figure) => {
    const [was, is] = [before.latencyMs[figure], now.latencyMs[figure]];
    const difference = was === null || is === null ? null : is - was;
    return `${figureNames[figure]} ${writeMs(was)} → ${writeMs(is)} (${writeChange(difference, "ms")})`;
  });
  answer.item(
    `${quote(check.name)}: availability ${writeAvailability(before.availabilityPercent)} → ${writeAvailability(now.availabilityPercent)} (${writeChange(change.availabilityPercent, "points")}), ${latencies.join(", ")}${addClause(speechOf(check).describeChange(before, now))}.${cited}`,
  );
  const verdict = judge(check);
  answer.line(`${quote(check.name)} is ${verdict}.`);
}

/** Returns the latency metrics to show: average, P95 and the requested metric. */
function chooseFigures({ intent }: Situation): LatencyFigure[] {
  return [...new Set<LatencyFigure>(["avg", "p95", intent.figure ?? "p95"])];
}

/**
 * Judges whether a check became better or worse. A change counts if the P95 response time differs
 * by at least a fifth and at least 1 ms, or if the availability differs by at least a tenth of a
 * percentage point. Smaller changes are noise.
 */
export function judge({ now, before, change }: Compared): string {
  const availability = change.availabilityPercent ?? 0;
  const slower = change.latencyP95Ms ?? 0;
  const ratio = before.latencyMs.p95 ? slower / before.latencyMs.p95 : 0;
  if (now.availabilityPercent !== null && availability <= -0.1) return "less available than before";
  if (ratio >= 0.2 && slower >= 1) return "slower than before";
  if (availability >= 0.1) return "more available than before";
  if (ratio <= -0.2 && slower <= -1) return "faster than before";
  return "about as before";
}

function writeRanking(
  situation: Situation,
  found: Found<CompareWindowsData>,
  compared: readonly Compared[],
): void {
  const { answer } = situation;
  const weigh = ({ change }: Compared) =>
    Math.abs(change.availabilityPercent ?? 0) * 10 + Math.abs(change.latencyP95Ms ?? 0) / 10;
  const known = compared.filter(hasBefore);
  const verdicts = known.map(judge);
  const worse = verdicts.filter((verdict) => /less|slower/.test(verdict)).length;
  const better = verdicts.filter((verdict) => /more|faster/.test(verdict)).length;
  answer.line(
    `Of ${writeCount(known.length, "check")}, ${worse} worse, ${better} better, ${known.length - worse - better} about as before. The largest changes:`,
  );
  const ranked = [...known].sort((left, right) => weigh(right) - weigh(left));
  for (const check of ranked.slice(0, topCount)) {
    answer.item(
      `${quote(check.name)}: availability ${writeChange(check.change.availabilityPercent, "points")}, P95 ${writeChange(check.change.latencyP95Ms, "ms")}${addClause(speechOf(check).describeDifference(check.change))}.${answer.cite(found, check.checkId)}`,
    );
  }
}
