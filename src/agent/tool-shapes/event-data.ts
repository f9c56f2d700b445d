import { Type } from "typebox";
import { OneOf } from "../../platform/http/schema.ts";
import { count, type DataOf, flag, listOf, orNull, shape, text, time } from "../tool.ts";
import { CheckId } from "./check-data.ts";

const IncidentStatusSchema = OneOf(["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED"]);
export const SeveritySchema = OneOf(["CRITICAL", "MAJOR", "MEDIUM", "MINOR"]);

const incidentFields = {
  incidentId: text("the id of an incident"),
  name: text(),
  severity: SeveritySchema,
  status: IncidentStatusSchema,
  startedAt: time("public start"),
  resolvedAt: orNull(time("null while ongoing")),
  lastActivityAt: time("time of its newest update or change"),
  services: listOf(text(), "names of the affected services"),
  isAutomatic: flag("true: opened by a check's alert"),
};
const IncidentBriefSchema = shape(incidentFields);
export type IncidentBrief = DataOf<typeof IncidentBriefSchema>;

export const ListIncidentsSchema = shape({
  incidents: listOf(IncidentBriefSchema, "by last activity, newest first, at most 50"),
  isTruncated: flag("true: there are more matches"),
});
export type ListIncidentsData = DataOf<typeof ListIncidentsSchema>;

export const GetIncidentSchema = shape({
  ...incidentFields,
  updates: listOf(
    shape({
      updateId: text(),
      status: IncidentStatusSchema,
      description: text("public text"),
      at: time("public date"),
      notifiedSubscribers: flag("true: subscribers were notified"),
    }),
    "newest first, at most 50",
  ),
});
export type GetIncidentData = DataOf<typeof GetIncidentSchema>;

export const DraftIncidentSchema = shape({
  name: text("name of the incident"),
  severity: SeveritySchema,
  status: IncidentStatusSchema,
  description: text("public text, in Markdown"),
  startedAt: orNull(time("start according to the checks; null if unknown")),
  services: listOf(text(), "names of the affected services"),
});

export type DraftIncidentData = DataOf<typeof DraftIncidentSchema>;

export const ListDeliveriesSchema = shape({
  deliveries: listOf(
    shape({
      deliveryId: text(),
      checkId: CheckId,
      checkName: orNull(text("null if the check was deleted")),
      channelType: text("EMAIL, SLACK, WEBHOOK and so on"),
      recipient: text("recipient, without secrets and telephone numbers"),
      alertType: text("ALERT_FAILURE, ALERT_RECOVERY and so on"),
      title: text(),
      status: OneOf(["PENDING", "SENT", "DEAD", "CANCELLED"]),
      attempts: count("number of attempts"),
      reason: orNull(text("why delivery failed")),
      decidedAt: time("time of the decision"),
      sentAt: orNull(time("time of delivery")),
    }),
    "newest first, at most 50",
  ),
  total: count("number of matches"),
});
export type ListDeliveriesData = DataOf<typeof ListDeliveriesSchema>;

export const ListAlertsSchema = shape({
  alerts: listOf(
    shape({
      checkId: CheckId,
      name: text("name of the check"),
      alertType: text("last alert sent: ALERT_FAILURE, ALERT_DEGRADED and so on"),
      openedAt: time("time of the first alert"),
      acknowledgedAt: orNull(time("null if not acknowledged")),
      remindersSent: count("reminders since"),
      isFlapping: flag("true: it flaps, so alerts are suppressed"),
    }),
    "longest open first, at most 100",
  ),
  isTruncated: flag("true: there are more"),
});
export type ListAlertsData = DataOf<typeof ListAlertsSchema>;

export const ListMaintenanceSchema = shape({
  from: time("start of the period used"),
  to: time("end of the period used"),
  windows: listOf(
    shape({
      windowId: Type.Integer(),
      name: text(),
      startsAt: time("start"),
      endsAt: time("end"),
      timeZone: text("time zone of the schedule"),
      repeats: orNull(OneOf(["DAY", "WEEK", "MONTH"])),
      tags: listOf(
        text(),
        "checks with one of these send no alerts; if empty, see silencesAllAlerts",
      ),
      silencesAllAlerts: flag("true: no check sends alerts while it is open"),
    }),
    "occurrences of windows, in order, at most 100",
  ),
  isTruncated: flag("true: there are more"),
});
export type ListMaintenanceData = DataOf<typeof ListMaintenanceSchema>;
