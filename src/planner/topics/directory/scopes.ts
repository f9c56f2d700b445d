import { callTool, type Found, type Plan, settle, together } from "../../plan.ts";
import type { KnownThing } from "../../reading/vocabulary.ts";
import type {
  GetStatusData,
  IncidentBrief,
  ListIncidentsData,
  StatusData,
} from "../../tools/tool-data.ts";
import { formatTime, quote, writeCount, writeDuration, writeList } from "../../wording.ts";
import { answerYesNo, describeStatus, writeStatus } from "../checks/status-wording.ts";
import type { Situation } from "../situation.ts";

/**
 * Fetches open incidents for the services that the question names. If exactly one service is named,
 * fetches only its incidents. If several services are named, fetches all open incidents. Returns
 * `null` if no service is named.
 */
export function fetchOpenIncidents(
  things: readonly KnownThing[],
): Plan<Found<ListIncidentsData> | null> {
  const services = things.filter(({ kind }) => kind === "service");
  const [only] = services;
  if (only === undefined) return settle(null);
  const one = services.length === 1 ? { serviceId: only.id } : {};
  return callTool("list_incidents", { ...one, status: "ongoing" });
}

export function openIncidentsOf(
  found: Found<ListIncidentsData> | null,
  { kind, name }: KnownThing,
): readonly IncidentBrief[] {
  if (found === null || kind !== "service") return [];
  return found.data.incidents.filter(
    ({ services, resolvedAt }) => resolvedAt === null && services.includes(name),
  );
}

export function writeOpenIncident(
  { answer, nowMs }: Situation,
  found: Found<ListIncidentsData>,
  { incidentId, name, severity, status, startedAt }: IncidentBrief,
): void {
  const lasted = writeDuration(nowMs - Date.parse(startedAt));
  answer.item(
    `open incident ${quote(name)} (${severity.toLowerCase()}): ${status.toLowerCase()}, began ${formatTime(startedAt)}, open for ${lasted}.${answer.cite(found, incidentId)}`,
  );
}

const maxListed = 10;

export function isScope({ kind }: KnownThing): boolean {
  return kind === "service" || kind === "group";
}

/** Returns the services and groups that the question names. */
export function scopesOf({ intent }: Situation): KnownThing[] {
  return intent.subject.things.filter(isScope);
}

/**
 * Returns a phrase with the named services and groups, such as " of the service `Edge`", or an
 * empty string if none are named.
 */
export function describeScopes(situation: Situation): string {
  const scopes = scopesOf(situation);
  if (scopes.length === 0) return "";
  return ` of ${writeList(scopes.map(({ kind, name }) => `the ${kind} ${quote(name)}`))}`;
}

/** Answers questions about the state of a service or a group, its checks and its incidents. */
export function* planScopes(
  situation: Situation,
  scopes: readonly KnownThing[] = scopesOf(situation),
): Plan<void> {
  const checkIds = [...new Set(scopes.flatMap((scope) => scope.checkIds))].slice(0, 50);
  const [found, incidents] = yield* together(
    checkIds.length === 0 ? settle(null) : callTool("get_status", { checkIds }),
    fetchOpenIncidents(scopes),
  );
  for (const scope of scopes) {
    const checks = (found?.data.checks ?? []).filter(({ checkId }) =>
      scope.checkIds.includes(checkId),
    );
    const open = openIncidentsOf(incidents, scope);
    writeScope(situation, found, { scope, checks, open });
    if (incidents === null) continue;
    for (const incident of open) writeOpenIncident(situation, incidents, incident);
  }
}

const order = ["failing", "degraded", "unknown", "passing"] as const;

interface ScopeState {
  readonly scope: KnownThing;
  readonly checks: readonly StatusData[];
  readonly open: readonly IncidentBrief[];
}

/**
 * Returns the worst status of a service or a group. A critical or major open incident counts as
 * failing, any other open incident as degraded.
 */
function decideState({ checks, open }: ScopeState): StatusData["status"] {
  const reported = open.map(({ severity }) =>
    severity === "CRITICAL" || severity === "MAJOR" ? "failing" : "degraded",
  );
  const states = [...checks.map(({ status }) => status), ...reported];
  return order.find((status) => states.some((one) => one === status)) ?? "unknown";
}

function writeScope(
  situation: Situation,
  found: Found<GetStatusData> | null,
  state: ScopeState,
): void {
  const { answer, intent } = situation;
  const { scope, checks, open } = state;
  const name = quote(scope.name);
  const yesNo = answerYesNo(intent, decideState(state));
  const lead = yesNo === "" ? "The" : `${yesNo}the`;
  if (found === null || checks.length === 0) {
    const instead = open.length > 0 ? ", but this is open:" : ": no data.";
    answer.line(`${yesNo}No check belongs to the ${scope.kind} ${name}${instead}`);
    return;
  }
  const [only] = checks;
  if (checks.length === 1 && only !== undefined) {
    const one = describeStatus(found, only, situation);
    answer.line(`${lead} ${scope.kind} ${name} has one check: ${one}`);
    return;
  }
  const passing = checks.filter(({ status }) => status === "passing");
  const names = passing.map((one) => quote(one.name));
  if (passing.length === checks.length) {
    const cited = answer.cite(found, ...checks.slice(0, 3).map(({ checkId }) => checkId));
    answer.line(
      `${yesNo}All ${checks.length} checks of the ${scope.kind} ${name} are passing: ${writeList(names)}.${cited}`,
    );
    return;
  }
  writeTroubled(situation, found, { ...state, lead });
  const wantsOnlyBad = /\bSOLE\b/.test(intent.canonical);
  if (names.length > 0 && !wantsOnlyBad) answer.item(`passing: ${writeList(names)}.`);
}

function writeTroubled(
  situation: Situation,
  found: Found<GetStatusData>,
  { scope, checks, lead }: ScopeState & { readonly lead: string },
): void {
  const { answer } = situation;
  const counts = order.flatMap((status) => {
    const count = checks.filter((check) => check.status === status).length;
    return count === 0 ? [] : [`${count} ${writeStatus(status)}`];
  });
  answer.line(
    `${lead} ${scope.kind} ${quote(scope.name)}: ${writeList(counts)}, of ${writeCount(checks.length, "check")}:`,
  );
  const bad = checks
    .filter(({ status }) => status !== "passing")
    .toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
  for (const check of bad.slice(0, maxListed)) answer.item(describeStatus(found, check, situation));
  if (bad.length > maxListed) answer.line(`And ${bad.length - maxListed} more.`);
}
