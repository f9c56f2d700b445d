import { createHash } from "node:crypto";
import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import {
  DateTime,
  Described,
  Filled,
  Guid,
  OrNull,
  paging,
  RowId,
} from "../../platform/http/schema.ts";
import { severities } from "../incidents/index.ts";
import type { PageVisibility, PlannedWindow, WindowInput } from "./planned-window.ts";
import { repeatUnits } from "./recurrence.ts";

const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 100,
  default: [],
});
const RepeatUnit = Type.Enum([...repeatUnits], { type: "string" });

const Flag = (value: boolean) => Type.Boolean({ default: value });
const Ids = Type.Array(Guid, { maxItems: 100, default: [] });
const Severity = Type.Enum([...severities], { type: "string" });

const Visibility = Type.Object(
  {
    enabled: Described(
      Flag(false),
      "Whether status pages show the window. If false, the other fields have no effect.",
    ),
    severity: Type.Union([Severity, Type.Null()], {
      description: "Severity; `null` if none.",
      default: null,
    }),
    affectAllServices: Described(Flag(false), "Whether the window affects every service."),
    showAffectedServices: Described(Flag(true), "Whether pages show the affected services."),
    suppressAutoIncidents: Described(
      Flag(false),
      "Whether checks open no incidents for its services while the window is open.",
    ),
    notifyOnStart: Described(Flag(false), "Notify subscribers when it starts."),
    notifyOnEnd: Described(Flag(false), "Notify subscribers when it ends."),
    reminderMinutesBefore: Type.Array(Type.Integer({ minimum: 60, maximum: 10_080 }), {
      description: "Notify subscribers this many minutes before it starts.",
      maxItems: 3,
      default: [],
    }),
    autoStart: Described(
      Flag(true),
      "Whether it starts automatically on status pages. If false, an update starts it.",
    ),
    autoEnd: Described(
      Flag(true),
      "Whether it ends automatically on status pages. If false, it ends with an update, with the " +
        "next occurrence, or after a week.",
    ),
    statusPageIds: Described(
      Ids,
      "Ids of the status pages that show it; empty for every page of the account.",
    ),
    serviceIds: Described(Ids, "Ids of the affected services."),
  },
  { default: {} },
);

const fields = {
  name: Filled({
    description: "Name of the window.",
    examples: ["Router upgrade"],
    maxLength: 200,
  }),
  tags: Described(Tags, "Checks with one of these tags send no alerts.", ["network"]),
  startsAt: Described(DateTime, "Start of the first occurrence.", "2026-12-01T22:00:00.000Z"),
  endsAt: Described(DateTime, "End of the first occurrence.", "2026-12-02T00:00:00.000Z"),
  repeatInterval: Type.Union([Type.Integer({ minimum: 1, maximum: 10_000 }), Type.Null()], {
    description: "Number of units between occurrences; `null` means 1.",
    examples: [null],
    default: null,
  }),
  repeatUnit: Type.Union([RepeatUnit, Type.Null()], {
    description: "Unit of recurrence; `null` if the window does not recur.",
    examples: [null],
    default: null,
  }),
  repeatEndsAt: Type.Union([DateTime, Type.Null()], {
    description: "No occurrence starts after this time; `null` if the recurrence has no end.",
    examples: [null],
    default: null,
  }),
  timezone: Type.String({
    description: "Time zone in which it recurs at the same local time.",
    minLength: 1,
    maxLength: 64,
    default: "UTC",
  }),
  silenceAllAlerts: Type.Boolean({
    description: "Silence the alerts of every check.",
    default: false,
  }),
  silenceAlertsTags: Described(Tags, "Silence the alerts of checks with one of these tags."),
  groupIds: Type.Array(RowId, {
    description: "Silence the alerts of the checks in these groups.",
    maxItems: 100,
    default: [],
  }),
  checkIds: Described(Ids, "Silence the alerts of these checks."),
  description: Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()], {
    description: "Text in Markdown, shown on status pages; `null` if none.",
    default: null,
  }),
  statusPageVisibility: Described(Visibility, "What status pages show of it."),
};

export const WindowParams = Type.Object({
  id: Type.Integer({ description: "The window's id.", minimum: 1, maximum: 2_147_483_647 }),
});
export const WindowQuery = Type.Object({
  ...paging,
});
export const WindowBody = Type.Object(fields, { title: "MaintenanceWindowInput" });
export type WindowBody = Type.Static<typeof WindowBody>;
export const WindowSchema = Type.Object(
  {
    id: Type.Integer({ description: "Its id.", examples: [5] }),
    ...fields,
    created_at: Described(DateTime, "Creation time."),
    updated_at: Described(OrNull(DateTime), "Time of the last change; `null` if never changed."),
  },
  { title: "MaintenanceWindow" },
);
export const WindowList = Type.Array(WindowSchema);

const tidyIds = (ids: readonly string[]) => [...new Set(ids.map((id) => id.toLowerCase()))];

/** Copies each field of the visibility by name, so that unknown fields are not stored. */
function fromWireVisibility(body: Type.Static<typeof Visibility>): PageVisibility {
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

/** Converts a window in a request. An invalid time becomes NaN, which the validation rejects. */
export function fromWireWindow(body: WindowBody, mayBeEmpty = false): WindowInput {
  return {
    mayBeEmpty,
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
      groupIds: [...new Set(body.groupIds)],
      checkIds: tidyIds(body.checkIds),
    },
  };
}

export const toWireTime = (atMs: number) => formatDateTime(new Date(atMs));

export function toWireWindow(window: PlannedWindow) {
  const { id, name, description, schedule, visibility, createdAt, updatedAt } = window;
  const { repeatEndsAtMs } = schedule;
  return {
    id,
    name,
    tags: [...schedule.tags],
    startsAt: toWireTime(schedule.startsAtMs),
    endsAt: toWireTime(schedule.endsAtMs),
    repeatInterval: schedule.repeatInterval,
    repeatUnit: schedule.repeatUnit,
    repeatEndsAt: repeatEndsAtMs === null ? null : toWireTime(repeatEndsAtMs),
    timezone: schedule.timeZone,
    silenceAllAlerts: schedule.silenceAllAlerts,
    silenceAlertsTags: [...schedule.silenceAlertsTags],
    groupIds: [...(schedule.groupIds ?? [])],
    checkIds: [...(schedule.checkIds ?? [])],
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

/** Returns the ETag of the settings of a window, without the changes of single occurrences. */
export function tagWindow(window: PlannedWindow): string {
  const { id: _id, created_at: _made, updated_at: _changed, ...set } = toWireWindow(window);
  const { statusPageVisibility, ...rest } = set;
  // Sort the keys, because PostgreSQL does not preserve the order of the keys of an object.
  const visibility = Object.entries(statusPageVisibility).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const content = JSON.stringify([rest, visibility]);
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}
