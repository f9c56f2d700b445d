import { Type } from "typebox";
import { getCheck } from "../../checks/checks/index.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { invalid } from "../../platform/errors.ts";
import { listOpenAlerts, listOwnReceipts } from "../../response/alerting/index.ts";
import { listMaintenanceSpans, listOwnWindows } from "../../response/maintenance/index.ts";
import { defineReadTool } from "../tool.ts";
import {
  type ListAlertsData,
  ListAlertsSchema,
  type ListDeliveriesData,
  ListDeliveriesSchema,
  type ListMaintenanceData,
  ListMaintenanceSchema,
} from "../tool-shapes/event-data.ts";
import { clipForModel, hideNumbers } from "./result-tools.ts";
import {
  ChannelReference,
  CheckReference,
  checkSource,
  deliverySource,
  From,
  formatMs,
  limitSources,
  parseSpan,
  parseTime,
  TimeInput,
  To,
  windowSource,
} from "./sources.ts";

const maxDeliveries = 50;
const maxOpenings = 100;
const maxMaintenanceMs = 366 * 86_400_000;

export const listDeliveriesTool = defineReadTool({
  name: "list_deliveries",
  title: "List alert messages",
  description:
    "Alert messages and their outcome, newest first: sent, being retried, or failed and why.",
  InputSchema: Type.Object(
    {
      checkId: Type.Optional(CheckReference),
      channelId: Type.Optional(ChannelReference),
      from: Type.Optional(From),
      to: Type.Optional(To),
    },
    { additionalProperties: false },
  ),
  DataSchema: ListDeliveriesSchema,
  run: async (context, caller, { checkId, channelId, from, to }) => {
    if (checkId !== undefined) await getCheck(context, caller, checkId);
    const { receipts, total } = await listOwnReceipts(context, caller, {
      limit: maxDeliveries,
      page: 1,
      checkId,
      alertChannelId: channelId === undefined ? undefined : Number(channelId),
      from: from === undefined ? undefined : new Date(parseTime("from", from)),
      to: to === undefined ? undefined : new Date(parseTime("to", to)),
    });
    const data: ListDeliveriesData = {
      deliveries: receipts.map((receipt) => ({
        deliveryId: receipt.id,
        checkId: receipt.checkId,
        checkName: receipt.checkName,
        channelType: receipt.channelType,
        recipient: hideNumbers(receipt.recipient),
        alertType: receipt.kind,
        title: clipForModel(receipt.title),
        status: receipt.status,
        attempts: receipt.attempts,
        reason: receipt.reason === null ? null : clipForModel(receipt.reason),
        decidedAt: formatDateTime(receipt.decidedAt),
        sentAt: receipt.sentAt && formatDateTime(receipt.sentAt),
      })),
      total,
    };
    const sources = receipts.map(({ id, alertId, title }) =>
      deliverySource(context, { id, alertId, title: clipForModel(title) }),
    );
    return { data, sources: limitSources(sources) };
  },
});

const maxAlerts = 100;

export const listAlertsTool = defineReadTool({
  name: "list_alerts",
  title: "List open alerts",
  description: "Open alerts: since when each is open, and whether it is acknowledged.",
  InputSchema: Type.Object(
    { checkId: Type.Optional(CheckReference) },
    { additionalProperties: false },
  ),
  DataSchema: ListAlertsSchema,
  run: async (context, caller, { checkId }) => {
    if (checkId !== undefined) await getCheck(context, caller, checkId);
    const open = await listOpenAlerts(context, caller, { checkId, limit: maxAlerts + 1 });
    const alerts = open.slice(0, maxAlerts).map(({ checkId: id, checkName, state }) => ({
      checkId: id,
      name: checkName,
      alertType: state.alertedKind ?? "",
      openedAt: formatMs(state.openedAtMs ?? state.sinceMs),
      acknowledgedAt: state.acknowledgedAtMs === null ? null : formatMs(state.acknowledgedAtMs),
      remindersSent: state.remindersSent,
      isFlapping: state.isFlapping,
    }));
    const data: ListAlertsData = { alerts, isTruncated: open.length > maxAlerts };
    return { data, sources: limitSources(alerts.map((one) => checkSource(context, one))) };
  },
});

export const listMaintenanceTool = defineReadTool({
  name: "list_maintenance",
  title: "List maintenance",
  description: "Occurrences of maintenance windows between two times, in order.",
  InputSchema: Type.Object(
    { from: From, to: TimeInput("End, not included; may be in the future") },
    { additionalProperties: false },
  ),
  DataSchema: ListMaintenanceSchema,
  run: async (context, caller, { from, to }) => {
    const { fromMs, toMs } = parseSpan(from, to);
    if (toMs - fromMs > maxMaintenanceMs) throw invalid("from", "must be within a year of to");
    // An account has at most 100 maintenance windows, so one page contains all of them.
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
