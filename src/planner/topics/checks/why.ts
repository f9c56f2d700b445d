import { speechOf } from "../../kinds.ts";
import { callTool, callToolEach, type Found, type Plan } from "../../plan.ts";
import { dayMs } from "../../reading/moment.ts";
import type { GetStatusData, StatusData } from "../../tools/tool-data.ts";
import { formatTime, quote } from "../../wording.ts";
import {
  fetchOpenIncidents,
  openIncidentsOf,
  planScopes,
  scopesOf,
  writeOpenIncident,
} from "../directory/scopes.ts";
import { planIncident } from "../events/incidents.ts";
import {
  checkIdsOf,
  duringWindow,
  isAhead,
  isUnclear,
  pastWindow,
  type Situation,
  spanOf,
} from "../situation.ts";
import { planOverview } from "./overview.ts";
import { planProbes } from "./places.ts";
import { reportMissing } from "./status.ts";
import { describePlaces, describeStatus, writeReason } from "./status-wording.ts";

const maxRuns = 2;

/** Maximum number of checks that one answer explains in detail. */
const maxExplained = 2;

export function* planWhy(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (intent.subject.incidents.length > 0) return yield* planIncident(situation);
  const isBare = scopesOf(situation).length > 0 && checkIdsOf(intent).length === 0;
  if (isBare) return yield* planScopes(situation);
  if (isUnclear(situation, "why")) return;
  const checkIds = checkIdsOf(intent);
  if (checkIds.length === 0 && intent.subject.places.length > 0) {
    return yield* planProbes(situation);
  }
  if (checkIds.length === 0) return yield* explainOverview(situation);
  if (isAhead(situation)) return;
  const found = yield* callTool("get_status", { checkIds });
  if (found === null) return;
  const isScope = scopesOf(situation).length > 0;
  const troubled = found.data.checks.filter(({ status }) => status !== "passing");
  // If a service or a group has checks that are not passing, explain only those.
  const meant =
    isScope && troubled.length > 0 ? troubled.slice(0, maxExplained) : found.data.checks;
  for (const check of meant) {
    const isPast = intent.window !== null || check.status === "passing";
    if (isPast) yield* explainPast(situation, found, check);
    else yield* explainNow(situation, found, check);
  }
  reportMissing(situation, found);
  yield* writeIncidents(situation);
  if (answer.isEmpty) answer.line("There is no data about that.");
}

/** Adds the open incidents of the named services to the explanation. */
function* writeIncidents(situation: Situation): Plan<void> {
  const scopes = scopesOf(situation);
  const found = yield* fetchOpenIncidents(scopes);
  if (found === null) return;
  const open = scopes.flatMap((scope) => openIncidentsOf(found, scope));
  for (const incident of open) writeOpenIncident(situation, found, incident);
}

/**
 * Answers a question that names no check. Gives an overview and, unless tags or locations are
 * named, explains one failing check in full.
 */
function* explainOverview(situation: Situation): Plan<void> {
  yield* planOverview(situation);
  const { tags, places } = situation.intent.subject;
  if (tags.length + places.length > 0) return;
  const found = yield* callTool("get_status", {});
  for (const sentence of found?.data.sharedHops ?? []) situation.answer.line(sentence);
  const worst = found?.data.checks.find(({ status }) => status === "failing");
  if (found && worst) yield* explainRuns(situation, worst);
}

function* explainNow(
  situation: Situation,
  found: Found<GetStatusData>,
  check: StatusData,
): Plan<void> {
  const { answer } = situation;
  answer.line(describeStatus(found, check, situation));
  const cited = answer.cite(found, check.checkId);
  if (check.locations.length > 1) answer.item(`${describePlaces(check)}.${cited}`);
  yield* explainRuns(situation, check);
}

function* explainRuns({ answer }: Situation, check: StatusData): Plan<void> {
  const runs = check.why.slice(0, maxRuns);
  if (runs.length === 0) return;
  const details = yield* callToolEach(
    "get_result",
    runs.map(({ resultId }) => ({ checkId: check.checkId, resultId })),
  );
  for (const run of details) {
    if (run === null) continue;
    const { location, startedAt, resultId } = run.data;
    const speech = speechOf(run.data);
    const to = speech.describeDestination(run.data);
    answer.item(
      `${quote(check.name)} from ${location}${to} at ${formatTime(startedAt)}: ${speech.describeRun(run.data).join("; ")}.${answer.cite(run, resultId)}`,
    );
    if (run.data.path) answer.item(`${run.data.path}${answer.cite(run, resultId)}`);
  }
}

/**
 * Explains the last failing run in the requested time window or in the last 7 days. Used for a
 * passing check and for questions about the past.
 */
function* explainPast(
  situation: Situation,
  found: Found<GetStatusData>,
  check: StatusData,
): Plan<void> {
  const { answer } = situation;
  const window = pastWindow(situation, 7 * dayMs);
  answer.line(describeStatus(found, check, situation));
  const bad = yield* callTool("list_results", {
    checkId: check.checkId,
    ...spanOf(window),
    verdict: "failing",
    limit: 1,
  });
  const [last] = bad?.data.results ?? [];
  if (bad === null) return;
  if (last === undefined) {
    answer.line(
      `It has no failing run ${duringWindow(window)}.${answer.cite(found, check.checkId)}`,
    );
    return;
  }
  answer.line(
    `Its last failing run ${duringWindow(window)} was at ${formatTime(last.startedAt)} from ${last.location}: ${writeReason(last)}.${answer.cite(bad, last.resultId)}`,
  );
  yield* explainRuns(situation, { ...check, why: [last] });
}
