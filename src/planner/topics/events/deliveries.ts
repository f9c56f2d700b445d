import { callTool, type Plan } from "../../plan.ts";
import type { ListDeliveriesData } from "../../tools/tool-data.ts";
import { formatTime, quote, writeCount, writeList } from "../../wording.ts";
import {
  checkIdsOf,
  duringWindow,
  isUnclear,
  pastWindow,
  type Situation,
  spanOf,
} from "../situation.ts";

type Delivery = ListDeliveriesData["deliveries"][number];

const maxListed = 8;
const statusWords = { SENT: "sent", PENDING: "still being tried", DEAD: "given up" } as const;

/** Answers whether anybody was notified, through which channel, and which messages failed. */
export function* planDeliveries(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  if (isUnclear(situation, "who was notified")) return;
  const window = pastWindow(situation);
  const [checkId] = checkIdsOf(intent);
  const { from, to } = spanOf(window);
  const found = yield* callTool("list_deliveries", {
    ...(checkId === undefined ? {} : { checkId }),
    from,
    // Includes messages of this very second.
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
  const counts = (["SENT", "PENDING", "DEAD"] as const).flatMap((status) => {
    const count = deliveries.filter((delivery) => delivery.status === status).length;
    return count === 0 ? [] : [`${count} ${statusWords[status]}`];
  });
  const of = total > deliveries.length ? ` (the newest ${deliveries.length} of ${total})` : "";
  answer.line(
    `${writeCount(deliveries.length, "message")}${about} ${duringWindow(window)}${of}, ${writeList(counts)}:`,
  );
  const troubled = deliveries.filter(({ status }) => status !== "SENT");
  const sent = deliveries.filter(({ status }) => status === "SENT");
  for (const delivery of [...troubled, ...sent].slice(0, maxListed)) {
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
