import { callTool, type Found, type Plan } from "../../plan.ts";
import { dayMs } from "../../reading/moment.ts";
import type { ListAlertsData, ListDeliveriesData } from "../../tools/tool-data.ts";
import { formatTime, quote, writeCount, writeDuration, writeList } from "../../wording.ts";
import { describeScopes } from "../directory/scopes.ts";
import {
  checkIdsOf,
  duringWindow,
  isAhead,
  isUnclear,
  pastWindow,
  type Situation,
  spanOf,
  taggedIds,
} from "../situation.ts";
import { proposeFor, readMinutes, type WriteRequest } from "../writes/writes.ts";
import { type Change, fetchChanges, keepNamed } from "./changes.ts";

interface Outage {
  readonly checkId: string;
  readonly name: string;
  readonly fromMs: number;
  /** End of the outage; `null` if the outage is ongoing. */
  readonly toMs: number | null;
}

/**
 * Returns the outages in the status changes. An outage ends when the check is passing or degraded
 * again. A change to "unknown" does not end it.
 */
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

/** Answers questions about the mean time to recover. */
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

type Delivery = ListDeliveriesData["deliveries"][number];

const maxDeliveries = 8;
const statusWords = {
  SENT: "sent",
  PENDING: "still being tried",
  DEAD: "given up",
  CANCELLED: "not needed",
} as const;

/** Answers whether anybody was notified, through which channel, and which notifications failed. */
export function* planDeliveries(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "who was notified")) return;
  const window = pastWindow(situation);
  const [checkId] = checkIdsOf(intent);
  const { from, to } = spanOf(window);
  const found = yield* callTool("list_deliveries", {
    ...(checkId === undefined ? {} : { checkId }),
    from,
    // The query has no end if the window ends now, so that the newest deliveries are included.
    ...(window.toMs < situation.nowMs ? { to } : {}),
  });
  if (found === null) return;
  const { deliveries, total } = found.data;
  const [named] = intent.subject.checks;
  const about = named === undefined ? "" : ` about ${quote(named.name)}`;
  if (deliveries.length === 0) {
    answer.line(
      `Nobody was notified${about} ${duringWindow(window)}: no message was sent or tried.`,
    );
    return;
  }
  const counts = (["SENT", "PENDING", "DEAD", "CANCELLED"] as const).flatMap((status) => {
    const count = deliveries.filter((delivery) => delivery.status === status).length;
    return count === 0 ? [] : [`${count} ${statusWords[status]}`];
  });
  const of = total > deliveries.length ? ` (the newest ${deliveries.length} of ${total})` : "";
  answer.line(
    `${writeCount(deliveries.length, "message")}${about} ${duringWindow(window)}${of}, ${writeList(counts)}:`,
  );
  const troubled = deliveries.filter(({ status }) => status !== "SENT");
  const sent = deliveries.filter(({ status }) => status === "SENT");
  for (const delivery of [...troubled, ...sent].slice(0, maxDeliveries)) {
    answer.item(`${describe(delivery)}${answer.cite(found, delivery.deliveryId)}`);
  }
}

function describe(delivery: Delivery): string {
  const { recipient, alertType, checkName, status, attempts, reason, sentAt, decidedAt } = delivery;
  const what = alertType.toLowerCase().replaceAll("_", " ");
  const whom = checkName === null ? "a check that is gone" : quote(checkName);
  const when =
    status === "SENT"
      ? `sent ${formatTime(sentAt ?? decidedAt)}`
      : `${statusWords[status]} after ${writeCount(attempts, "attempt")}, decided ${formatTime(decidedAt)}`;
  const why = reason === null || status === "SENT" ? "" : `: ${quote(reason, 160)}`;
  return `${quote(recipient)}, ${what} of ${whom}: ${when}${why}.`;
}

type Alert = ListAlertsData["alerts"][number];

const maxListed = 12;

/**
 * Lists open alerts and whether each alert is acknowledged. If the question asks for alerts that
 * are not acknowledged yet, lists only these alerts.
 */
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

/**
 * Proposes a change to the open alerts of the named checks. If no check is named, asks which alert
 * is meant, unless only one fits or the question asks for all.
 */
function* planChange(
  situation: Situation,
  request: WriteRequest & {
    readonly isMeant: (alert: Alert) => boolean;
    readonly meant: string;
  },
): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, `me to ${request.verb} it`)) return;
  const found = yield* callTool("list_alerts", {});
  if (found === null) return;
  const named = [...checkIdsOf(intent), ...taggedIds(situation)];
  const open = found.data.alerts.filter(
    ({ checkId }) => named.length === 0 || named.includes(checkId),
  );
  const meant = open.filter(request.isMeant);
  if (meant.length === 0) {
    if (named.length === 1) return writeOne(situation, found, open[0]);
    writeMany(situation, found, { own: open, shown: [] });
    return;
  }
  const meansAll = /\bEVERY\b/.test(intent.canonical);
  if (named.length === 0 && meant.length > 1 && !meansAll) {
    const names = writeList(meant.map(({ name }) => quote(name)));
    answer.line(`Which one? ${request.meant}: ${names}.`);
    return;
  }
  const checkIds = meant.map(({ checkId }) => checkId);
  yield* proposeFor(situation, checkIds, request);
}

export function* planAcknowledge(situation: Situation): Plan<void> {
  const isMeant = ({ acknowledgedAt }: Alert) => acknowledgedAt === null;
  const meant = { isMeant, meant: "Not acknowledged" };
  const verb = "acknowledge";
  yield* planChange(situation, { tool: "acknowledge_alert", verb, input: {}, ...meant });
}

const anyOpen = { isMeant: () => true, meant: "Open alerts" };

/** Proposes to snooze an alert for the requested time, or for one hour if no time is given. */
export function* planSnooze(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  const minutes = intent.window === null ? 60 : readMinutes(intent);
  if (minutes === null || minutes < 15 || minutes > 1_440) {
    answer.line("An alert is snoozed for 15 minutes to 24 hours, such as “for 2 hours”.");
    return;
  }
  const input = { minutes };
  yield* planChange(situation, { tool: "snooze_alert", verb: "snooze", input, ...anyOpen });
}

export function* planEscalate(situation: Situation): Plan<void> {
  yield* planChange(situation, { tool: "escalate_alert", verb: "escalate", input: {}, ...anyOpen });
}
