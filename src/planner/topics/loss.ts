import { ask, askEach, type Found, type Plan, together } from "../plan.ts";
import type { GetResultData, ResultBrief } from "../tools/tool-data.ts";
import { quote, writeCount, writeList, writeMoment, writePercent } from "../wording.ts";
import { planLossRanking } from "./figures.ts";
import { describeIcmpErrors, describeLossPattern, findLossPattern } from "./packet-pattern.ts";
import {
  checkIdsOf,
  duringWindow,
  isAhead,
  isUnclear,
  pastWindow,
  type Situation,
  spanOf,
} from "./situation.ts";
import { writeReason } from "./status-wording.ts";

const maxRuns = 3;

/** What a check loses: how much, from where, which packets, in bursts or at random. */
export function* planLoss(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "its packet loss") || isAhead(situation)) return;
  const [checkId, ...others] = checkIdsOf(intent);
  if (checkId === undefined || others.length > 0) return yield* planLossRanking(situation);
  const window = pastWindow(situation);
  const [figures, listed] = yield* together(
    ask("get_statistics", { checkIds: [checkId], ...spanOf(window), byLocation: true }),
    ask("list_results", { checkId, ...spanOf(window), limit: 100 }),
  );
  if (figures === null) return;
  const [own] = figures.data.checks;
  if (own === undefined) {
    answer.line(`There is no check ${quote(checkId)} here.`);
    return;
  }
  const { places } = intent.subject;
  const results = (listed?.data.results ?? []).filter(
    ({ location }) => places.length === 0 || places.includes(location),
  );
  if (own.packetLossPercent === null && results.length === 0) {
    answer.line(`${quote(own.name)} has no data on packet loss ${duringWindow(window)}.`);
    return;
  }
  const cited = answer.cite(figures, checkId);
  const [place] = places;
  const there = own.byLocation?.find(({ location }) => location === place);
  const from = place === undefined ? "" : ` from ${place}`;
  const lost = (place === undefined ? own : there)?.packetLossPercent ?? null;
  if (lost === null) {
    const [newest] = results;
    const why = newest === undefined ? "" : `: ${writeReason(newest)}`;
    answer.line(
      `${quote(own.name)} has no data on packet loss${from} ${duringWindow(window)}${why}.${cited}`,
    );
    return;
  }
  answer.line(
    `${quote(own.name)} lost ${writePercent(lost)} of its packets${from} ${duringWindow(window)}.${cited}`,
  );
  tellPlaces(situation, own.byLocation ?? [], cited);
  if (listed !== null) yield* tellPackets(situation, listed, results);
}

function tellPlaces(
  { answer }: Situation,
  places: readonly { readonly location: string; readonly packetLossPercent: number | null }[],
  cited: string,
): void {
  const known = places.filter(({ packetLossPercent }) => packetLossPercent !== null);
  const lossy = known.filter(({ packetLossPercent }) => (packetLossPercent ?? 0) > 0);
  if (known.length < 2) return;
  const figures = writeList(
    known.map(
      ({ location, packetLossPercent }) => `${location} ${writePercent(packetLossPercent)}`,
    ),
  );
  const lead =
    lossy.length === 0
      ? "No location loses any"
      : lossy.length === known.length
        ? "All locations lose packets, so the cause is at or near the host"
        : `Only ${writeList(lossy.map(({ location }) => location))} of ${writeCount(known.length, "location")}, so the cause is on the way from there`;
  answer.item(`${lead}: ${figures}.${cited}`);
}

/** The runs that lost most, packet by packet. */
function* tellPackets(
  { answer, intent }: Situation,
  listed: Found<unknown>,
  results: readonly ResultBrief[],
): Plan<void> {
  const lossy = results.filter(({ lossPercent }) => (lossPercent ?? 0) > 0);
  if (lossy.length === 0) {
    if (results.length > 0) {
      answer.item(
        `None of the newest ${writeCount(results.length, "run")} lost a packet.${answer.cite(listed)}`,
      );
    }
    return;
  }
  answer.item(
    `${lossy.length} of the newest ${writeCount(results.length, "run")} lost packets.${answer.cite(listed)}`,
  );
  const worst = [...lossy]
    .sort((left, right) => (right.lossPercent ?? 0) - (left.lossPercent ?? 0))
    .slice(0, maxRuns);
  const [checkId] = checkIdsOf(intent);
  const runs = yield* askEach(
    "get_result",
    worst.map(({ resultId }) => ({ checkId, resultId })),
  );
  const read = runs.filter((run) => run !== null);
  for (const run of read) tellRun(answer, run);
  const kinds = new Set(read.map(({ data }) => findLossPattern(data.packets).kind));
  const verdict = describeKinds(kinds);
  if (verdict !== null) answer.line(verdict);
}

function tellRun(answer: Situation["answer"], run: Found<GetResultData>): void {
  const { data } = run;
  const errors = describeIcmpErrors(data.packets);
  const tail = errors === null ? "" : `; ${errors}`;
  const pattern = describeLossPattern(findLossPattern(data.packets));
  answer.item(
    `${writeMoment(data.startedAt)} from ${data.location}: ${pattern}${tail}.${answer.cite(run, data.resultId)}`,
  );
}

function describeKinds(kinds: ReadonlySet<string>): string | null {
  if (kinds.size === 0) return null;
  if (kinds.size > 1) return "The loss has no single pattern: it comes in bursts and scattered.";
  if (kinds.has("burst"))
    return "The loss comes in bursts: think of a link that goes away, or a route that changes.";
  if (kinds.has("scattered"))
    return "The loss is scattered: think of congestion, a bad line or a rate limit for ICMP.";
  if (kinds.has("all"))
    return "Whole runs are lost: the host, or the way to it, is gone at those times.";
  if (kinds.has("tail")) return "The way broke during the run.";
  return null;
}
