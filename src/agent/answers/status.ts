import type { GetStatusData, StatusData } from "../tool-shapes/check-data.ts";
import type { Found } from "../tool-shapes/tool-data.ts";
import { writeIncidentLine } from "./incidents.ts";
import type { Named } from "./names.ts";
import {
  checkIdsOf,
  during,
  findCheckType,
  isAhead,
  isUnclear,
  periodOf,
  placesOf,
  type Situation,
  scopesOf,
  spanOf,
  speechOf,
  statesOf,
} from "./situation.ts";
import {
  describePlaces,
  describeStatus,
  findBlame,
  worstFirst,
  writeStatus,
} from "./status-words.ts";
import { dayMs } from "./times.ts";
import { formatTime, quote, writeCount, writeDuration, writeList } from "./wording.ts";

const maxRuns = 2;
const maxCards = 3;

/** Describes the newest bad runs of a check in the words of its kind. */
async function explainRuns(
  { answer, lookup }: Situation,
  check: Pick<StatusData, "checkId" | "name" | "why">,
) {
  const runs = await Promise.all(
    check.why
      .slice(0, maxRuns)
      .map(({ resultId }) => lookup("get_result", { checkId: check.checkId, resultId })),
  );
  for (const run of runs) {
    if (run === null) continue;
    const { data } = run;
    const speech = speechOf(data);
    const cited = answer.cite(run, data.resultId);
    const findings = speech.describeRun(data).join("; ");
    answer.item(
      `${quote(check.name)} from ${data.location}${speech.describeDestination(data)} at ${formatTime(data.startedAt)}: ${findings}.${cited}`,
    );
    const evidence = speech.findEvidence(data);
    if (evidence !== null) answer.item(`From ${data.location}, ${evidence}.${cited}`);
    if (data.path) answer.item(`${data.path}${cited}`);
  }
}

/** Writes the last outage of a passing check, and its last failing run in a period. */
async function explainPast(situation: Situation, check: StatusData) {
  const { answer, lookup, slots } = situation;
  const period = periodOf(situation, 30 * dayMs);
  const { checkId } = check;
  const isPast = slots.periods.length > 0 || /\bwhy\b/.test(slots.text);
  const [changes, bad] = await Promise.all([
    lookup("list_state_changes", { checkId, ...spanOf(period) }),
    isPast
      ? lookup("list_results", { checkId, ...spanOf(period), verdict: "failing", limit: 1 })
      : null,
  ]);
  const index =
    changes?.data.changes.findIndex(
      ({ toStatus }) => toStatus === "failing" || toStatus === "degraded",
    ) ?? -1;
  const last = changes?.data.changes[index];
  if (changes && last !== undefined) {
    const end = changes.data.changes[index - 1];
    const lasted =
      end === undefined ? "" : ` for ${writeDuration(Date.parse(end.at) - Date.parse(last.at))}`;
    answer.item(
      `It was last ${last.toStatus} at ${formatTime(last.at)}${lasted}.${answer.cite(changes, checkId)}`,
    );
  } else if (changes) {
    answer.item(
      `It has not been failing or degraded ${during(period)}.${answer.cite(changes, checkId)}`,
    );
  }
  const [run] = bad?.data.results ?? [];
  if (bad !== null && run !== undefined) await explainRuns(situation, { ...check, why: [run] });
}

/** The card of one check: state, locations, cause, runs, last outage, and its open alert. */
async function writeCard(
  situation: Situation,
  found: Found<GetStatusData>,
  check: StatusData,
  all: GetStatusData | null,
) {
  const { answer, lookup, slots } = situation;
  const { checkId } = check;
  answer.line(`${answerYesNo(situation, [check])}${describeStatus(found, check, situation)}`);
  const cited = answer.cite(found, checkId);
  if (check.muted) answer.item(`It is muted: it sends no alerts.${cited}`);
  else if (/\bmuted\b/.test(slots.text)) answer.item(`It is not muted.${cited}`);
  if (check.locations.length > 1) answer.item(`${describePlaces(check)}.${cited}`);
  const places = placesOf(situation);
  for (const place of places) {
    const own = check.locations.find(({ location }) => location === place);
    answer.item(
      `from ${place}: ${own === undefined ? "no data" : writeStatus(own.verdict)}.${cited}`,
    );
  }
  const blame = all === null ? null : findBlame(check, all);
  if (blame !== null) answer.item(blame);
  const isBadNow = check.status === "failing" || check.status === "degraded";
  if (isBadNow) await explainRuns(situation, check);
  if (check.since !== null && (check.status === "passing" || slots.periods.length > 0)) {
    await explainPast(situation, check);
  }
  if (!isBadNow) return;
  const alerts = await lookup("list_alerts", { checkId });
  for (const { openedAt, acknowledgedAt } of alerts?.data.alerts ?? []) {
    const acked =
      acknowledgedAt === null
        ? "not acknowledged"
        : `acknowledged at ${formatTime(acknowledgedAt)}`;
    answer.item(
      `Its alert is open since ${formatTime(openedAt)}, ${acked}.${alerts ? answer.cite(alerts, checkId) : ""}`,
    );
  }
}

/** Returns the yes or no before the answer to a question such as "is it up?". */
function answerYesNo(
  { slots }: Situation,
  checks: readonly StatusData[],
  hasIncident = false,
): string {
  if (!/^(?:is|are|does)\b/.test(slots.text) || /\bnot\b|\bmuted\b|\bor\b/.test(slots.text))
    return "";
  const [asked, ...others] = statesOf(slots);
  if (asked === undefined || others.length > 0) return "";
  if (hasIncident) return asked === "passing" ? "No: " : "Yes: ";
  if (checks.some(({ status }) => status === "unknown")) return "";
  const isSo =
    asked === "passing"
      ? checks.every(({ status }) => status === "passing")
      : checks.some(({ status }) => status === asked);
  return isSo ? "Yes: " : "No: ";
}

function writeCounts(checks: readonly StatusData[]): string {
  const count = (status: StatusData["status"]) =>
    checks.filter((check) => check.status === status).length;
  const bad = worstFirst.slice(1, 3).filter((status) => count(status) > 0);
  const parts = [
    `${count("failing")} failing`,
    ...bad.map((status) => `${count(status)} ${writeStatus(status)}`),
  ];
  return `${writeList(parts)}, ${count("passing")} passing, of ${writeCount(checks.length, "check")}`;
}

const maxListed = 15;

function writeLines(
  situation: Situation,
  found: Found<GetStatusData>,
  checks: readonly StatusData[],
): void {
  const { answer } = situation;
  const sorted = checks.toSorted(
    (one, other) => worstFirst.indexOf(one.status) - worstFirst.indexOf(other.status),
  );
  const wanted: readonly StatusData["status"][] = statesOf(situation.slots).filter(
    (status) => status !== "passing",
  );
  const isOnly =
    /\bonly\b|\bones\b|\bwhich\b|\bwhat is (?:degraded|failing)\b/.test(situation.slots.text) &&
    wanted.length === 1;
  const bad = sorted
    .filter(({ status }) => status !== "passing")
    .filter(({ status }) => !isOnly || wanted.includes(status));
  for (const check of bad.slice(0, maxListed)) answer.item(describeStatus(found, check, situation));
  if (bad.length > maxListed) answer.line(`And ${bad.length - maxListed} more.`);
  const passing = sorted.filter(({ status }) => status === "passing");
  if (bad.length > 0 && !isOnly && passing.length > 0 && passing.length <= 8) {
    const cited = answer.cite(found, ...passing.map(({ checkId }) => checkId));
    answer.item(
      `passing: ${writeList(
        passing.map(({ name }) => quote(name)),
        8,
      )}.${cited}`,
    );
  }
}

/** State of several checks: counts, then one line each, worst first, and why the worst fails. */
async function writeSeveral(
  situation: Situation,
  found: Found<GetStatusData>,
  { scope, hasIncident = false }: { readonly scope: string; readonly hasIncident?: boolean },
) {
  const { answer } = situation;
  const { checks } = found.data;
  const [only, ...others] = checks;
  const lead = answerYesNo(situation, checks, hasIncident);
  if (only !== undefined && others.length === 0) {
    answer.line(`${lead}${scope} has one check: ${describeStatus(found, only, situation)}`);
  } else
    answer.line(
      `${lead}${scope}${scope === "" ? "" : ": "}${writeCounts(checks)}.${answer.cite(found)}`,
    );
  if (others.length > 0) writeLines(situation, found, checks);
  const worst =
    checks.find(({ status }) => status === "failing") ??
    checks.find(({ status }) => status === "degraded");
  if (worst !== undefined) await explainRuns(situation, worst);
}

/** One service, group or tag: its checks and the open incidents of a service. */
async function writeScope(situation: Situation, scope: Named) {
  const { answer, lookup, slots } = situation;
  const nouns: Readonly<Record<string, string>> = {
    service: "the service",
    group: "the group",
    tag: "the tag",
  };
  const noun = `${nouns[scope.kind] ?? ""} ${quote(scope.name)}`;
  const excluded = new Set(
    slots.excluded.flatMap(({ things }) => things.flatMap((one) => one.checkIds)),
  );
  const checkIds = scope.checkIds.filter((id) => !excluded.has(id)).slice(0, 100);
  const [found, incidents] = await Promise.all([
    checkIds.length === 0 ? null : lookup("get_status", { checkIds }),
    scope.kind === "service" ? lookup("list_incidents", { status: "ongoing" }) : null,
  ]);
  const open = (incidents?.data.incidents ?? []).filter(({ services }) =>
    services.includes(scope.name),
  );
  if (found === null) {
    answer.line(
      `${answerYesNo(situation, [], open.length > 0)}No check belongs to ${noun}.${open.length === 0 && scope.kind === "service" ? " No incident is open." : ""}`,
    );
  } else {
    await writeSeveral(situation, found, { scope: noun, hasIncident: open.length > 0 });
  }
  for (const incident of open) if (incidents) writeIncidentLine(situation, incidents, incident);
}

/** Answers how things are: one check, a service, a group, a tag, a location, or everything. */
export async function answerStatus(situation: Situation): Promise<void> {
  const { slots, answer, lookup } = situation;
  if (isUnclear(situation)) {
    if (slots.names.length === 0) await writeOverview(situation);
    return;
  }
  if (isAhead(situation)) return;
  const scopes = scopesOf(slots);
  const scoped = new Set(scopes.flatMap(({ checkIds }) => checkIds));
  const checkIds = checkIdsOf(situation).filter((id) => !scoped.has(id) || scopes.length === 0);
  const named = slots.names.some(({ things }) => things[0]?.kind === "check") ? checkIds : [];
  for (const scope of scopes.slice(0, maxCards)) await writeScope(situation, scope);
  if (named.length > 0) {
    const [found, all] = await Promise.all([
      lookup("get_status", { checkIds: named }),
      lookup("get_status", {}),
    ]);
    if (found === null) return;
    for (const id of found.data.notFound) answer.line(`There is no check ${quote(id)} here.`);
    if (found.data.checks.length > maxCards) await writeSeveral(situation, found, { scope: "" });
    else
      for (const check of found.data.checks)
        await writeCard(situation, found, check, all?.data ?? null);
  }
  if (scopes.length === 0 && named.length === 0) await writeOverview(situation);
  for (const { things } of slots.names) {
    const others = things.filter(({ kind }) => kind === "page" || kind === "dashboard");
    for (const { kind, name } of others) {
      answer.line(
        `${quote(name)} is also the name of a ${kind === "page" ? "status page" : kind}.`,
      );
    }
  }
}

function filterChecks(situation: Situation, checks: readonly StatusData[]) {
  const places = placesOf(situation);
  const type = findCheckType(situation.slots.message);
  const ofType = type === null ? checks : checks.filter(({ checkType }) => checkType === type);
  if (places.length === 0)
    return { checks: ofType, about: type === null ? "" : ` of the kind ${type}` };
  const seen = ofType.flatMap((check) => {
    const there = check.locations.filter(({ location }) => places.includes(location));
    if (there.length === 0) return [];
    const status =
      worstFirst.find((one) => there.some(({ verdict }) => verdict === one)) ?? "unknown";
    const why = check.why.filter(({ location }) => places.includes(location));
    return [{ ...check, status, why, locations: there }];
  });
  return { checks: seen, about: ` from ${writeList(places)}` };
}

/** Everything: counts, what is not passing and why, what is muted, incidents and maintenance. */
async function writeOverview(situation: Situation): Promise<void> {
  const { answer, lookup, nowMs } = situation;
  const now = { from: new Date(nowMs).toISOString(), to: new Date(nowMs + 60_000).toISOString() };
  const [found, incidents, maintenance] = await Promise.all([
    lookup("get_status", {}),
    lookup("list_incidents", { status: "ongoing" }),
    lookup("list_maintenance", now),
  ]);
  if (found === null) return;
  const { checks, about } = filterChecks(situation, found.data.checks);
  if (checks.length === 0) {
    answer.line(`There is no check${about}.`);
    return;
  }
  const isBad = checks.some(({ status }) => status !== "passing");
  answer.line(
    isBad
      ? `${answerYesNo(situation, checks)}${writeCounts(checks)}${about}.${answer.cite(found)}`
      : `Nothing is failing: ${writeCount(checks.length, "check")}${about} passing.${answer.cite(found)}`,
  );
  writeLines(situation, found, checks);
  const muted = checks.filter((check) => check.muted);
  const paused = checks.filter((check) => !check.activated && check.since !== null);
  for (const [what, those] of [
    ["muted", muted],
    ["switched off", paused],
  ] as const) {
    if (those.length === 0) continue;
    const cited = answer.cite(found, ...those.map(({ checkId }) => checkId));
    answer.item(`${what}: ${writeList(those.map(({ name }) => quote(name)))}.${cited}`);
  }
  for (const sentence of found.data.sharedHops ?? []) answer.line(sentence);
  const [worst, next] = checks.filter(({ status }) => status === "failing");
  for (const one of [worst, next]) {
    const blame = one === undefined ? null : findBlame(one, found.data);
    if (one !== undefined && blame !== null)
      answer.item(`${quote(one.name)}: ${blame}${answer.cite(found, one.checkId)}`);
  }
  if (worst !== undefined) await explainRuns(situation, worst);
  for (const incident of incidents?.data.incidents ?? []) {
    if (incidents) writeIncidentLine(situation, incidents, incident);
  }
  for (const { windowId, name, endsAt } of maintenance?.data.windows ?? []) {
    const cited = maintenance ? answer.cite(maintenance, `maintenance-window-${windowId}`) : "";
    answer.item(`maintenance ${quote(name)} until ${formatTime(endsAt)}.${cited}`);
  }
}
