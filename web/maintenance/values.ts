/** Form values of a maintenance window, and the conversion between form values and API input. */
import { ownZone } from "../parts/time-zones.ts";
import { addDays, type Day } from "./days.ts";
import type { MaintenanceWindow, WindowInput } from "./queries.ts";
import { toLocalText, toTimestampMs } from "./sentences.ts";

/** Removes the item from the list if the list contains it, otherwise adds the item. */
export function toggled<Item>(list: readonly Item[], item: Item): Item[] {
  return list.includes(item) ? list.filter((one) => one !== item) : [...list, item];
}

type Visibility = MaintenanceWindow["statusPageVisibility"];

export interface WindowValues {
  readonly name: string;
  readonly description: string;
  readonly timezone: string;
  /** Start as local time in `timezone`. */
  readonly startsAt: string;
  readonly minutes: number;
  readonly repeatUnit: "" | "DAY" | "WEEK" | "MONTH";
  readonly repeatInterval: number;
  /** Last day of the series, in `timezone`; empty if the series has no end. */
  readonly repeatUntil: Day;
  readonly silencesAll: boolean;
  /** Tags separated by commas, as typed. */
  readonly tags: string;
  readonly groupIds: readonly number[];
  readonly checkIds: readonly string[];
  readonly visibility: Visibility;
}

export interface FormProps {
  readonly values: WindowValues;
  readonly checkNames: ReadonlyMap<string, string | null>;
  readonly isReadOnly: boolean;
  readonly error: unknown;
  readonly onChange: (change: Partial<WindowValues>) => void;
}

const minuteMs = 60_000;

export const hidden: Visibility = {
  enabled: false,
  severity: null,
  affectAllServices: false,
  showAffectedServices: true,
  suppressAutoIncidents: false,
  notifyOnStart: false,
  notifyOnEnd: false,
  reminderMinutesBefore: [],
  autoStart: true,
  autoEnd: true,
  statusPageIds: [],
  serviceIds: [],
};

/** Returns a new window, which starts at the next full hour, or at 02:00 on the selected day. */
export function newValues(nowMs: number, date: Day | undefined): WindowValues {
  const hourMs = 60 * minuteMs;
  const nextHour = toLocalText(Math.ceil(nowMs / hourMs) * hourMs, ownZone);
  return {
    name: "",
    description: "",
    timezone: ownZone,
    startsAt: date === undefined ? nextHour : `${date}T02:00`,
    minutes: 60,
    repeatUnit: "",
    repeatInterval: 1,
    repeatUntil: "",
    silencesAll: false,
    tags: "",
    groupIds: [],
    checkIds: [],
    visibility: hidden,
  };
}

export function toValues(window: MaintenanceWindow): WindowValues {
  const { startsAt, endsAt, timezone, repeatEndsAt } = window;
  const tags = [...new Set([...window.tags, ...window.silenceAlertsTags])];
  return {
    name: window.name,
    description: window.description ?? "",
    timezone,
    startsAt: toLocalText(Date.parse(startsAt), timezone),
    minutes: (Date.parse(endsAt) - Date.parse(startsAt)) / minuteMs,
    repeatUnit: window.repeatUnit ?? "",
    repeatInterval: window.repeatInterval ?? 1,
    repeatUntil: repeatEndsAt ? toLocalText(Date.parse(repeatEndsAt), timezone).slice(0, 10) : "",
    silencesAll: window.silenceAllAlerts,
    tags: tags.join(", "),
    groupIds: window.groupIds,
    checkIds: window.checkIds,
    visibility: window.statusPageVisibility,
  };
}

const splitTags = (text: string) => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
  ),
];

/**
 * Builds the request body. Returns `null` while a time is invalid. An unchanged start is sent with
 * its stored timestamp, because the same local time may occur twice on that day.
 */
export function toInput(
  values: WindowValues,
  stored: MaintenanceWindow | null,
): WindowInput | null {
  const { timezone, minutes, repeatUnit, repeatUntil } = values;
  const isUntouched =
    stored !== null &&
    stored.timezone === timezone &&
    toLocalText(Date.parse(stored.startsAt), timezone) === values.startsAt;
  const startsAtMs = isUntouched
    ? Date.parse(stored.startsAt)
    : toTimestampMs(values.startsAt, timezone);
  const isWhole = !Number.isNaN(startsAtMs) && Number.isFinite(minutes) && minutes > 0;
  if (!isWhole) return null;
  const endOfSeriesMs =
    repeatUntil === "" ? null : toTimestampMs(`${addDays(repeatUntil, 1)}T00:00`, timezone) - 1;
  const endsAt = new Date(startsAtMs + Math.round(minutes * minuteMs));
  if (Number.isNaN(endsAt.getTime()) || Number.isNaN(endOfSeriesMs ?? 0)) return null;
  const isSameEnd = stored?.repeatEndsAt
    ? toLocalText(Date.parse(stored.repeatEndsAt), timezone).slice(0, 10) === repeatUntil
    : false;
  return {
    name: values.name.trim(),
    description: values.description.trim() === "" ? null : values.description,
    timezone,
    startsAt: new Date(startsAtMs).toISOString(),
    endsAt: endsAt.toISOString(),
    repeatUnit: repeatUnit === "" ? null : repeatUnit,
    repeatInterval: repeatUnit === "" ? null : values.repeatInterval,
    repeatEndsAt:
      repeatUnit === "" || endOfSeriesMs === null
        ? null
        : isSameEnd
          ? (stored?.repeatEndsAt ?? null)
          : new Date(endOfSeriesMs).toISOString(),
    silenceAllAlerts: values.silencesAll,
    tags: splitTags(values.tags),
    silenceAlertsTags: [],
    groupIds: [...values.groupIds],
    checkIds: [...values.checkIds],
    statusPageVisibility: values.visibility,
  };
}

/** Whether a window would silence no alerts, because nothing is selected. */
export function silencesNothing({ silencesAll, tags, groupIds, checkIds }: WindowValues): boolean {
  return !silencesAll && splitTags(tags).length + groupIds.length + checkIds.length === 0;
}
