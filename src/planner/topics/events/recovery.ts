import type { Plan } from "../../plan.ts";
import { dayMs } from "../../reading/calendar.ts";
import { formatTime, quote, writeCount, writeDuration } from "../../wording.ts";
import { duringWindow, isAhead, isUnclear, pastWindow, type Situation } from "../situation.ts";
import { type Change, fetchChanges, keepNamed } from "./changes.ts";

interface Outage {
  readonly checkId: string;
  readonly name: string;
  readonly fromMs: number;
  /** `null` if it is ongoing. */
  readonly toMs: number | null;
}

/** Lists outages: from failing until a better status; missing data in between does not end one. */
export function listOutages(changes: readonly Change[]): Outage[] {
  const outages: Outage[] = [];
  const open = new Map<string, Outage>();
  const oldestFirst = changes.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  for (const { checkId, name, toStatus, at } of oldestFirst) {
    const outage = open.get(checkId);
    if (toStatus === "failing" && outage === undefined) {
      open.set(checkId, { checkId, name: name ?? "", fromMs: Date.parse(at), toMs: null });
    } else if (outage !== undefined && (toStatus === "passing" || toStatus === "degraded")) {
      open.delete(checkId);
      outages.push({ ...outage, toMs: Date.parse(at) });
    }
  }
  return [...outages, ...open.values()];
}

/** Answers for the mean time to recover. */
export function* planRecovery(situation: Situation): Plan<void> {
  const { answer } = situation;
  if (isUnclear(situation, "how long it takes to recover") || isAhead(situation)) return;
  const window = pastWindow(situation, 30 * dayMs);
  const found = yield* fetchChanges(situation, window);
  if (found === null) return;
  const outages = listOutages(keepNamed(found.data.changes, situation));
  const ended = outages.flatMap(({ toMs, fromMs, ...rest }) =>
    toMs === null ? [] : [{ ...rest, fromMs, lastedMs: toMs - fromMs }],
  );
  const lasting = outages.length - ended.length;
  const [longest] = ended.toSorted((one, other) => other.lastedMs - one.lastedMs);
  if (longest === undefined) {
    const rest = lasting === 0 ? "nothing failed" : "nothing that failed is up again";
    answer.line(`No mean time to recover: ${rest} ${duringWindow(window)}.${answer.cite(found)}`);
    return;
  }
  const meanMs = ended.reduce((sum, { lastedMs }) => sum + lastedMs, 0) / ended.length;
  const cited = answer.cite(found, longest.checkId);
  answer.line(
    `Mean time to recover: ${writeDuration(meanMs)}, of ${writeCount(ended.length, "outage")} ${duringWindow(window)}.${cited}`,
  );
  if (ended.length > 1) {
    answer.item(
      `the longest: ${quote(longest.name)}, ${writeDuration(longest.lastedMs)} from ${formatTime(longest.fromMs)}.${cited}`,
    );
  }
  if (lasting > 0) {
    answer.item(`not counted, because not over: ${writeCount(lasting, "outage")}.${cited}`);
  }
  if (found.data.isTruncated) answer.item("Older changes were too many to count.");
}
