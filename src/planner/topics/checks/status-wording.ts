import type { Answer } from "../../answer.ts";
import { allOwnReasons, isSeenFromPlaces } from "../../kinds.ts";
import type { Found } from "../../plan.ts";
import type { Intent, StatusName } from "../../reading/question.ts";
import type { GetStatusData, ResultBrief, StatusData } from "../../tools/tool-data.ts";
import { quote, writeDuration, writeList, writeMoment } from "../../wording.ts";

const statusWords = {
  failing: "failing",
  degraded: "degraded",
  passing: "passing",
  unknown: "without data",
} as const;

export function writeStatus(status: StatusData["status"]): string {
  return statusWords[status];
}

/** The first reason of a result; the words of a probe or a resolver are other people's text. */
export function writeReason(result: ResultBrief): string {
  // What was within its limits is why a check passes; one that is to fail says so besides.
  const telling = result.reasons.filter(({ name }) => name !== "all-within-limits");
  const [reason] = telling.length > 0 ? telling : result.reasons;
  if (reason === undefined) return "no reason was recorded";
  const isOwn = allOwnReasons.has(reason.name);
  if (isOwn || /^(?:response-time|all-within|failed-as|passed-against)/.test(reason.name)) {
    return reason.text;
  }
  return `${reason.name.replaceAll("-", " ")}: ${quote(reason.text, 200)}`;
}

/**
 * "`edge` has been failing since … (2 h), 7 runs in a row: 40 % of the packets were lost … [1][2]".
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
  const state = `${name}${note} has been ${writeStatus(check.status)} since ${writeMoment(check.since)} (${lasting})`;
  const [worst] = check.why;
  if (check.status === "passing" || worst === undefined) {
    const last = check.lastRunAt === null ? "" : `, last run ${writeMoment(check.lastRunAt)}`;
    return `${state}${last}.${answer.cite(found, check.checkId)}`;
  }
  // The result is the evidence, and names its check.
  const cited = answer.cite(found, worst.resultId) || answer.cite(found, check.checkId);
  const from = isSeenFromPlaces(check) ? `, seen from ${worst.location}` : "";
  return `${state}${row}: ${writeReason(worst)}${from}.${cited}`;
}

/** "failing from a and b; passing from c". */
export function describePlaces(check: StatusData): string {
  const groups = (["failing", "degraded", "unknown", "passing"] as const).flatMap((verdict) => {
    const places = check.locations
      .filter((location) => location.verdict === verdict)
      .map(({ location }) => location);
    return places.length === 0 ? [] : [`${writeStatus(verdict)} from ${writeList(places)}`];
  });
  return groups.join("; ");
}

/** "is it up?" is answered before it is explained. */
export function answerYesNo(intent: Intent, status: StatusName): string {
  const [asked, ...others] = intent.statuses;
  const isClosed = /^(?:ALSO )?(?:is|are|does|do)\b/.test(intent.canonical);
  const isPlain = asked !== undefined && others.length === 0 && !intent.isMuted && !intent.isPaused;
  if (!isClosed || !isPlain || status === "unknown" || /\bNOT\b/.test(intent.canonical)) return "";
  const isSo = asked === "passing" ? status === "passing" : status === asked;
  return isSo ? "Yes: " : "No: ";
}
