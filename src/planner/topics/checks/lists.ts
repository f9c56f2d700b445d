import { callTool, type Found, type Plan } from "../../plan.ts";
import type { CheckBrief, ListChecksData } from "../../tools/tool-data.ts";
import { quote, writeCount, writeInterval, writeList } from "../../wording.ts";
import { describeScopes } from "../directory/scopes.ts";
import { checkIdsOf, noteUnknown, type Situation } from "../situation.ts";
import { writeStatus } from "./status-wording.ts";

const maxListed = 20;
/**
 * Maximum number of checks whose names the answer to "how many checks …?" contains. If the number
 * of checks is higher, the answer contains no names.
 */
const maxNamed = 8;

function* askChecks(situation: Situation): Plan<Found<ListChecksData> | null> {
  const { intent } = situation;
  const { tags, places } = intent.subject;
  const [status] = intent.statuses;
  const found = yield* callTool("list_checks", {
    ...(tags[0] === undefined ? {} : { tag: tags[0] }),
    ...(places[0] === undefined ? {} : { location: places[0] }),
    ...(status === undefined ? {} : { status }),
    ...(intent.checkType === null ? {} : { checkType: intent.checkType }),
    limit: 200,
  });
  const ids = new Set(checkIdsOf(intent));
  if (found === null || ids.size === 0) return found;
  const checks = found.data.checks.filter(({ checkId }) => ids.has(checkId));
  return { ...found, data: { checks, total: checks.length } };
}

function describeFilter(situation: Situation): string {
  const { intent } = situation;
  const { tags, places } = intent.subject;
  const [status] = intent.statuses;
  const parts = [
    status === undefined ? "" : ` ${writeStatus(status)}`,
    intent.checkType === null ? "" : ` of the kind ${intent.checkType}`,
    intent.isMuted ? " muted" : "",
    intent.isPaused ? " switched off" : "",
    tags[0] === undefined ? "" : ` with the tag ${quote(tags[0])}`,
    places[0] === undefined ? "" : ` run from ${places[0]}`,
    describeScopes(situation),
  ];
  return parts.join("");
}

function keep({ intent }: Situation, found: Found<ListChecksData>): readonly CheckBrief[] {
  return found.data.checks.filter(
    ({ muted, activated }) => (!intent.isMuted || muted) && (!intent.isPaused || !activated),
  );
}

export function* planCount(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  noteUnknown(situation);
  const found = yield* askChecks(situation);
  if (found === null) return;
  const isCut = intent.isMuted || intent.isPaused;
  const checks = keep(situation, found);
  const count = isCut ? checks.length : found.data.total;
  const filter = describeFilter(situation);
  const isShort = filter !== "" && count > 0 && checks.length <= maxNamed;
  const names = isShort
    ? `: ${writeList(
        checks.map(({ name }) => quote(name)),
        maxNamed,
      )}`
    : "";
  const ids = checks.slice(0, isShort ? maxNamed : 1).map(({ checkId }) => checkId);
  const cited = count > 0 ? answer.cite(found, ...ids) : "";
  answer.line(`${count === 0 ? "No check" : writeCount(count, "check")}${filter}${names}.${cited}`);
  if (count === 0 || filter !== "") return;
  const groups = (["failing", "degraded", "unknown", "passing"] as const).flatMap((status) => {
    const own = checks.filter((check) => check.status === status).length;
    return own === 0 ? [] : [`${own} ${writeStatus(status)}`];
  });
  answer.line(`${writeList(groups)}.${answer.cite(found, checks[0]?.checkId ?? "")}`);
}

export function* planList(situation: Situation): Plan<void> {
  const { answer } = situation;
  noteUnknown(situation);
  const found = yield* askChecks(situation);
  if (found === null) return;
  const checks = keep(situation, found);
  const filter = describeFilter(situation);
  if (checks.length === 0) {
    answer.line(`There is no check${filter}.`);
    return;
  }
  const total = checks.length < found.data.checks.length ? checks.length : found.data.total;
  answer.line(`${writeCount(total, "check")}${filter}:`);
  for (const check of checks.slice(0, maxListed)) {
    answer.item(`${describeCheck(check)}${answer.cite(found, check.checkId)}`);
  }
  if (total > maxListed) answer.line(`And ${total - Math.min(maxListed, checks.length)} more.`);
}

function describeCheck(check: CheckBrief): string {
  const { name, status, muted, activated, tags, everySeconds, locations } = check;
  const notes = [activated ? "" : "switched off", muted ? "muted" : ""].filter(Boolean).join(", ");
  const tagged =
    tags.length === 0
      ? ""
      : `, tags ${writeList(
          tags.map((tag) => quote(tag)),
          4,
        )}`;
  const from = locations.length === 0 ? "" : ` from ${writeList([...locations], 4)}`;
  return `${quote(name)} (${quote(check.hostname)}): ${writeStatus(status)}${notes === "" ? "" : `, ${notes}`}, every ${writeInterval(everySeconds)}${from}${tagged}.`;
}
