import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, Guid, OrNull } from "../../../platform/http/schema.ts";
import { severities } from "../../incidents/index.ts";
import { repeatUnits } from "../maintenance-window.ts";
import type { PageVisibility } from "./page-visibility.ts";
import type { PlannedWindow, WindowWish } from "./planned-window.ts";

const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 100,
  default: [],
});
const RepeatUnit = Type.Enum([...repeatUnits], { type: "string" });

const Flag = (value: boolean) => Type.Boolean({ default: value });
const Ids = Type.Array(Guid, { maxItems: 100, default: [] });
const Severity = Type.Enum([...severities], { type: "string" });

/** What the public learns of the window; every gap has a default. */
const Visibility = Type.Object(
  {
    enabled: Flag(false),
    severity: Type.Union([Severity, Type.Null()], { default: null }),
    affectAllServices: Flag(false),
    showAffectedServices: Flag(true),
    suppressAutoIncidents: Flag(false),
    notifyOnStart: Flag(false),
    notifyOnEnd: Flag(false),
    reminderMinutesBefore: Type.Array(Type.Integer({ minimum: 60, maximum: 10_080 }), {
      maxItems: 3,
      default: [],
    }),
    autoStart: Flag(true),
    autoEnd: Flag(true),
    statusPageIds: Ids,
    serviceIds: Ids,
  },
  { default: {} },
);

const fields = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: "\\S" }),
  tags: Tags,
  startsAt: DateTime,
  endsAt: DateTime,
  repeatInterval: Type.Union([Type.Integer({ minimum: 1, maximum: 10_000 }), Type.Null()], {
    default: null,
  }),
  repeatUnit: Type.Union([RepeatUnit, Type.Null()], { default: null }),
  repeatEndsAt: Type.Union([DateTime, Type.Null()], { default: null }),
  timezone: Type.String({ minLength: 1, maxLength: 64, default: "UTC" }),
  silenceAllAlerts: Type.Boolean({ default: false }),
  silenceAlertsTags: Tags,
  description: Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()], { default: null }),
  statusPageVisibility: Visibility,
};

export const WindowParams = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
});
export const WindowQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  page: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 1 }),
});
export const WindowBody = Type.Object(fields);
export type WindowBody = Type.Static<typeof WindowBody>;
export const WindowSchema = Type.Object({
  id: Type.Integer(),
  ...fields,
  created_at: DateTime,
  updated_at: OrNull(DateTime),
});
export const WindowList = Type.Array(WindowSchema);

/** Only what the schema names, each once: a body may have more, and all of it would be stored. */
function fromWireVisibility(body: Type.Static<typeof Visibility>): PageVisibility {
  const tidyIds = (ids: readonly string[]) => [...new Set(ids.map((id) => id.toLowerCase()))];
  return {
    enabled: body.enabled,
    severity: body.severity,
    affectAllServices: body.affectAllServices,
    showAffectedServices: body.showAffectedServices,
    suppressAutoIncidents: body.suppressAutoIncidents,
    notifyOnStart: body.notifyOnStart,
    notifyOnEnd: body.notifyOnEnd,
    reminderMinutesBefore: [...new Set(body.reminderMinutesBefore)],
    autoStart: body.autoStart,
    autoEnd: body.autoEnd,
    statusPageIds: tidyIds(body.statusPageIds),
    serviceIds: tidyIds(body.serviceIds),
  };
}

/** A moment that cannot be read, such as a leap second, is no number; the rules refuse it. */
export function fromWireWindow(body: WindowBody): WindowWish {
  return {
    name: body.name,
    description: body.description,
    visibility: fromWireVisibility(body.statusPageVisibility),
    schedule: {
      startsAtMs: Date.parse(body.startsAt),
      endsAtMs: Date.parse(body.endsAt),
      timeZone: body.timezone,
      repeatInterval: body.repeatInterval,
      repeatUnit: body.repeatUnit,
      repeatEndsAtMs: body.repeatEndsAt === null ? null : Date.parse(body.repeatEndsAt),
      tags: body.tags,
      pauseAllChecks: false,
      silenceAllAlerts: body.silenceAllAlerts,
      silenceAlertsTags: body.silenceAlertsTags,
    },
  };
}

const toWireMoment = (atMs: number) => formatDateTime(new Date(atMs));

export function toWireWindow(window: PlannedWindow) {
  const { id, name, description, schedule, visibility, createdAt, updatedAt } = window;
  const { repeatEndsAtMs } = schedule;
  return {
    id,
    name,
    tags: [...schedule.tags],
    startsAt: toWireMoment(schedule.startsAtMs),
    endsAt: toWireMoment(schedule.endsAtMs),
    repeatInterval: schedule.repeatInterval,
    repeatUnit: schedule.repeatUnit,
    repeatEndsAt: repeatEndsAtMs === null ? null : toWireMoment(repeatEndsAtMs),
    timezone: schedule.timeZone,
    silenceAllAlerts: schedule.silenceAllAlerts,
    silenceAlertsTags: [...schedule.silenceAlertsTags],
    description,
    statusPageVisibility: {
      ...visibility,
      reminderMinutesBefore: [...visibility.reminderMinutesBefore],
      statusPageIds: [...visibility.statusPageIds],
      serviceIds: [...visibility.serviceIds],
    },
    created_at: formatDateTime(createdAt),
    updated_at: updatedAt && formatDateTime(updatedAt),
  };
}
