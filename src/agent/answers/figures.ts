import type { CheckFigures, Figures, GetStatisticsData } from "../tool-shapes/check-data.ts";
import type { Found } from "../tool-shapes/tool-data.ts";
import {
  checkIdsOf,
  describePeriod,
  describeScopes,
  findMeasure,
  isAhead,
  isUnclear,
  periodOf,
  placesOf,
  type Situation,
  spanOf,
  speechOf,
} from "./situation.ts";
import { hourMs, type Period } from "./times.ts";
import {
  addClause,
  formatTime,
  quote,
  writeAvailability,
  writeCount,
  writeDuration,
  writeList,
  writeMs,
  writePercent,
} from "./wording.ts";

export type LatencyFigure = keyof Figures["latencyMs"];

export const figureNames: Readonly<Record<LatencyFigure, string>> = {
  avg: "average",
  p50: "median (P50)",
  p95: "P95",
  p99: "P99",
  max: "maximum",
};

export function readFigure(text: string): LatencyFigure | null {
  const words: readonly (readonly [RegExp, LatencyFigure])[] = [
    [/\bp ?99\b/, "p99"],
    [/\bp ?95\b/, "p95"],
    [/\bp ?50\b|\bmedian\b/, "p50"],
    [/\bmax(?:imum)?\b|\bpeak\b/, "max"],
    [/\baverage\b|\bavg\b|\bmean\b/, "avg"],
  ];
  return words.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

function readCount(text: string): number {
  const [, digits] = /\b(?:top|worst|best|slowest|fastest|first|last) (\d{1,2})\b/.exec(text) ?? [];
  return digits === undefined ? 5 : Number(digits);
}

const isBest = (text: string) =>
  /\b(?:best|fastest|highest uptime|most reliable|quickest|lowest)\b/.test(text);

/** The question names one thing to look at closely, and not a ranking. */
export async function loadFigures(situation: Situation): Promise<Found<GetStatisticsData> | null> {
  const { answer, lookup } = situation;
  const checkIds = checkIdsOf(situation);
  const span = { ...spanOf(periodOf(situation)), byLocation: true };
  const found = await lookup("get_statistics", checkIds.length > 0 ? { checkIds, ...span } : span);
  for (const id of found?.data.notFound ?? []) answer.line(`There is no check ${quote(id)} here.`);
  return found;
}

export const periodUsed = (situation: Situation, { data }: Found<GetStatisticsData>): Period => ({
  fromMs: Date.parse(data.from),
  toMs: Date.parse(data.to),
  label: periodOf(situation).label,
});

/** Figures of a check at the named location, or of all locations; `null` without any. */
function figuresAt(check: CheckFigures, places: readonly string[]): Figures | null {
  const [place] = places;
  if (place === undefined) return check;
  return check.byLocation?.find(({ location }) => location === place) ?? null;
}

const countRuns = ({ runs }: Figures) => Object.values(runs).reduce((sum, count) => sum + count, 0);

function describeLatency({ latencyMs }: Figures, first: LatencyFigure | null): string {
  const order = Object.keys(figureNames) as LatencyFigure[];
  if (first !== null) order.sort((one) => (one === first ? -1 : 0));
  return order.map((figure) => `${figureNames[figure]} ${writeMs(latencyMs[figure])}`).join(", ");
}

function describeAvailability(own: Figures, { fromMs, toMs }: Period): string {
  const { availabilityPercent } = own;
  const downMs = (1 - (availabilityPercent ?? 100) / 100) * (toMs - fromMs);
  // Fewer runs than one an hour say little about the time between them.
  const isWatched = countRuns(own) >= (toMs - fromMs) / hourMs;
  const down =
    downMs < 1_000 || !isWatched
      ? ""
      : `, about ${writeDuration(downMs)} down if it was watched throughout`;
  return `availability ${writeAvailability(availabilityPercent)}${down} (${own.runs.failing} failing and ${own.runs.degraded} degraded of ${writeCount(countRuns(own), "run")})`;
}

/** The card of one check: what was asked for first, then the rest, and each location. */
export function writeFigures(
  situation: Situation,
  found: Found<GetStatisticsData>,
  check: CheckFigures,
): void {
  const { answer, intent, slots } = situation;
  const places = placesOf(situation);
  const period = periodUsed(situation, found);
  const cited = answer.cite(found, check.checkId);
  const own = figuresAt(check, places);
  const from = places.length === 0 ? "" : ` from ${places[0]}`;
  if (
    own === null ||
    countRuns(own) === 0 ||
    (own.availabilityPercent === null && own.latencyMs.avg === null)
  ) {
    const what =
      { latency: " on latency", loss: ` on ${findMeasure([check])?.noun}` }[intent] ?? "";
    answer.line(
      `${quote(check.name)} has no data${what}${from} ${describePeriod(period)}.${cited}`,
    );
    return;
  }
  const { measure } = speechOf(check);
  const percent = measure === null ? null : measure.ofFigures(own);
  const ofLoss =
    measure === null
      ? ""
      : percent === null
        ? `no data on ${measure.noun}`
        : measure.describe(percent);
  const latency = describeLatency(own, readFigure(slots.text));
  const availability = describeAvailability(own, period);
  const more = speechOf(check).describeFigures(own);
  const order = {
    latency: [latency, availability],
    loss: [ofLoss || more, availability, latency],
  }[intent] ?? [availability, latency];
  const parts = [...order, ...(intent === "loss" ? [] : [more])].filter(Boolean);
  answer.line(
    `${quote(check.name)}${from}, ${describePeriod(period)}: ${parts.join("; ")}.${cited}`,
  );
  const others = check.byLocation ?? [];
  if (places.length > 0 && places.length < 2) return;
  const shown =
    places.length > 1 ? others.filter(({ location }) => places.includes(location)) : others;
  const ranked = shown.toSorted(
    (one, other) => (one.latencyMs.avg ?? 0) - (other.latencyMs.avg ?? 0),
  );
  if (ranked.length < 2) return;
  for (const place of ranked.slice(0, 25)) {
    const { latencyMs, availabilityPercent } = place;
    answer.item(
      `from ${place.location}: availability ${writeAvailability(availabilityPercent)}, average ${writeMs(latencyMs.avg)}, P95 ${writeMs(latencyMs.p95)}${addClause(speechOf(check).describeFigures(place))}.${cited}`,
    );
  }
  const [first] = ranked;
  const last = ranked.at(-1);
  if (first && last && first.latencyMs.avg !== last.latencyMs.avg) {
    answer.item(`It is fastest from ${first.location} and slowest from ${last.location}.${cited}`);
  }
  writeAffected(situation, check, cited);
}

/** Says which locations the quality measure of the kind affects. */
function writeAffected({ answer }: Situation, check: CheckFigures, cited: string): void {
  const { measure } = speechOf(check);
  if (measure === null) return;
  const known = (check.byLocation ?? []).flatMap((place) => {
    const percent = measure.ofFigures(place);
    return percent === null ? [] : [{ location: place.location, percent }];
  });
  if (known.length < 2) return;
  const affected = known.filter(({ percent }) => percent > 0);
  const lead =
    affected.length === 0
      ? measure.nowhere
      : affected.length === known.length
        ? measure.everywhere
        : `Only ${writeList(affected.map(({ location }) => location))} of ${writeCount(known.length, "location")}, ${measure.somewhere}`;
  answer.item(
    `${lead}: ${writeList(known.map(({ location, percent }) => `${location} ${writePercent(percent)}`))}.${cited}`,
  );
}

interface Key {
  readonly title: string;
  readonly ofFigures: (figures: Figures, check: CheckFigures) => number | null;
  readonly write: (figures: Figures, value: number) => string;
  readonly isHighBad: boolean;
}

function keyOf({ intent, slots }: Situation): Key {
  if (intent === "latency") {
    const figure = readFigure(slots.text) ?? "p95";
    const beside = figure === "avg" ? "p95" : "avg";
    return {
      title: figureNames[figure],
      ofFigures: ({ latencyMs }) => latencyMs[figure],
      write: ({ latencyMs }, value) =>
        `${figureNames[figure]} ${writeMs(value)}, ${figureNames[beside]} ${writeMs(latencyMs[beside])}`,
      isHighBad: true,
    };
  }
  if (intent === "loss") {
    return {
      title: findMeasure([])?.noun ?? "loss",
      ofFigures: (figures, check) => speechOf(check).measure?.ofFigures(figures) ?? null,
      write: (_, value) => findMeasure([])?.describeShortly(value) ?? writePercent(value),
      isHighBad: true,
    };
  }
  return {
    title: "availability",
    ofFigures: ({ availabilityPercent }) => availabilityPercent,
    write: (_, value) => writeAvailability(value),
    isHighBad: false,
  };
}

/** Several checks by one figure, the worst first unless the best are asked for. */
function writeRanking(situation: Situation, found: Found<GetStatisticsData>): void {
  const { answer, intent, slots } = situation;
  const places = placesOf(situation);
  const key = keyOf(situation);
  const period = periodUsed(situation, found);
  const known = found.data.checks.flatMap((check) => {
    const own = figuresAt(check, places);
    const value = own === null ? null : key.ofFigures(own, check);
    return own === null || value === null ? [] : [{ check, own, value }];
  });
  const scope = describeScopes(slots);
  const of = `${scope === "" ? "" : ` of ${scope}`}${places.length === 0 ? "" : ` from ${writeList(places)}`}`;
  if (known.length === 0) {
    answer.line(`There is no data on ${key.title}${of} ${describePeriod(period)}.`);
    return;
  }
  const best = isBest(slots.text);
  const order = key.isHighBad === best ? 1 : -1;
  const ranked = known.toSorted((one, other) => order * (one.value - other.value));
  const cite = (ids: readonly string[]) => answer.cite(found, ...ids);
  if (intent === "availability") {
    const mean = known.reduce((sum, { value }) => sum + value, 0) / known.length;
    const ids = ranked.slice(0, 5).map(({ check }) => check.checkId);
    answer.line(
      `Mean availability of ${writeCount(known.length, "check")}${of} ${describePeriod(period)}: ${writeAvailability(mean)}.${cite(ids)}`,
    );
    if (targetPattern.test(slots.text)) {
      writeTarget(situation, found, ranked);
      return;
    }
    answer.line(best ? "The highest:" : "The lowest:");
  } else if (intent === "loss") {
    const affected = known.filter(({ value }) => value > 0).length;
    const { happened = "", happenedOnce = "" } = findMeasure(found.data.checks) ?? {};
    answer.line(
      affected === 0
        ? `None of ${writeCount(known.length, "check")}${of} ${happenedOnce} ${describePeriod(period)}.${cite([])}`
        : `${writeCount(affected, "check")} of ${known.length}${of} ${happened} ${describePeriod(period)}:`,
    );
  } else
    answer.line(`${best ? "Fastest" : "Slowest"} by ${key.title}${of} ${describePeriod(period)}:`);
  const isNamed = scope !== "";
  const count = isNamed ? 15 : readCount(slots.text);
  for (const { check, own, value } of ranked
    .filter((one) => intent !== "loss" || one.value > 0)
    .slice(0, count)) {
    answer.item(`${quote(check.name)}: ${key.write(own, value)}.${cite([check.checkId])}`);
  }
  writeWorstPlace(situation, found);
  if (found.data.total > found.data.checks.length) {
    answer.line(
      `(Of ${found.data.total} checks, the first ${found.data.checks.length} were added up.)`,
    );
  }
}

const targetPattern = /\b(\d{1,3}(?:\.\d{1,4})?) ?%/;

/** Checks that reach or miss an availability in the question, as in "100 % uptime". */
function writeTarget(
  { answer, slots }: Situation,
  found: Found<GetStatisticsData>,
  known: readonly { readonly check: CheckFigures; readonly value: number }[],
): void {
  const percent = Number(targetPattern.exec(slots.text)?.[1]);
  const isBelow = /\bbelow\b|\bunder\b|\bless\b|\bmiss/.test(slots.text);
  const isReached = ({ value }: { readonly value: number }) => value >= percent;
  const reached = known.filter(isReached).length;
  const isNamed = slots.names.length > 0;
  const shown = known.filter((one) => isNamed || isReached(one) !== isBelow);
  answer.line(`${reached} of ${writeCount(known.length, "check")} at or above ${percent} %:`);
  for (const { check, value } of shown.slice(0, 15)) {
    answer.item(
      `${quote(check.name)}: ${writeAvailability(value)}.${answer.cite(found, check.checkId)}`,
    );
  }
}

/** The location with the highest mean response time, if there are several. */
function writeWorstPlace({ answer, intent }: Situation, found: Found<GetStatisticsData>): void {
  if (intent !== "latency") return;
  const byPlace = Map.groupBy(
    found.data.checks.flatMap(({ byLocation = [] }) => byLocation),
    ({ location }) => location,
  );
  const means = [...byPlace].flatMap(([location, all]) => {
    const own = all.flatMap(({ latencyMs }) => latencyMs.avg ?? []);
    return own.length === 0
      ? []
      : [{ location, mean: own.reduce((sum, one) => sum + one, 0) / own.length }];
  });
  if (means.length < 2) return;
  const shown = means
    .toSorted((one, other) => other.mean - one.mean)
    .slice(0, 5)
    .map(({ location, mean }) => `${location} ${writeMs(mean)}`);
  answer.item(`average by location, slowest first: ${writeList(shown)}.${answer.cite(found)}`);
}

/** Answers about availability, latency and the quality measure, of one check or as a ranking. */
export async function answerFigures(situation: Situation): Promise<void> {
  if (isUnclear(situation) || isAhead(situation)) return;
  const { intent } = situation;
  const checkIds = checkIdsOf(situation);
  const found = await loadFigures(situation);
  if (found === null) return;
  if (checkIds.length === 0 || found.data.checks.length > 2) writeRanking(situation, found);
  const isFew = checkIds.length > 0 && found.data.checks.length <= 4;
  if (isFew) for (const check of found.data.checks) writeFigures(situation, found, check);
  if (intent === "loss" && checkIds.length === 1) await writeLossyRuns(situation, found);
}

/** Describes the worst of the newest runs by the quality measure of the kind. */
async function writeLossyRuns(
  situation: Situation,
  { data }: Found<GetStatisticsData>,
): Promise<void> {
  const { answer, lookup } = situation;
  const [check] = data.checks;
  const measure = check === undefined ? null : speechOf(check).measure;
  if (check === undefined || measure === null) return;
  const { checkId } = check;
  const listed = await lookup("list_results", {
    checkId,
    ...spanOf(periodOf(situation)),
    limit: 100,
  });
  const places = placesOf(situation);
  const results = (listed?.data.results ?? []).filter(
    ({ location }) => places.length === 0 || places.includes(location),
  );
  const percentOf = (result: object) => measure.ofResult(result) ?? 0;
  const affected = results.filter((result) => percentOf(result) > 0);
  if (listed === null || results.length === 0) return;
  answer.item(
    `${affected.length} of the newest ${writeCount(results.length, "run")} ${measure.happened}.${answer.cite(listed)}`,
  );
  const worst = affected.toSorted((one, other) => percentOf(other) - percentOf(one)).slice(0, 3);
  const runs = await Promise.all(
    worst.map(({ resultId }) => lookup("get_result", { checkId, resultId })),
  );
  const read = runs.filter((run) => run !== null);
  for (const run of read) {
    const { startedAt, location, resultId } = run.data;
    answer.item(
      `${formatTime(startedAt)} from ${location}: ${measure.describeRun(run.data)}.${answer.cite(run, resultId)}`,
    );
  }
  const summary = measure.summarise(read.map((run) => run.data));
  if (summary !== null) answer.line(summary);
}
