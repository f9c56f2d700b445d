import { findMeasure, speechOf } from "../../kinds.ts";
import { callTool, type Found, type Plan } from "../../plan.ts";
import { hourMs } from "../../reading/moment.ts";
import type { Intent, LatencyFigure } from "../../reading/question.ts";
import type { CheckFigures, Figures, GetStatisticsData } from "../../tools/tool-data.ts";
import {
  addClause,
  quote,
  writeAvailability,
  writeCount,
  writeDuration,
  writeList,
  writeMs,
} from "../../wording.ts";
import { describeScopes } from "../directory/scopes.ts";
import {
  checkIdsOf,
  duringWindow,
  isAhead,
  isUnclear,
  noteUnknown,
  pastWindow,
  type Situation,
  spanOf,
} from "../situation.ts";
import { comparePlaces, figureNames, planCompare } from "./compare.ts";

interface Target {
  readonly percent: number;
  /** Whether the question asks for checks whose availability is below the target. */
  readonly wantsBelow: boolean;
}

/** Reads an availability target, as in "100 % uptime", "below 99.9 %" or "do we meet 99.5 %". */
function readTarget({ canonical }: Intent): Target | null {
  const [, percent] = /\b(\d{1,3}(?:\.\d{1,4})?) %/.exec(canonical) ?? [];
  if (percent === undefined || Number(percent) > 100) return null;
  return { percent: Number(percent), wantsBelow: /\b(?:below|under|less|NOT)\b/.test(canonical) };
}

const maxListed = 15;

/**
 * Lists checks and their availability compared with a target. If the question asks for checks below
 * the target, lists only those. Otherwise, lists all named checks or, if the question names no
 * check, the checks that reach the target.
 */
function planTarget(
  { answer, intent }: Situation,
  about: {
    readonly found: Found<GetStatisticsData>;
    readonly known: readonly CheckFigures[];
    readonly target: Target;
    readonly span: string;
  },
): void {
  const { found, known, target, span } = about;
  const share = (check: CheckFigures) => check.availabilityPercent ?? 0;
  const [below, reached] = [
    known.filter((check) => share(check) < target.percent),
    known.filter((check) => share(check) >= target.percent),
  ];
  const isNamed = intent.subject.checks.length > 0;
  const shown = target.wantsBelow ? below : isNamed ? known : reached;
  const [verb, count] = target.wantsBelow ? ["below", below.length] : ["at", reached.length];
  const colon = shown.length === 0 ? "." : ":";
  answer.line(
    `${count} of ${writeCount(known.length, "check")} ${count === 1 ? "was" : "were"} ${verb} ${target.percent} %${verb === "at" && target.percent < 100 ? " or above" : ""} ${span}${colon}${shown.length === 0 ? answer.cite(found) : ""}`,
  );
  for (const check of shown
    .toSorted((one, other) => share(one) - share(other))
    .slice(0, maxListed)) {
    answer.item(
      `${quote(check.name)}: ${writeAvailability(share(check))}.${answer.cite(found, check.checkId)}`,
    );
  }
  if (shown.length > maxListed) answer.line(`And ${shown.length - maxListed} more.`);
}

/**
 * Answers how much the response times of a check vary, for example by the jitter of its newest
 * runs.
 */
function* planSpread(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  const { places } = intent.subject;
  const window = pastWindow(situation);
  for (const checkId of checkIdsOf(intent).slice(0, 3)) {
    const found = yield* callTool("list_results", { checkId, ...spanOf(window), limit: 100 });
    if (found === null) continue;
    const { name, results } = found.data;
    const { spread } = speechOf(found.data);
    if (spread === null) {
      answer.line(`${quote(name)} is a check of another kind, which measures no such thing.`);
      continue;
    }
    const known = results
      .filter(({ location }) => places.length === 0 || places.includes(location))
      .map((result) => spread.ofResult(result))
      .filter((value) => value !== null);
    if (known.length === 0) {
      answer.line(`${quote(name)} has no data on ${spread.noun} ${duringWindow(window)}.`);
      continue;
    }
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    answer.line(
      `The ${spread.noun} of ${quote(name)} is ${writeMs(mean)} on average and ${writeMs(Math.max(...known))} at most, over its newest ${writeCount(known.length, "run")} ${duringWindow(window)}.${answer.cite(found, checkId)}`,
    );
  }
}

const topCount = 5;

function totalRuns({ runs }: Figures): number {
  return Object.values(runs).reduce((sum, count) => sum + count, 0);
}

function* askFigures(
  situation: Situation,
  byLocation: boolean,
): Plan<Found<GetStatisticsData> | null> {
  const { intent } = situation;
  const checkIds = checkIdsOf(intent);
  const [tag] = intent.subject.tags;
  const input = {
    ...(checkIds.length > 0 ? { checkIds } : tag === undefined ? {} : { tag }),
    ...spanOf(pastWindow(situation)),
    ...(byLocation ? { byLocation: true } : {}),
  };
  const found = yield* callTool("get_statistics", input);
  for (const id of found?.data.notFound ?? []) {
    situation.answer.line(`There is no check ${quote(id)} here.`);
  }
  return found;
}

/** Describes the time window that the statistics cover. */
function describeSpan(situation: Situation, { data }: Found<GetStatisticsData>): string {
  const { label } = pastWindow(situation);
  return duringWindow({ label, fromMs: Date.parse(data.from), toMs: Date.parse(data.to) });
}

/**
 * Returns the statistics of the requested location, or of all locations if none is requested.
 * Returns `null` if the location has no statistics.
 */
function figuresAt(check: CheckFigures, places: readonly string[]): Figures | null {
  const [place] = places;
  if (place === undefined) return check;
  return check.byLocation?.find(({ location }) => location === place) ?? null;
}

/** Lists the slowest or the fastest checks. */
export function* planSlowest(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isAhead(situation)) return;
  noteUnknown(situation);
  const { places } = intent.subject;
  const found = yield* askFigures(situation, places.length > 0);
  if (found === null) return;
  const figure = intent.figure ?? "p95";
  const ranked = found.data.checks
    .flatMap((check) => {
      const value = figuresAt(check, places)?.latencyMs[figure] ?? null;
      return value === null ? [] : [{ check, value }];
    })
    .sort((left, right) =>
      intent.wantsFastest ? left.value - right.value : right.value - left.value,
    );
  if (ranked.length === 0) {
    answer.line(`There is no data on latency ${describeSpan(situation, found)}.`);
    return;
  }
  const from = places.length === 0 ? "" : ` from ${writeList(places)}`;
  answer.line(
    `${intent.wantsFastest ? "Fastest" : "Slowest"} by ${figureNames[figure]}${from} ${describeSpan(situation, found)}:`,
  );
  for (const { check, value } of ranked.slice(0, intent.count ?? topCount)) {
    const { latencyMs } = figuresAt(check, places) ?? check;
    const beside =
      figure === "avg" ? `P95 ${writeMs(latencyMs.p95)}` : `average ${writeMs(latencyMs.avg)}`;
    answer.item(
      `${quote(check.name)}: ${figureNames[figure]} ${writeMs(value)}, ${beside}.${answer.cite(found, check.checkId)}`,
    );
  }
  if (found.data.total > found.data.checks.length) {
    answer.line(
      `(Of ${found.data.total} checks, the first ${found.data.checks.length} were added up.)`,
    );
  }
}

/**
 * Answers questions about latency. Answers "why is it slow?" with a comparison to an earlier
 * window.
 */
export function* planLatency(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "its latency") || isAhead(situation)) return;
  if (checkIdsOf(intent).length === 0) return yield* planSlowest(situation);
  if (intent.subject.places.length > 1) return yield* comparePlaces(situation, checkIdsOf(intent));
  if (/\bSPREAD\b/.test(intent.canonical)) return yield* planSpread(situation);
  if (/\b(?:SLOW|WHY)\b/.test(intent.canonical)) return yield* planCompare(situation);
  const found = yield* askFigures(situation, true);
  if (found === null) return;
  for (const check of found.data.checks) {
    const own = figuresAt(check, intent.subject.places);
    const span = describeSpan(situation, found);
    if (own === null || own.latencyMs.avg === null) {
      answer.line(`${quote(check.name)} has no data on latency ${span}.`);
      continue;
    }
    const order: LatencyFigure[] = ["avg", "p50", "p95", "p99", "max"];
    if (intent.figure !== null) order.sort((left) => (left === intent.figure ? -1 : 0));
    const shown = order.map((figure) => `${figureNames[figure]} ${writeMs(own.latencyMs[figure])}`);
    const from = intent.subject.places.length === 0 ? "" : ` from ${intent.subject.places[0]}`;
    answer.line(
      `${quote(check.name)}${from}, ${span}: ${shown.join(", ")}.${answer.cite(found, check.checkId)}`,
    );
    const places = check.byLocation ?? [];
    if (intent.subject.places.length > 0 || places.length < 2) continue;
    for (const place of places.slice(0, 25)) {
      answer.item(
        `from ${place.location}: average ${writeMs(place.latencyMs.avg)}, P95 ${writeMs(place.latencyMs.p95)}.${answer.cite(found, check.checkId)}`,
      );
    }
  }
}

/** Answers questions about availability. */
export function* planAvailability(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "its availability") || isAhead(situation)) return;
  noteUnknown(situation);
  const { places } = intent.subject;
  const found = yield* askFigures(situation, places.length > 0);
  if (found === null) return;
  const span = describeSpan(situation, found);
  const isNamed = checkIdsOf(intent).length > 0;
  const known = found.data.checks.filter(
    (check) => (figuresAt(check, places)?.availabilityPercent ?? null) !== null,
  );
  if (known.length === 0) {
    const name =
      isNamed && found.data.checks[0] ? `${quote(found.data.checks[0].name)} has` : "There is";
    answer.line(`${name} no data ${span}.`);
    return;
  }
  const lengthMs = Date.parse(found.data.to) - Date.parse(found.data.from);
  const target = readTarget(intent);
  if (target !== null) {
    planTarget(situation, { found, known, target, span });
    return;
  }
  if (isNamed) {
    if (known.length > 1) answer.line(describeMean(situation, known, answer.cite(found)));
    for (const check of found.data.checks) {
      answer.line(
        `${describeAvailability(check, figuresAt(check, places), { span, lengthMs })}${answer.cite(found, check.checkId)}`,
      );
    }
    return;
  }
  const share = (check: CheckFigures) => figuresAt(check, places)?.availabilityPercent ?? 0;
  const mean = known.reduce((sum, check) => sum + share(check), 0) / known.length;
  const order = intent.wantsFastest ? -1 : 1;
  const worst = [...known]
    .sort((left, right) => order * (share(left) - share(right)))
    .slice(0, intent.count ?? topCount);
  const cited = answer.cite(found, ...worst.map(({ checkId }) => checkId));
  answer.line(
    `Mean availability of ${writeCount(known.length, "check")} ${span}: ${writeAvailability(mean)}.${cited}`,
  );
  if (known.every((check) => share(check) === 100)) {
    answer.line(`Every one of them was available all the time.${answer.cite(found)}`);
    return;
  }
  answer.line(intent.wantsFastest ? "The highest:" : "The lowest:");
  for (const check of worst) {
    answer.item(
      `${quote(check.name)}: ${writeAvailability(share(check))}.${answer.cite(found, check.checkId)}`,
    );
  }
}

function describeMean(situation: Situation, known: readonly CheckFigures[], cited: string): string {
  const { places } = situation.intent.subject;
  const shares = known.map((check) => figuresAt(check, places)?.availabilityPercent ?? 0);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const whose = describeScopes(situation) || " of these";
  return `Mean availability${whose}, ${writeCount(known.length, "check")}: ${writeAvailability(mean)}.${cited}`;
}

function describeAvailability(
  check: CheckFigures,
  own: Figures | null,
  { span, lengthMs }: { readonly span: string; readonly lengthMs: number },
): string {
  if (own === null || own.availabilityPercent === null) {
    return `${quote(check.name)} has no data ${span}.`;
  }
  const { failing, degraded } = own.runs;
  const downMs = (1 - own.availabilityPercent / 100) * lengthMs;
  // Show the downtime only if there was at least one run per hour, because fewer runs are not
  // representative.
  const isWatched = totalRuns(own) >= lengthMs / hourMs;
  const down =
    downMs < 1_000 || !isWatched
      ? ""
      : `, about ${writeDuration(downMs)} down if it was watched throughout`;
  return `${quote(check.name)}, ${span}: availability ${writeAvailability(own.availabilityPercent)}${down} (${failing} failing and ${degraded} degraded of ${writeCount(totalRuns(own), "run")}${addClause(speechOf(check).describeFigures(own), "; ")}).`;
}

/** Ranks checks by the quality measure of their kind, such as the share of lost packets. */
export function* planMeasureRanking(situation: Situation): Plan<void> {
  const { answer, intent } = situation;
  noteUnknown(situation);
  const { places } = intent.subject;
  const found = yield* askFigures(situation, places.length > 0);
  if (found === null) return;
  const measure = findMeasure(found.data.checks);
  if (measure === null) return;
  const span = describeSpan(situation, found);
  const known = found.data.checks.flatMap((check) => {
    const figures = figuresAt(check, places);
    const percent = figures && (speechOf(check).measure?.ofFigures(figures) ?? null);
    return percent === null ? [] : [{ check, percent }];
  });
  if (known.length === 0) {
    answer.line(`There is no data on ${measure.noun} ${span}.`);
    return;
  }
  const affected = known
    .filter(({ percent }) => percent > 0)
    .sort((left, right) => right.percent - left.percent);
  if (affected.length === 0) {
    answer.line(
      `None of ${writeCount(known.length, "check")} ${measure.happenedOnce} ${span}.${answer.cite(found)}`,
    );
    return;
  }
  answer.line(
    `${writeCount(affected.length, "check")} of ${known.length} ${measure.happened} ${span}:`,
  );
  for (const { check, percent } of affected.slice(0, intent.count ?? topCount)) {
    const text = (speechOf(check).measure ?? measure).describeShortly(percent);
    answer.item(`${quote(check.name)}: ${text}.${answer.cite(found, check.checkId)}`);
  }
}
