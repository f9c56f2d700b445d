import { callTool, type Found, type Plan } from "../../plan.ts";
import type { ListAlertsData } from "../../tools/tool-data.ts";
import { formatTime, quote, writeCount, writeDuration, writeList } from "../../wording.ts";
import { describeScopes } from "../directory/scopes.ts";
import { checkIdsOf, isUnclear, type Situation, taggedIds } from "../situation.ts";
import { proposeFor } from "../writes/writes.ts";

type Alert = ListAlertsData["alerts"][number];

const maxListed = 12;

/** Lists open alerts, and whether they are acknowledged. */
export function* planAlerts(situation: Situation): Plan<void> {
  const { intent } = situation;
  if (isUnclear(situation, "its alert")) return;
  const found = yield* callTool("list_alerts", {});
  if (found === null) return;
  const named = checkIdsOf(intent);
  const ids = named.length > 0 ? named : taggedIds(situation);
  const own = found.data.alerts.filter(({ checkId }) => ids.length === 0 || ids.includes(checkId));
  if (ids.length === 1) {
    writeOne(situation, found, own[0]);
    return;
  }
  const asksOpenOnes = /\bNOT\b.*\bACKED\b|\bUNACKED\b|\bACK\b/.test(intent.canonical);
  const shown = asksOpenOnes ? own.filter(({ acknowledgedAt }) => acknowledgedAt === null) : own;
  writeMany(situation, found, { own, shown });
}

function describeState({ openedAt, acknowledgedAt }: Alert, nowMs: number): string {
  const age = writeDuration(nowMs - Date.parse(openedAt));
  const acknowledged =
    acknowledgedAt === null
      ? "not acknowledged by anybody"
      : `acknowledged at ${formatTime(acknowledgedAt)}`;
  return `${acknowledged}, open since ${formatTime(openedAt)} (${age})`;
}

function writeOne(situation: Situation, found: Found<ListAlertsData>, alert?: Alert): void {
  const { answer, intent, nowMs } = situation;
  if (alert === undefined) {
    const [check] = intent.subject.checks;
    answer.line(`${quote(check?.name ?? "It")} has no open alert.`);
    return;
  }
  const cited = answer.cite(found, alert.checkId);
  answer.line(`The alert of ${quote(alert.name)}: ${describeState(alert, nowMs)}.${cited}`);
}

function writeMany(
  situation: Situation,
  found: Found<ListAlertsData>,
  { own, shown }: { readonly own: readonly Alert[]; readonly shown: readonly Alert[] },
): void {
  const { answer, nowMs } = situation;
  const scope = describeScopes(situation);
  if (own.length === 0) {
    answer.line(`No alert is open${scope}.`);
    return;
  }
  const waiting = own.filter(({ acknowledgedAt }) => acknowledgedAt === null).length;
  if (shown.length === 0) {
    answer.line(
      `${own.length === 1 ? "The only open alert" : `All ${own.length} open alerts`}${scope} ${own.length === 1 ? "is" : "are"} acknowledged.${answer.cite(found)}`,
    );
    return;
  }
  answer.line(`${writeCount(own.length, "open alert")}${scope}, ${waiting} not acknowledged:`);
  for (const alert of shown.slice(0, maxListed)) {
    answer.item(
      `${quote(alert.name)}: ${describeState(alert, nowMs)}.${answer.cite(found, alert.checkId)}`,
    );
  }
  if (shown.length > maxListed) answer.line(`And ${shown.length - maxListed} more.`);
}

/** Proposes to acknowledge the named alerts, or the only unacknowledged one. */
export function* planAcknowledge(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "me to acknowledge it")) return;
  const found = yield* callTool("list_alerts", {});
  if (found === null) return;
  const named = [...checkIdsOf(intent), ...taggedIds(situation)];
  const isMeant = ({ checkId }: Alert) => named.length === 0 || named.includes(checkId);
  const open = found.data.alerts.filter(isMeant);
  const waiting = open.filter(({ acknowledgedAt }) => acknowledgedAt === null);
  if (waiting.length === 0) {
    if (named.length === 1) return writeOne(situation, found, open[0]);
    writeMany(situation, found, { own: open, shown: [] });
    return;
  }
  const meansAll = /\bEVERY\b/.test(intent.canonical);
  if (named.length === 0 && waiting.length > 1 && !meansAll) {
    const names = writeList(waiting.map(({ name }) => quote(name)));
    answer.line(`Which one? Not acknowledged: ${names}.`);
    return;
  }
  const checkIds = waiting.map(({ checkId }) => checkId);
  yield* proposeFor(situation, checkIds, {
    tool: "acknowledge_alert",
    verb: "acknowledge",
    input: {},
  });
}
