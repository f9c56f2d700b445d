import { callTool, type Found, type Plan } from "../../plan.ts";
import type { KnownThing } from "../../reading/vocabulary.ts";
import type { ListServicesData } from "../../tools/tool-data.ts";
import { quote, writeCount, writeList } from "../../wording.ts";
import { writeStatus } from "../checks/status-wording.ts";
import { duringWindow, isUnclear, pastWindow, type Situation, spanOf } from "../situation.ts";
import { scopesOf } from "./scopes.ts";

type Service = ListServicesData["services"][number];
type Member = Service["checks"][number];

const maxListed = 20;

/** Summarises the statuses of checks, as in "2 failing and 1 passing of 3 checks". */
function describeMembers(checks: readonly Member[]): string {
  if (checks.length === 0) return "no checks";
  const counts = (["failing", "degraded", "unknown", "passing"] as const).flatMap((status) => {
    const count = checks.filter((check) => check.status === status).length;
    return count === 0 ? [] : [{ status, count }];
  });
  const [only] = counts;
  if (counts.length === 1 && only !== undefined) {
    return `${checks.length === 1 ? "its check is" : `all ${checks.length} checks are`} ${writeStatus(only.status)}`;
  }
  const parts = counts.map(({ status, count }) => `${count} ${writeStatus(status)}`);
  return `${writeList(parts)}, of ${writeCount(checks.length, "check")}`;
}

/** Lists the checks of a service or a group, or the groups and services that contain a check. */
export function* planMembers(situation: Situation): Plan<void> {
  const scopes = scopesOf(situation);
  if (scopes.length > 0) return yield* listMembers(situation, scopes);
  if (isUnclear(situation, "where it belongs")) return;
  const { intent, answer, vocabulary } = situation;
  const [kind] = (["group", "service"] as const).filter((one) =>
    intent.canonical.includes(one.toUpperCase()),
  );
  const { checks } = intent.subject;
  if (checks.length === 0) return yield* planServices(situation);
  const found = yield* callTool("list_checks", { limit: 200 });
  for (const check of checks) {
    const homes = vocabulary.things.filter(
      (thing) =>
        thing.checkIds.includes(check.checkId) && (kind === undefined || thing.kind === kind),
    );
    const name = quote(check.name);
    const cited = found === null ? "" : answer.cite(found, check.checkId);
    answer.line(
      homes.length === 0
        ? `${name} belongs to no ${kind ?? "group or service"}.${cited}`
        : `${name} belongs to ${writeList(homes.map((home) => `the ${home.kind} ${quote(home.name)}`))}.${cited}`,
    );
  }
}

function* listMembers(situation: Situation, scopes: readonly KnownThing[]): Plan<void> {
  const { answer, intent } = situation;
  const ids = new Set(scopes.flatMap(({ checkIds }) => checkIds));
  const found = yield* callTool("list_checks", { limit: 200 });
  if (found === null) return;
  const known = new Map(found.data.checks.map((check) => [check.checkId, check]));
  for (const { kind, name, checkIds } of scopes) {
    const wanted = intent.statuses[0];
    const checks = checkIds
      .flatMap((id) => known.get(id) ?? [])
      .filter(({ status }) => wanted === undefined || status === wanted);
    if (checks.length === 0) {
      answer.line(`No check belongs to the ${kind} ${quote(name)}.`);
      continue;
    }
    answer.line(`The ${kind} ${quote(name)} has ${writeCount(checks.length, "check")}:`);
    for (const check of checks.slice(0, maxListed)) {
      answer.item(
        `${quote(check.name)} (${quote(check.hostname)}): ${writeStatus(check.status)}.${answer.cite(found, check.checkId)}`,
      );
    }
  }
  if (ids.size > maxListed) answer.line(`And ${ids.size - maxListed} more.`);
}

/** Lists groups with the statuses of their checks. */
export function* planGroups({ answer }: Situation): Plan<void> {
  const found = yield* callTool("list_groups", {});
  if (found === null) return;
  const { groups, isTruncated } = found.data;
  if (groups.length === 0) {
    answer.line("There are no groups.");
    return;
  }
  answer.line(`${writeCount(groups.length, "group")}${isTruncated ? " or more" : ""}:`);
  for (const { groupId, name, checks, muted, activated } of groups.slice(0, maxListed)) {
    const notes = `${activated ? "" : ", switched off"}${muted ? ", muted" : ""}`;
    answer.item(
      `${quote(name)}: ${describeMembers(checks)}${notes}.${answer.cite(found, `group-${groupId}`)}`,
    );
  }
  if (groups.length > maxListed) answer.line(`And ${groups.length - maxListed} more.`);
}

/** Lists services with their current or past state. */
export function* planServices(situation: Situation): Plan<void> {
  const { intent, nowMs } = situation;
  const isPast = intent.window !== null && intent.window.fromMs < nowMs;
  if (isPast) return yield* listTroubled(situation);
  const found = yield* callTool("list_services", {});
  if (found === null) return;
  const isBad = ({ incidents, checks }: Service) =>
    incidents.length > 0 || checks.some(({ status }) => status !== "passing");
  const asksBad = intent.statuses.some((status) => status === "failing" || status === "degraded");
  const { services } = found.data;
  const shown = asksBad ? services.filter(isBad) : services;
  writeServices(situation, found, { shown, asksBad });
}

function writeServices(
  { answer }: Situation,
  found: Found<ListServicesData>,
  { shown, asksBad }: { readonly shown: readonly Service[]; readonly asksBad: boolean },
): void {
  const { length } = found.data.services;
  if (length === 0) {
    answer.line("There are no services.");
    return;
  }
  if (shown.length === 0) {
    answer.line(`None of ${writeCount(length, "service")} is in trouble.${answer.cite(found)}`);
    return;
  }
  answer.line(
    asksBad
      ? `${shown.length} of ${writeCount(length, "service")} in trouble:`
      : `${writeCount(length, "service")}:`,
  );
  for (const { serviceId, name, checks, incidents } of shown.slice(0, maxListed)) {
    const open = incidents.map((one) => `${quote(one.name)} (${one.severity.toLowerCase()})`);
    const trouble = open.length === 0 ? "" : `; open incident ${writeList(open)}`;
    answer.item(
      `${quote(name)}: ${describeMembers(checks)}${trouble}.${answer.cite(found, serviceId)}`,
    );
  }
  if (shown.length > maxListed) answer.line(`And ${shown.length - maxListed} more.`);
}

/** Lists services that had an incident in a time window. */
function* listTroubled(situation: Situation): Plan<void> {
  const { answer } = situation;
  const window = pastWindow(situation);
  const found = yield* callTool("list_incidents", spanOf(window));
  if (found === null) return;
  const pairs = found.data.incidents.flatMap((incident) =>
    incident.services.map((service) => ({ service, incident })),
  );
  const byService = [...Map.groupBy(pairs, ({ service }) => service)];
  if (byService.length === 0) {
    answer.line(`No service had an incident ${duringWindow(window)}.${answer.cite(found)}`);
    return;
  }
  answer.line(
    `${writeCount(byService.length, "service")} had an incident ${duringWindow(window)}:`,
  );
  for (const [service, own] of byService.slice(0, maxListed)) {
    const names = own.map(({ incident }) => quote(incident.name));
    const ids = own.slice(0, 3).map(({ incident }) => incident.incidentId);
    answer.item(`${quote(service)}: ${writeList(names)}.${answer.cite(found, ...ids)}`);
  }
}
