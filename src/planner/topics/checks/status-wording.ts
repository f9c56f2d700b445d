import type { Answer } from "../../answer.ts";
import { allOwnReasons, isSeenFromPlaces } from "../../kinds.ts";
import type { Found } from "../../plan.ts";
import type { Intent, StatusName } from "../../reading/question.ts";
import type { GetStatusData, ResultBrief, StatusData } from "../../tools/tool-data.ts";
import { formatTime, quote, writeDuration, writeList } from "../../wording.ts";

const statusWords = {
  failing: "failing",
  degraded: "degraded",
  passing: "passing",
  unknown: "without data",
} as const;

export function writeStatus(status: StatusData["status"]): string {
  return statusWords[status];
}

/**
 * Returns the text of the first relevant reason of a result. Quotes text that was not written by
 * this service.
 */
export function writeReason(result: ResultBrief): string {
  // The first reason of an inverted check that fails is "all within limits"; the relevant one
  // follows.
  const relevant = result.reasons.filter(({ name }) => name !== "all-within-limits");
  const [reason] = relevant.length > 0 ? relevant : result.reasons;
  if (reason === undefined) return "no reason was recorded";
  const isOwn = allOwnReasons.has(reason.name);
  if (isOwn || /^(?:response-time|all-within|failed-as|passed-against)/.test(reason.name)) {
    return reason.text;
  }
  return `${reason.name.replaceAll("-", " ")}: ${quote(reason.text, 200)}`;
}

/**
 * Describes the status of a check, as in "`edge` has been failing since … (2 h), 7 runs in a row:
 * 40 % of the packets were lost … [1][2]".
 */
export function describeStatus(
  found: Found<GetStatusData>,
  check: StatusData,
  { answer, nowMs }: { readonly answer: Answer; readonly nowMs: number },
): string {
  const name = quote(check.name);
  if (!check.activated && check.since === null) {
    return `${name} is switched off and has never run.${answer.cite(found, check.checkId)}`;
  }
  if (check.since === null) {
    return `${name} has no data yet: it has never run.${answer.cite(found, check.checkId)}`;
  }
  const lasting = writeDuration(nowMs - Date.parse(check.since));
  const row = check.consecutiveFailures > 1 ? `, ${check.consecutiveFailures} runs in a row` : "";
  const notes = [check.activated ? "" : "switched off", check.muted ? "muted" : ""].filter(Boolean);
  const note = notes.length > 0 ? ` (${notes.join(", ")})` : "";
  const state = `${name}${note} has been ${writeStatus(check.status)} since ${formatTime(check.since)} (${lasting})`;
  const [worst] = check.why;
  if (check.status === "passing" || worst === undefined) {
    const last = check.lastRunAt === null ? "" : `, last run ${formatTime(check.lastRunAt)}`;
    return `${state}${last}.${answer.cite(found, check.checkId)}`;
  }
  // Cites the run as evidence, because its source also names the check. Cites the check if the run
  // has no source.
  const cited = answer.cite(found, worst.resultId) || answer.cite(found, check.checkId);
  const from = isSeenFromPlaces(check) ? `, seen from ${worst.location}` : "";
  return `${state}${row}: ${writeReason(worst)}${from}.${cited}`;
}

/** Describes the status of a check per location, as in "failing from a and b; passing from c". */
export function describePlaces(check: StatusData): string {
  const groups = (["failing", "degraded", "unknown", "passing"] as const).flatMap((verdict) => {
    const places = check.locations
      .filter((location) => location.verdict === verdict)
      .map(({ location }) => location);
    return places.length === 0 ? [] : [`${writeStatus(verdict)} from ${writeList(places)}`];
  });
  return groups.join("; ");
}

/** Returns the yes or no that starts the answer to a question such as "is it up?". */
export function answerYesNo(intent: Intent, status: StatusName): string {
  const [requested, ...others] = intent.statuses;
  const isClosed = /^(?:ALSO )?(?:is|are|does|do)\b/.test(intent.canonical);
  const isPlain =
    requested !== undefined && others.length === 0 && !intent.isMuted && !intent.isPaused;
  if (!isClosed || !isPlain || status === "unknown" || /\bNOT\b/.test(intent.canonical)) return "";
  const isSo = requested === "passing" ? status === "passing" : status === requested;
  return isSo ? "Yes: " : "No: ";
}
