import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import { DateTime, OrNull } from "../../../platform/http/schema.ts";
import { repeatUnits } from "../maintenance-window.ts";
import type { PlannedWindow, WindowWish } from "./planned-window.ts";

const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 100,
  default: [],
});
const RepeatUnit = Type.Enum([...repeatUnits], { type: "string" });

const fields = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: "\\S" }),
  tags: Tags,
  startsAt: DateTime,
  endsAt: DateTime,
  repeatInterval: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { default: null }),
  repeatUnit: Type.Union([RepeatUnit, Type.Null()], { default: null }),
  repeatEndsAt: Type.Union([DateTime, Type.Null()], { default: null }),
  timezone: Type.String({ minLength: 1, maxLength: 64, default: "UTC" }),
  silenceAllAlerts: Type.Boolean({ default: false }),
  silenceAlertsTags: Tags,
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

/** A moment that cannot be read, such as a leap second, is no number; the rules refuse it. */
export function fromWireWindow(body: WindowBody): WindowWish {
  return {
    name: body.name,
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

export function toWireWindow({ id, name, schedule, createdAt, updatedAt }: PlannedWindow) {
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
    created_at: formatDateTime(createdAt),
    updated_at: updatedAt && formatDateTime(updatedAt),
  };
}
