import type { KindMeasure } from "../../../kinds/kit/agent.ts";
import { findMeasure, speechOf } from "../../kinds.ts";
import { callTool, callToolEach, type Found, type Plan, together } from "../../plan.ts";
import type { CheckFigures, ResultBrief } from "../../tools/tool-data.ts";
import { formatTime, quote, writeCount, writeList, writePercent } from "../../wording.ts";
import { writeReason } from "../checks/status-wording.ts";
import {
  checkIdsOf,
  duringWindow,
  isAhead,
  isUnclear,
  pastWindow,
  type Situation,
  spanOf,
} from "../situation.ts";
import { planMeasureRanking } from "./window-figures.ts";

type Measure = KindMeasure<object, object, object>;

const maxRuns = 3;

/** Answers questions about the quality measure of a check kind, such as packet loss. */
export function* planMeasure(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  const wanted = `its ${findMeasure([])?.noun ?? "figures"}`;
  if (isUnclear(situation, wanted) || isAhead(situation)) return;
  const [checkId, ...others] = checkIdsOf(intent);
  if (checkId === undefined || others.length > 0) return yield* planMeasureRanking(situation);
  const window = pastWindow(situation);
  const [figures, listed] = yield* together(
    callTool("get_statistics", { checkIds: [checkId], ...spanOf(window), byLocation: true }),
    callTool("list_results", { checkId, ...spanOf(window), limit: 100 }),
  );
  if (figures === null) return;
  const [own] = figures.data.checks;
  if (own === undefined) {
    answer.line(`There is no check ${quote(checkId)} here.`);
    return;
  }
  const { measure } = speechOf(own);
  if (measure === null) {
    const noun = findMeasure([])?.noun ?? "that";
    answer.line(`${quote(own.name)} is a check of another kind and measures no ${noun}.`);
    return;
  }
  const { places } = intent.subject;
  const results = (listed?.data.results ?? []).filter(
    ({ location }) => places.length === 0 || places.includes(location),
  );
  if (measure.ofFigures(own) === null && results.length === 0) {
    answer.line(`${quote(own.name)} has no data on ${measure.noun} ${duringWindow(window)}.`);
    return;
  }
  const cited = answer.cite(figures, checkId);
  const [place] = places;
  const there = own.byLocation?.find(({ location }) => location === place);
  const from = place === undefined ? "" : ` from ${place}`;
  const meant = place === undefined ? own : there;
  const percent = meant === undefined ? null : measure.ofFigures(meant);
  if (percent === null) {
    const [newest] = results;
    const why = newest === undefined ? "" : `: ${writeReason(newest)}`;
    answer.line(
      `${quote(own.name)} has no data on ${measure.noun}${from} ${duringWindow(window)}${why}.${cited}`,
    );
    return;
  }
  answer.line(
    `${quote(own.name)} ${measure.describe(percent)}${from} ${duringWindow(window)}.${cited}`,
  );
  tellPlaces(situation, { measure, places: own.byLocation ?? [], cited });
  if (listed !== null) yield* writeRuns(situation, { measure, listed, results });
}

function tellPlaces(
  { answer }: Situation,
  about: {
    readonly measure: Measure;
    readonly places: NonNullable<CheckFigures["byLocation"]>;
    readonly cited: string;
  },
): void {
  const { measure, cited } = about;
  const known = about.places.flatMap((place) => {
    const percent = measure.ofFigures(place);
    return percent === null ? [] : [{ location: place.location, percent }];
  });
  const affected = known.filter(({ percent }) => percent > 0);
  if (known.length < 2) return;
  const figures = writeList(
    known.map(({ location, percent }) => `${location} ${writePercent(percent)}`),
  );
  const lead =
    affected.length === 0
      ? measure.nowhere
      : affected.length === known.length
        ? measure.everywhere
        : `Only ${writeList(affected.map(({ location }) => location))} of ${writeCount(known.length, "location")}, ${measure.somewhere}`;
  answer.item(`${lead}: ${figures}.${cited}`);
}

/** Writes how many of the newest runs are affected, and describes the worst runs in detail. */
function* writeRuns(
  { answer, intent }: Situation,
  about: {
    readonly measure: Measure;
    readonly listed: Found<unknown>;
    readonly results: readonly ResultBrief[];
  },
): Plan<void> {
  const { measure, listed, results } = about;
  const percentOf = (result: ResultBrief) => measure.ofResult(result) ?? 0;
  const affected = results.filter((result) => percentOf(result) > 0);
  const newest = `the newest ${writeCount(results.length, "run")}`;
  if (affected.length === 0) {
    if (results.length > 0) {
      answer.item(`None of ${newest} ${measure.happenedOnce}.${answer.cite(listed)}`);
    }
    return;
  }
  answer.item(`${affected.length} of ${newest} ${measure.happened}.${answer.cite(listed)}`);
  const worst = affected
    .toSorted((left, right) => percentOf(right) - percentOf(left))
    .slice(0, maxRuns);
  const [checkId] = checkIdsOf(intent);
  const runs = yield* callToolEach(
    "get_result",
    worst.map(({ resultId }) => ({ checkId, resultId })),
  );
  const read = runs.filter((run) => run !== null);
  for (const run of read) {
    const { startedAt, location, resultId } = run.data;
    answer.item(
      `${formatTime(startedAt)} from ${location}: ${measure.describeRun(run.data)}.${answer.cite(run, resultId)}`,
    );
  }
  const verdict = measure.summarise(read.map(({ data }) => data));
  if (verdict !== null) answer.line(verdict);
}
