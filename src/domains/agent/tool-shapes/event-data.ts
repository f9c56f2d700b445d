import { Type } from "typebox";
import { OneOf } from "../../../platform/http/schema.ts";
import { CheckId } from "./check-data.ts";
import { count, type DataOf, flag, listOf, moment, orNull, shape, text } from "./shape.ts";

const IncidentStatusSchema = OneOf(["INVESTIGATING", "IDENTIFIED", "MONITORING", "RESOLVED"]);
export type IncidentStatusName = DataOf<typeof IncidentStatusSchema>;
export const SeveritySchema = OneOf(["CRITICAL", "MAJOR", "MEDIUM", "MINOR"]);

const incidentFields = {
  incidentId: text("the id of an incident"),
  name: text(),
  severity: SeveritySchema,
  status: IncidentStatusSchema,
  startedAt: moment("when it began, as the public is told"),
  resolvedAt: orNull(moment("null while it goes on")),
  lastActivityAt: moment("of its newest update or change"),
  services: listOf(text(), "names of the services it affects"),
  isAutomatic: flag("true: a check's alert opened it"),
};
export const IncidentBriefSchema = shape(incidentFields);
export type IncidentBrief = DataOf<typeof IncidentBriefSchema>;

export const ListIncidentsSchema = shape({
  incidents: listOf(IncidentBriefSchema, "by last activity, newest first, at most 50"),
  isTruncated: flag("true: others match too"),
});
export type ListIncidentsData = DataOf<typeof ListIncidentsSchema>;

export const GetIncidentSchema = shape({
  ...incidentFields,
  updates: listOf(
    shape({
      updateId: text(),
      status: IncidentStatusSchema,
      description: text("what the public was told"),
      at: moment("when, as the public is told"),
      notifiedSubscribers: flag("true: subscribers of the pages were told"),
    }),
    "newest first, at most 50",
  ),
});
export type GetIncidentData = DataOf<typeof GetIncidentSchema>;

export const DraftIncidentSchema = shape({
  name: text("of the incident"),
  severity: SeveritySchema,
  status: IncidentStatusSchema,
  description: text("what the public would read, as Markdown"),
  startedAt: orNull(moment("when the checks first saw it; null: not known")),
  services: listOf(text(), "names of the services it is about"),
});

export const ListDeliveriesSchema = shape({
  deliveries: listOf(
    shape({
      deliveryId: text(),
      checkId: CheckId,
      checkName: orNull(text("null when the check is gone")),
      channelType: text("EMAIL, SLACK, WEBHOOK and so on"),
      recipient: text("whom it went to, without secrets and telephone numbers"),
      alertType: text("what was told: ALERT_FAILURE, ALERT_RECOVERY and so on"),
      title: text(),
      status: OneOf(["PENDING", "SENT", "DEAD"]),
      attempts: count("how often it was tried"),
      reason: orNull(text("why it was not delivered")),
      decidedAt: moment("when it was decided"),
      sentAt: orNull(moment("when it was delivered")),
    }),
    "newest first, at most 50",
  ),
  total: count("how many match"),
});
export type ListDeliveriesData = DataOf<typeof ListDeliveriesSchema>;

export const ListAlertsSchema = shape({
  alerts: listOf(
    shape({
      checkId: CheckId,
      name: text("of the check"),
      alertType: text("what was told last: ALERT_FAILURE, ALERT_DEGRADED and so on"),
      openedAt: moment("when somebody was first told"),
      acknowledgedAt: orNull(moment("null while nobody has acknowledged it")),
      remindersSent: count("reminders since"),
      isFlapping: flag("true: it comes and goes so often that alerts are held back"),
    }),
    "the longest open first, at most 100",
  ),
  isTruncated: flag("true: there are more"),
});
export type ListAlertsData = DataOf<typeof ListAlertsSchema>;

export const ListMaintenanceSchema = shape({
  from: moment("as it was taken"),
  to: moment("as it was taken"),
  windows: listOf(
    shape({
      windowId: Type.Integer(),
      name: text(),
      startsAt: moment("when it opens"),
      endsAt: moment("when it closes"),
      timeZone: text("that it was planned in"),
      repeats: orNull(OneOf(["DAY", "WEEK", "MONTH"])),
      tags: listOf(text(), "checks with one of these do not alert; none: see silencesAllAlerts"),
      silencesAllAlerts: flag("true: no check alerts while it is open"),
    }),
    "each time that a window is open, in order, at most 100",
  ),
  isTruncated: flag("true: there are more"),
});
export type ListMaintenanceData = DataOf<typeof ListMaintenanceSchema>;
