import { speechOf } from "../../kinds.ts";
import { callTool, type Plan, together } from "../../plan.ts";
import type { ListLocationsData, StatusData } from "../../tools/tool-data.ts";
import {
  addClause,
  formatTime,
  quote,
  writeAvailability,
  writeCount,
  writeList,
  writeMs,
} from "../../wording.ts";
import { comparePlaces } from "../figures/compare.ts";
import {
  checkIdsOf,
  describeWindow,
  isUnclear,
  pastWindow,
  type Situation,
  spanOf,
} from "../situation.ts";
import { reportMissing } from "./status.ts";
import { describePlaces, writeStatus } from "./status-wording.ts";

type Location = ListLocationsData["locations"][number];

/** Answers questions about the status of a check from each location. */
export function* planPlaces(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "the locations")) return;
  const checkIds = checkIdsOf(intent);
  if (checkIds.length === 0) return yield* planProbes(situation);
  if (/\b(?:SLOW|FAST)\b/.test(intent.canonical)) return yield* comparePlaces(situation, checkIds);
  const window = pastWindow(situation);
  const [status, figures] = yield* together(
    callTool("get_status", { checkIds }),
    callTool("get_statistics", { checkIds, ...spanOf(window), byLocation: true }),
  );
  if (status === null) return;
  for (const check of status.data.checks) {
    const name = quote(check.name);
    const seen = describePlaces(check);
    const cited = answer.cite(status, check.checkId, ...check.why.map(({ resultId }) => resultId));
    answer.line(`${name}: ${seen === "" ? "no data from any location" : seen}.${cited}`);
    const own = figures?.data.checks.find(({ checkId }) => checkId === check.checkId);
    if (figures === null || own?.byLocation === undefined) continue;
    if (own.byLocation.length > 0) answer.line(`In ${describeWindow(window)}:`);
    for (const place of own.byLocation) {
      answer.item(
        `${place.location}: availability ${writeAvailability(place.availabilityPercent)}${addClause(speechOf(own).describeFigures(place))}, average ${writeMs(place.latencyMs.avg)}.${answer.cite(figures, check.checkId)}`,
      );
    }
  }
  reportMissing(situation, status);
}

/** Answers which locations have a connected probe, and which checks fail from which location. */
export function* planProbes(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  const [found, status] = yield* together(
    callTool("list_locations", {}),
    callTool("get_status", {}),
  );
  if (found === null) return;
  const { places } = intent.subject;
  const locations = found.data.locations.filter(
    ({ region }) => places.length === 0 || places.includes(region),
  );
  if (locations.length === 0) {
    const where =
      places.length === 0
        ? "No location has a probe or a check"
        : `There is no probe and no check at ${writeList(places)}`;
    answer.line(`${where}: no data.${answer.cite(found)}`);
    return;
  }
  const silent = locations.filter(isSilent);
  const cited = answer.cite(found);
  answer.line(
    silent.length === 0
      ? `No location is silent: ${writeCount(locations.length, "location")} with a live probe.${cited}`
      : `${writeCount(silent.length, "location")} of ${locations.length} silent: ${writeList(silent.map(({ region }) => region))}.${cited}`,
  );
  for (const location of [...silent, ...locations.filter((one) => !isSilent(one))].slice(0, 25)) {
    answer.item(
      `${describeLocation(location)}${describeFailures(location, status?.data.checks ?? [])}${cited}`,
    );
  }
}

function isSilent({ servedBy, probes }: Location): boolean {
  return servedBy === "nobody" || (probes.length > 0 && probes.every(({ isAlive }) => !isAlive));
}

function describeLocation(location: Location): string {
  const { region, name, probes, servedBy, checks } = location;
  const place = name === region ? quote(region) : `${quote(region)} (${quote(name)})`;
  const alive = probes.filter(({ isAlive }) => isAlive).length;
  const state =
    servedBy === "nobody"
      ? "no probe serves it"
      : servedBy === "built-in-probe"
        ? "served by the built-in probe"
        : `${alive} of ${writeCount(probes.length, "probe")} alive`;
  const lastSeen = probes
    .map(({ lastSeenAt }) => lastSeenAt)
    .sort()
    .at(-1);
  const since = alive === 0 && lastSeen !== undefined ? `, last seen ${formatTime(lastSeen)}` : "";
  return `${place}: ${state}${since}, ${writeCount(checks, "check")}`;
}

function describeFailures({ region }: Location, checks: readonly StatusData[]): string {
  const failing = checks.filter(({ locations }) =>
    locations.some(({ location, verdict }) => location === region && verdict === "failing"),
  );
  if (failing.length === 0) return ".";
  return `, ${failing.length} ${writeStatus("failing")} from there: ${writeList(
    failing.map(({ name }) => quote(name)),
    4,
  )}.`;
}
