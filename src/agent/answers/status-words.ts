import { allKinds } from "../../kinds/index.ts";
import type { GetStatusData, ResultBrief, StatusData } from "../tool-shapes/check-data.ts";
import type { Found } from "../tool-shapes/tool-data.ts";
import { isSeenFromPlaces, type Situation, speechOf } from "./situation.ts";
import { formatTime, quote, writeDuration, writeList } from "./wording.ts";

/**
 * Names of reasons whose text was written by this service. All other texts are untrusted, so
 * answers quote them.
 */
const ownReasons: ReadonlySet<string> = new Set(
  allKinds.flatMap(({ agent }) => agent.speech.ownReasons),
);

const statusNames = {
  failing: "failing",
  degraded: "degraded",
  passing: "passing",
  unknown: "without data",
} as const;
export const worstFirst: readonly StatusData["status"][] = [
  "failing",
  "degraded",
  "unknown",
  "passing",
];

export const writeStatus = (status: StatusData["status"]): string => statusNames[status];

/** Returns the text of the first relevant reason of a result. */
export function writeReason({ reasons }: ResultBrief): string {
  // The first reason of an inverted check that fails is "all within limits".
  const reason = reasons.find(({ name }) => name !== "all-within-limits") ?? reasons[0];
  if (reason === undefined) return "no reason was recorded";
  const isOwn =
    ownReasons.has(reason.name) ||
    /^(?:response-time|all-within|failed-as|passed-against)/.test(reason.name);
  return isOwn ? reason.text : `${reason.name.replaceAll("-", " ")}: ${quote(reason.text, 200)}`;
}

/** Describes the state of a check, as in "`edge` has been failing since … (2 h): …". */
export function describeStatus(
  found: Found<GetStatusData>,
  check: StatusData,
  { answer, nowMs }: Pick<Situation, "answer" | "nowMs">,
): string {
  const name = quote(check.name);
  const cite = () => answer.cite(found, check.checkId);
  if (check.since === null) {
    return check.activated
      ? `${name} has no data yet: it has never run.${cite()}`
      : `${name} is switched off and has never run.${cite()}`;
  }
  const notes = [check.activated ? "" : "switched off", check.muted ? "muted" : ""].filter(Boolean);
  const note = notes.length > 0 ? ` (${notes.join(", ")})` : "";
  const lasting = writeDuration(nowMs - Date.parse(check.since));
  const state = `${name}${note} has been ${writeStatus(check.status)} since ${formatTime(check.since)} (${lasting})`;
  const [worst] = check.why;
  if (check.status === "passing" || worst === undefined) {
    const last = check.lastRunAt === null ? "" : `, last run ${formatTime(check.lastRunAt)}`;
    return `${state}${last}.${cite()}`;
  }
  const row = check.consecutiveFailures > 1 ? `, ${check.consecutiveFailures} runs in a row` : "";
  const from = isSeenFromPlaces(check) ? `, seen from ${worst.location}` : "";
  // The source of the run is the better evidence, and names the check too.
  return `${state}${row}: ${writeReason(worst)}${from}.${answer.cite(found, worst.resultId) || cite()}`;
}

/** Describes the state by location, as in "failing from a and b; passing from c". */
export function describePlaces({ locations }: StatusData): string {
  return worstFirst
    .flatMap((verdict) => {
      const places = locations.filter((one) => one.verdict === verdict);
      const names = places.map(({ location }) => location);
      return places.length === 0 ? [] : [`${writeStatus(verdict)} from ${writeList(names)}`];
    })
    .join("; ");
}

const isBad = ({ verdict }: { readonly verdict: string }) =>
  verdict === "failing" || verdict === "degraded";

/**
 * Returns what the failure of a check seems to be caused by: a reason that identifies the cause,
 * the network of the probes if most checks fail, the path from some locations, or the host.
 */
export function findBlame(
  target: StatusData,
  { checks, counts, total }: GetStatusData,
): string | null {
  const names = target.why.flatMap(({ reasons }) => reasons.map(({ name }) => name));
  if (target.status === "passing" || target.status === "unknown") return null;
  if (names.includes("passed-against-expectation")) {
    return "The host answers, and this check fails because it is expected not to.";
  }
  const { culprits } = speechOf(target);
  const known = new Set(names.map((name) => culprits[name] ?? null));
  const [culprit = null] = known;
  if (known.size === 1 && culprit !== null) return culprit;
  const others = checks.filter(({ checkId }) => checkId !== target.checkId);
  const failing = counts.failing - (target.status === "failing" ? 1 : 0);
  if (failing >= 2 && failing >= (total - 1) / 2) {
    return "It looks like the network that the probes use, not the hosts: most checks fail at the same time.";
  }
  const bad = target.locations.filter(isBad);
  if (bad.length > 0 && target.locations.some(({ verdict }) => verdict === "passing")) {
    const isShared = bad.every(({ location }) => {
      const there = others.flatMap(({ locations }) =>
        locations.filter((one) => one.location === location),
      );
      return there.filter(isBad).length >= Math.max(1, there.length / 2);
    });
    return isShared
      ? "It looks like the place, not the host: from there other checks fail too, and from elsewhere this one passes."
      : "It looks like the network path from some places to the host: it passes from elsewhere, and other checks from those places pass.";
  }
  if (others.length === 0) return null;
  return "It looks like the host, or the network next to it: it fails while others pass.";
}
