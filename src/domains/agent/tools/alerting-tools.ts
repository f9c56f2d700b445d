import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { invalid } from "../../../platform/errors.ts";
import { Guid } from "../../../platform/http/schema.ts";
import { listMaintenanceSpans, listOwnReceipts, listOwnWindows } from "../../alerting/index.ts";
import { getCheck } from "../../checks/index.ts";
import { defineReadTool } from "../tool.ts";
import type { ListDeliveriesData, ListMaintenanceData } from "../tool-data.ts";
import { formatMs, Moment, parseMoment, parseSpan } from "./moment.ts";
import { clipText } from "./result-data.ts";
import { deliverySource, limitSources, windowSource } from "./sources.ts";

const maxDeliveries = 50;
const maxOpenings = 100;
const maxMaintenanceMs = 366 * 86_400_000;

export const listDeliveriesTool = defineReadTool({
  name: "list_deliveries",
  description:
    "Alert messages and what became of each, newest first: sent, still tried, or given up and why.",
  InputSchema: Type.Object(
    { checkId: Type.Optional(Guid), from: Type.Optional(Moment), to: Type.Optional(Moment) },
    { additionalProperties: false },
  ),
  run: async (context, caller, { checkId, from, to }) => {
    if (checkId !== undefined) await getCheck(context, caller, checkId);
    const { receipts, total } = await listOwnReceipts(context, caller, {
      limit: maxDeliveries,
      page: 1,
      checkId,
      from: from === undefined ? undefined : new Date(parseMoment("from", from)),
      to: to === undefined ? undefined : new Date(parseMoment("to", to)),
    });
    const data: ListDeliveriesData = {
      deliveries: receipts.map((receipt) => ({
        deliveryId: receipt.id,
        checkId: receipt.checkId,
        checkName: receipt.checkName,
        channelType: receipt.channelType,
        alertType: receipt.kind,
        title: clipText(receipt.title),
        status: receipt.status,
        attempts: receipt.attempts,
        reason: receipt.reason === null ? null : clipText(receipt.reason),
        decidedAt: formatDateTime(receipt.decidedAt),
        sentAt: receipt.sentAt && formatDateTime(receipt.sentAt),
      })),
      total,
    };
    const sources = receipts.map(({ id, title }) => deliverySource(context, id, clipText(title)));
    return { data, sources: limitSources(sources) };
  },
});

export const listMaintenanceTool = defineReadTool({
  name: "list_maintenance",
  description: "When maintenance windows are open between two moments, in order.",
  InputSchema: Type.Object({ from: Moment, to: Moment }, { additionalProperties: false }),
  run: async (context, caller, { from, to }) => {
    const { fromMs, toMs } = parseSpan(from, to);
    if (toMs - fromMs > maxMaintenanceMs) throw invalid("from", "must be within a year of to");
    // An account has at most a hundred of them.
    const { windows } = await listOwnWindows(context, caller, { limit: 100, page: 1 });
    const openings = windows
      .flatMap(({ id, name, schedule }) =>
        listMaintenanceSpans([schedule], fromMs, toMs).map((span) => ({
          id,
          name,
          schedule,
          span,
        })),
      )
      .sort((one, other) => one.span.startsAtMs - other.span.startsAtMs);
    const shown = openings.slice(0, maxOpenings);
    const data: ListMaintenanceData = {
      from: formatMs(fromMs),
      to: formatMs(toMs),
      windows: shown.map(({ id, name, schedule, span }) => ({
        windowId: id,
        name,
        startsAt: formatMs(span.startsAtMs),
        endsAt: formatMs(span.endsAtMs),
        timeZone: schedule.timeZone,
        repeats: schedule.repeatUnit,
        tags: schedule.tags,
        silencesAllAlerts: schedule.silenceAllAlerts,
      })),
      isTruncated: openings.length > maxOpenings,
    };
    const sources = shown.map(({ id, name }) => windowSource(context, id, name));
    return { data, sources: limitSources(sources) };
  },
});
