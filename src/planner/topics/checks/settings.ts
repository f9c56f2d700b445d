import { speechOf } from "../../kinds.ts";
import { callTool, callToolEach, type Plan } from "../../plan.ts";
import type { GetCheckData } from "../../tools/tool-data.ts";
import { formatTime, quote, writeCount, writeInterval, writeList, writeMs } from "../../wording.ts";
import { checkIdsOf, isUnclear, requestCheckName, type Situation } from "../situation.ts";
import { writeStatus } from "./status-wording.ts";

const maxChecks = 3;

/** Describes a check: its target, interval, locations and limits. */
export function* planSettings(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "its settings")) return;
  const checkIds = checkIdsOf(intent);
  if (checkIds.length === 0) {
    requestCheckName(situation);
    return;
  }
  const found = yield* callToolEach(
    "get_check",
    checkIds.slice(0, maxChecks).map((checkId) => ({ checkId })),
  );
  for (const one of found) {
    if (one === null) continue;
    const { data } = one;
    const cited = answer.cite(one, data.checkId);
    answer.line(`${quote(data.name)} ${speechOf(data).describeTarget(data)}.${cited}`);
    for (const line of describeSettings(data)) answer.item(`${line}${cited}`);
  }
}

function describeSettings(check: GetCheckData): string[] {
  const speech = speechOf(check);
  const how = check.runParallel ? "at once" : "one after the other";
  const from =
    check.locations.length === 0 ? "" : `, from ${writeList([...check.locations])} ${how}`;
  const limits = [
    ...speech.describeLimits(check),
    check.maxResponseTimeMs === null ? "" : `failing above ${writeMs(check.maxResponseTimeMs)}`,
    check.degradedResponseTimeMs === null
      ? ""
      : `degraded above ${writeMs(check.degradedResponseTimeMs)}`,
  ].filter(Boolean);
  const claims = check.assertions.map(({ source, property, comparison, target }) =>
    quote(`${source} ${property} ${comparison} ${target}`),
  );
  const notes = [
    check.activated ? "" : "switched off",
    check.muted ? "muted" : "",
    check.shouldFail ? "expected to fail" : "",
  ].filter(Boolean);
  return [
    `${writeStatus(check.status)} now${notes.length === 0 ? "" : `, ${notes.join(", ")}`}.`,
    `Every ${writeInterval(check.everySeconds)}, ${speech.describeSize(check)}${from}.`,
    ...(limits.length === 0 ? [] : [`${writeList(limits)}.`]),
    ...(claims.length === 0 ? [] : [`It claims ${writeList(claims)}.`]),
    check.retryStrategy === null ? "No retries." : "Failed runs are tried again.",
    ...(check.tags.length === 0
      ? []
      : [`Tags: ${writeList(check.tags.map((tag) => quote(tag)))}.`]),
    `Made ${formatTime(check.createdAt)}${check.updatedAt === null ? "" : `, changed ${formatTime(check.updatedAt)}`}.`,
  ];
}

/** Lists all tags with the number of checks per tag. */
export function* planTags(situation: Situation): Plan<void> {
  const { answer } = situation;
  const found = yield* callTool("list_checks", { limit: 200 });
  if (found === null) return;
  const counts = new Map<string, { count: number; checkId: string }>();
  for (const { tags, checkId } of found.data.checks) {
    for (const tag of tags) {
      const known = counts.get(tag) ?? { count: 0, checkId };
      counts.set(tag, { ...known, count: known.count + 1 });
    }
  }
  if (counts.size === 0) {
    answer.line("No check has a tag.");
    return;
  }
  answer.line(`${writeCount(counts.size, "tag")}:`);
  const ranked = [...counts].sort(([, left], [, right]) => right.count - left.count);
  for (const [tag, { count, checkId }] of ranked.slice(0, 25)) {
    answer.item(`${quote(tag)}: ${writeCount(count, "check")}.${answer.cite(found, checkId)}`);
  }
  if (ranked.length > 25) answer.line(`And ${ranked.length - 25} more.`);
}
