import { speechOf } from "../../kinds.ts";
import { callTool, type Plan } from "../../plan.ts";
import { formatTime, quote, writeCount } from "../../wording.ts";
import {
  checkIdsOf,
  duringWindow,
  isAhead,
  isUnclear,
  pastWindow,
  requestCheckName,
  type Situation,
  spanOf,
} from "../situation.ts";
import { writeReason, writeStatus } from "./status-wording.ts";

const maxResults = 10;
/** Matches questions about a single run, such as "the last run" but not "the last runs". */
const onlyOne = /\b(?:last|latest|newest|recent) (?:result|run|measurement|sample)\b/i;

/**
 * Lists the newest runs of a check, optionally only those with one status or from some locations.
 */
export function* planResults(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "its results") || isAhead(situation)) return;
  const [checkId] = checkIdsOf(intent);
  if (checkId === undefined) {
    requestCheckName(situation);
    return;
  }
  const window = pastWindow(situation);
  const [verdict] = intent.statuses;
  const found = yield* callTool("list_results", {
    checkId,
    ...spanOf(window),
    ...(verdict === undefined ? {} : { verdict }),
    limit: intent.count ?? (onlyOne.test(intent.text) ? 1 : maxResults),
  });
  if (found === null) return;
  const { places } = intent.subject;
  const results = found.data.results.filter(
    ({ location }) => places.length === 0 || places.includes(location),
  );
  const kind = verdict === undefined ? "" : `${writeStatus(verdict)} `;
  if (results.length === 0) {
    answer.line(
      `${quote(found.data.name)} has no ${kind}results ${duringWindow(window)}: no data.`,
    );
    return;
  }
  const runs = results.length === 1 ? `${kind}run` : writeCount(results.length, `${kind}run`);
  answer.line(`The newest ${runs} of ${quote(found.data.name)} ${duringWindow(window)}:`);
  for (const result of results) {
    const figures = speechOf(found.data).describeResult(result);
    const why = result.verdict === "passing" ? "" : `; ${writeReason(result)}`;
    answer.item(
      `${formatTime(result.startedAt)} from ${result.location}: ${writeStatus(result.verdict)}, ${figures}${why}.${answer.cite(found, result.resultId)}`,
    );
  }
  const isWhole = intent.count === null && results.length > 1;
  if (found.data.isTruncated && isWhole) answer.line("Older ones match too.");
}
