import { callTool, type Found, type Plan } from "../../plan.ts";
import type { StatusName } from "../../reading/question.ts";
import type { GetStatusData, StatusData } from "../../tools/tool-data.ts";
import { quote, writeCount, writeList } from "../../wording.ts";
import { noteUnknown, type Situation } from "../situation.ts";
import { describeStatus, writeStatus } from "./status-wording.ts";

const maxListed = 10;
const maxStatuses = 50;

/** Answers questions about the status of all checks, optionally limited to tags or locations. */
export function* planOverview(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  noteUnknown(situation);
  const { tags, places } = intent.subject;
  const isWide = tags.length === 0 && intent.checkType === null;
  const found = isWide ? yield* callTool("get_status", {}) : yield* askChosen(situation);
  if (found === null) return;
  const isSeen = (check: StatusData) =>
    places.length === 0 || check.locations.some(({ location }) => places.includes(location));
  const checks = found.data.checks.filter(isSeen).map((check) => seenFrom(check, places));
  const scope = describeScope(situation);
  if (checks.length === 0) {
    const total = places.length > 0 ? 0 : found.data.total;
    if (total === 0) answer.line(`There are no checks${scope}: no data.`);
    return;
  }
  const isWhole = places.length === 0;
  const counts = isWhole ? found.data.counts : countStatuses(checks);
  const total = isWhole ? found.data.total : checks.length;
  const bad = checks.filter(({ status }) => status !== "passing").slice(0, maxListed);
  const summary = summarise(counts, { total, scope, requested: intent.statuses });
  // If a list follows, the summary cites no sources, because each list item cites its own source.
  answer.line(bad.length > 0 ? summary.replace(/\.$/, ":") : `${summary}${answer.cite(found)}`);
  listChecks(situation, found, checks);
}

function* askChosen(situation: Situation): Plan<Found<GetStatusData> | null> {
  const { subject, checkType } = situation.intent;
  const [tag] = subject.tags;
  const listed = yield* callTool("list_checks", {
    ...(tag === undefined ? {} : { tag }),
    ...(checkType === null ? {} : { checkType }),
    limit: 200,
  });
  if (listed === null) return null;
  const checkIds = listed.data.checks.slice(0, maxStatuses).map(({ checkId }) => checkId);
  if (checkIds.length === 0) {
    situation.answer.line(`There is no check${describeScope(situation)}: no data.`);
    return null;
  }
  const found = yield* callTool("get_status", { checkIds });
  if (found === null) return null;
  const counts = countStatuses(found.data.checks);
  return { ...found, data: { ...found.data, counts, total: found.data.checks.length } };
}

/**
 * Returns a copy of a check that contains only the given locations and the worst status from them.
 */
function seenFrom(check: StatusData, places: readonly string[]): StatusData {
  if (places.length === 0) return check;
  const locations = check.locations.filter(({ location }) => places.includes(location));
  const verdicts = new Set(locations.map(({ verdict }) => verdict));
  const status = (["failing", "degraded", "unknown", "passing"] as const).find((verdict) =>
    verdicts.has(verdict),
  );
  const why = check.why.filter(({ location }) => places.includes(location));
  return { ...check, status: status ?? "unknown", locations, why };
}

function countStatuses(checks: readonly StatusData[]): Record<StatusName, number> {
  const counts = { passing: 0, degraded: 0, failing: 0, unknown: 0 };
  for (const { status } of checks) counts[status] += 1;
  return counts;
}

function describeScope({ intent }: Situation): string {
  const { tags, places } = intent.subject;
  const kind = intent.checkType === null ? "" : ` of the kind ${intent.checkType}`;
  const tagged = tags[0] === undefined ? "" : ` with the tag ${quote(tags[0])}`;
  return `${kind}${tagged}${places.length === 0 ? "" : ` from ${writeList(places)}`}`;
}

function summarise(
  counts: Readonly<Record<StatusName, number>>,
  about: {
    readonly total: number;
    readonly scope: string;
    readonly requested: readonly StatusName[];
  },
): string {
  const { total, scope, requested } = about;
  const bad = (["failing", "degraded", "unknown"] as const).filter((status) => counts[status] > 0);
  if (bad.length === 0) {
    return total === 1
      ? `The only check${scope} is passing.`
      : `All ${total} checks${scope} are passing.`;
  }
  const parts = bad.map((status) => `${counts[status]} ${writeStatus(status)}`);
  const lead =
    counts.failing === 0 && requested.includes("failing") && !requested.includes("degraded")
      ? `Nothing is failing${scope}. `
      : "";
  return `${lead}${writeList(parts)}, ${counts.passing} passing, of ${writeCount(total, "check")}${lead === "" ? scope : ""}.`;
}

/**
 * Lists checks that are not passing, or only those with the requested statuses. A request for
 * failing checks also lists degraded ones. The worst come first, unless the question asks for the
 * longest or the most recent failure.
 */
function listChecks(
  situation: Situation,
  found: Found<GetStatusData>,
  checks: readonly StatusData[],
): void {
  const { intent, answer } = situation;
  const requested = intent.statuses.filter((status) => status !== "passing");
  const wanted: readonly StatusName[] =
    requested.length > 0 ? requested : ["failing", "degraded", "unknown"];
  const order: readonly StatusName[] = ["failing", "degraded", "unknown"];
  const listed = checks
    .filter(
      ({ status }) =>
        wanted.includes(status) || (wanted.includes("failing") && status === "degraded"),
    )
    .sort((left, right) => order.indexOf(left.status) - order.indexOf(right.status));
  const age = /\bLONGEST\b|\bfirst\b.*\bDOWN\b/.test(intent.canonical)
    ? 1
    : /\bDOWN\b.*\bLATEST\b/.test(intent.canonical)
      ? -1
      : 0;
  if (age !== 0) {
    listed.sort((left, right) => age * (left.since ?? "~").localeCompare(right.since ?? "~"));
  }
  for (const check of listed.slice(0, maxListed))
    answer.item(describeStatus(found, check, situation));
  const rest = listed.length - maxListed;
  if (rest > 0) answer.line(`And ${rest} more that are not passing.`);
}
