import type { Figures } from "../tool-shapes/check-data.ts";
import {
  answerFigures,
  figureNames,
  type LatencyFigure,
  loadFigures,
  periodUsed,
  readFigure,
  writeFigures,
} from "./figures.ts";
import {
  checkIdsOf,
  describePeriod,
  isAhead,
  isUnclear,
  periodOf,
  placesOf,
  type Situation,
  spanOf,
  speechOf,
} from "./situation.ts";
import { dayMs, hourMs, type Period } from "./times.ts";
import {
  addClause,
  quote,
  writeAvailability,
  writeChange,
  writeCount,
  writeMs,
} from "./wording.ts";

/** Returns the later period of a comparison, and the one that it is compared with. */
function choosePeriods(situation: Situation): readonly [Period, Period] {
  const { slots, nowMs } = situation;
  const [one, other] = slots.periods;
  if (one !== undefined && other !== undefined) {
    const [before, now] = one.fromMs <= other.fromMs ? [one, other] : [other, one];
    return [{ ...now, toMs: Math.min(now.toMs, nowMs) }, before];
  }
  const isOver = one !== undefined && one.toMs <= nowMs - 1;
  const lengthMs = one === undefined ? dayMs : Math.min(one.toMs, nowMs) - one.fromMs;
  if (one !== undefined && isOver) {
    const ownMs = Math.min(lengthMs, 7 * dayMs);
    const hours = Math.max(1, Math.round(ownMs / hourMs));
    return [{ fromMs: nowMs - ownMs, toMs: nowMs, label: `the last ${hours} hours` }, one];
  }
  const now = periodOf(situation);
  const names: Readonly<Record<string, readonly [string, number]>> = {
    today: ["yesterday", dayMs],
    "this week": ["last week", 7 * dayMs],
  };
  const [label, beforeMs] = names[now.label] ?? ["as long before that", now.toMs - now.fromMs];
  return [now, { fromMs: now.fromMs - beforeMs, toMs: now.fromMs, label }];
}

/** Compares two periods, or several checks with each other if the question names no time. */
export async function answerComparison(situation: Situation): Promise<void> {
  if (isUnclear(situation) || isAhead(situation)) return;
  const { answer, lookup, slots } = situation;
  const checkIds = checkIdsOf(situation);
  const isSideBySide = slots.names.length > 1 || placesOf(situation).length > 1;
  if (checkIds.length > 0 && isSideBySide && slots.periods.length === 0)
    return compareChecks(situation);
  const [now, before] = choosePeriods(situation);
  const previous = spanOf(before);
  const found = await lookup("compare_windows", {
    ...(checkIds.length === 0 ? {} : { checkIds }),
    ...spanOf(now),
    previousFrom: previous.from,
    previousTo: previous.to,
  });
  if (found === null) return;
  for (const id of found.data.notFound) answer.line(`There is no check ${quote(id)} here.`);
  answer.line(`Compared: ${describePeriod(now)} against ${describePeriod(before)}:`);
  const rated = found.data.checks
    .map((check) => ({ check, verdict: rateChange(check) }))
    .sort(
      (one, other) =>
        (one.check.change.availabilityPercent ?? 0) - (other.check.change.availabilityPercent ?? 0),
    );
  if (rated.length > 1) {
    const count = (verdict: string) =>
      rated.filter((one) => one.verdict.startsWith(verdict)).length;
    answer.line(
      `Of ${writeCount(rated.length, "check")}, ${count("worse")} worse, ${count("better")} better, ${count("about")} about as before.`,
    );
  }
  const figure = readFigure(slots.text);
  const figures = [...new Set<LatencyFigure>(["avg", "p95", figure ?? "p95"])];
  for (const { check, verdict } of answer.upTo(rated, 8)) {
    const cited = answer.cite(found, check.checkId);
    const latencies = figures.map((one) => {
      const [was, is] = [check.before.latencyMs[one], check.now.latencyMs[one]];
      const change = was === null || is === null ? null : is - was;
      return `${figureNames[one]} ${writeMs(was)} → ${writeMs(is)} (${writeChange(change, "ms")})`;
    });
    const { availabilityPercent: was } = check.before;
    const more = addClause(speechOf(check).describeChange(check.before, check.now));
    answer.item(
      `${quote(check.name)}: availability ${writeAvailability(was)} → ${writeAvailability(check.now.availabilityPercent)} (${writeChange(check.change.availabilityPercent, "points")}), ${latencies.join(", ")}${more}; ${verdict}.${cited}`,
    );
  }
  if (rated.length > 8) answer.line(`And ${rated.length - 8} more.`);
}

function rateChange({
  now,
  before,
  change,
}: {
  now: Figures;
  before: Figures;
  change: { availabilityPercent: number | null; latencyP95Ms: number | null };
}): string {
  const { availabilityPercent, latencyP95Ms } = change;
  if (availabilityPercent === null && latencyP95Ms === null) {
    return before.availabilityPercent === null
      ? "no data before"
      : now.availabilityPercent === null
        ? "no data now"
        : "about as before";
  }
  if (availabilityPercent !== null && Math.abs(availabilityPercent) >= 0.01) {
    return availabilityPercent < 0
      ? "worse: less available than before"
      : "better: more available than before";
  }
  const was = before.latencyMs.p95 ?? 0;
  const isChanged = latencyP95Ms !== null && Math.abs(latencyP95Ms) > Math.max(1, was * 0.1);
  if (!isChanged) return "about as before";
  return latencyP95Ms > 0 ? "worse: slower than before" : "better: faster than before";
}

async function compareChecks(situation: Situation): Promise<void> {
  const { answer } = situation;
  const found = await loadFigures(situation);
  if (found === null) return;
  const places = placesOf(situation);
  if (places.length > 1 || found.data.checks.length === 1) {
    for (const check of answer.upTo(found.data.checks, 4)) writeFigures(situation, found, check);
    return;
  }
  answer.line(`Side by side, ${describePeriod(periodUsed(situation, found))}:`);
  for (const check of answer.upTo(found.data.checks, 15)) {
    const { availabilityPercent, latencyMs } = check;
    answer.item(
      `${quote(check.name)}: availability ${writeAvailability(availabilityPercent)}, average ${writeMs(latencyMs.avg)}, P95 ${writeMs(latencyMs.p95)}, P99 ${writeMs(latencyMs.p99)}${addClause(speechOf(check).describeFigures(check))}.${answer.cite(found, check.checkId)}`,
    );
  }
}

/** Answers about response times. Whether a check is slow is answered with a comparison first. */
export async function answerLatency(situation: Situation): Promise<void> {
  const { text, periods } = situation.slots;
  const isSlow = /\b(?:why|slower|is)\b.*\bslow/.test(text) && periods.length < 2;
  if (isSlow && checkIdsOf(situation).length > 0) await answerComparison(situation);
  await answerFigures(situation);
}
