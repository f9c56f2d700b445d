import { callTool, type Found, type Plan } from "../../plan.ts";
import { dayMs } from "../../reading/moment.ts";
import type { GetStatusData, StatusData } from "../../tools/tool-data.ts";
import { formatTime, quote, writeDuration } from "../../wording.ts";
import { isScope, planScopes, scopesOf } from "../directory/scopes.ts";
import { planChanges } from "../events/changes.ts";
import { checkIdsOf, isAhead, isUnclear, type Situation, spanOf } from "../situation.ts";
import { planOverview } from "./overview.ts";
import { answerYesNo, describePlaces, describeStatus } from "./status-wording.ts";

/** Answers questions about the current or past status of a check. */
export function* planStatus(situation: Situation): Plan<void> {
  const { intent } = situation;
  if (intent.window === null && scopesOf(situation).length > 0) return yield* planScopes(situation);
  if (isUnclear(situation, "its status")) return;
  const checkIds = checkIdsOf(intent);
  if (checkIds.length === 0) return yield* planOverview(situation);
  if (intent.window !== null) {
    return isAhead(situation) ? undefined : yield* planChanges(situation);
  }
  const found = yield* callTool("get_status", { checkIds });
  if (found === null) return;
  for (const check of found.data.checks) writeCheck(situation, found, check);
  reportMissing(situation, found);
  const scopes = intent.subject.namesakes.filter(isScope);
  if (scopes.length > 0) yield* planScopes(situation, scopes);
}

function writeCheck(situation: Situation, found: Found<GetStatusData>, check: StatusData): void {
  const { answer, intent } = situation;
  const { places } = intent.subject;
  const isPlaced = places.length > 0;
  answer.line(
    `${isPlaced ? "" : answerYesNo(intent, check.status)}${describeStatus(found, check, situation)}`,
  );
  const cite = () => answer.cite(found, check.checkId);
  if (intent.isMuted) {
    answer.line(
      `${check.muted ? "It is muted: it notifies nobody." : "It is not muted."}${cite()}`,
    );
  }
  if (intent.isPaused) {
    answer.line(`${check.activated ? "It is switched on." : "It is switched off."}${cite()}`);
  }
  const seen = check.locations.filter(({ location }) => places.includes(location));
  for (const { location, verdict, at } of seen) {
    answer.item(`from ${location}: ${verdict}, last run ${formatTime(at)}.${cite()}`);
  }
  for (const place of places) {
    if (check.locations.some(({ location }) => location === place)) continue;
    answer.item(`from ${place}: no data, ${quote(check.name)} has no result from there.${cite()}`);
  }
  if (places.length > 0 || check.locations.length < 2) return;
  answer.item(`${describePlaces(check)}.${cite()}`);
}

export function reportMissing({ answer }: Situation, found: Found<GetStatusData>): void {
  for (const id of found.data.notFound) answer.line(`There is no check ${quote(id)} here.`);
}

/** Answers how long a check has had its status. If no check is named, gives an overview. */
export function* planSince(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "since when")) return;
  const checkIds = checkIdsOf(intent);
  if (checkIds.length === 0) return yield* planOverview(situation);
  const found = yield* callTool("get_status", { checkIds });
  if (found === null) return;
  for (const check of found.data.checks) {
    answer.line(describeStatus(found, check, situation));
    if (check.status === "passing" && !intent.statuses.includes("passing")) {
      yield* writeLastTrouble(situation, found, check);
    }
  }
  reportMissing(situation, found);
}

const lookBackMs = 30 * dayMs;

/**
 * Adds a line about the last time a passing check was failing or degraded: when the problem began,
 * and how long it lasted. Only the last 30 days are searched.
 */
function* writeLastTrouble(
  { answer, nowMs }: Situation,
  found: Found<GetStatusData>,
  check: StatusData,
): Plan<void> {
  const span = spanOf({ fromMs: nowMs - lookBackMs, toMs: nowMs, label: "" });
  const changes = yield* callTool("list_state_changes", { checkId: check.checkId, ...span });
  if (changes === null) return;
  const cited = answer.cite(found, check.checkId);
  const list = changes.data.changes;
  const index = list.findIndex(({ toStatus }) => toStatus === "failing" || toStatus === "degraded");
  const trouble = list[index];
  if (trouble === undefined) {
    answer.line(`It has not been failing or degraded in the last 30 days.${cited}`);
    return;
  }
  // Changes are listed newest first, so the change that followed has the previous index.
  const end = list[index - 1];
  const lasted =
    end === undefined ? "" : ` for ${writeDuration(Date.parse(end.at) - Date.parse(trouble.at))}`;
  answer.line(
    `It was last ${trouble.toStatus} at ${formatTime(trouble.at)}${lasted}.${answer.cite(changes, check.checkId)}`,
  );
}
