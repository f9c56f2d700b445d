import { ownZone } from "../parts/time-zones.ts";
import type { Policy, Schedule, ScheduleInput } from "./queries.ts";

export type LayerValues = Omit<Schedule["layers"][number], "end"> & {
  /** End of the layer; empty if the layer has no end. */
  readonly end: string;
};
export type Restriction = LayerValues["restrictions"][number];

export interface ScheduleValues {
  readonly name: string;
  readonly timezone: string;
  readonly warnAboutGaps: boolean;
  readonly layers: readonly LayerValues[];
}

export function toValues({ name, timezone, warnAboutGaps, layers }: Schedule): ScheduleValues {
  const shown = layers.map((layer) => ({ ...layer, end: layer.end ?? "" }));
  return { name, timezone, warnAboutGaps, layers: shown };
}

/** Returns a weekly rotation that started on Monday of the current week. */
export function newLayer(name: string, nowMs: number): LayerValues {
  const monday = new Date(nowMs);
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
  return {
    name,
    participants: [],
    rotation: { unit: "WEEK", interval: 1, handoffTime: "09:00", handoffDay: "MONDAY" },
    start: `${monday.toISOString().slice(0, 10)}T09:00`,
    end: "",
    restrictions: [],
  };
}

/**
 * Returns the initial values of a new schedule. The user who creates the schedule is its only
 * participant, so entering a name is enough to save it.
 */
export function newSchedule(nowMs: number, userId: string): ScheduleValues {
  const layers = [{ ...newLayer("Weekly", nowMs), participants: [userId] }];
  return { name: "", timezone: ownZone, warnAboutGaps: true, layers };
}

export function toInput(values: ScheduleValues): ScheduleInput {
  const { name, timezone, warnAboutGaps, layers } = values;
  return {
    name: name.trim(),
    timezone,
    warnAboutGaps,
    layers: layers.map((layer) => ({ ...layer, end: layer.end === "" ? null : layer.end })),
  };
}

/**
 * Returns the input of a preview. Layers without participants are omitted, because the API rejects
 * them. `null` if no layer remains.
 */
export function toPreview(values: ScheduleValues): ScheduleInput | null {
  const layers = values.layers.filter(({ participants }) => participants.length > 0);
  if (layers.length === 0) return null;
  return toInput({ ...values, name: values.name.trim() || "Preview", layers });
}

export function replaceAt<Item>(list: readonly Item[], index: number, item: Item): Item[] {
  return list.map((one, at) => (at === index ? item : one));
}

export function removeAt<Item>(list: readonly Item[], index: number): Item[] {
  return list.filter((_one, at) => at !== index);
}

export function moveUp<Item>(list: readonly Item[], index: number): Item[] {
  const moved = [...list];
  const [item] = moved.splice(index, 1);
  if (item !== undefined) moved.splice(Math.max(0, index - 1), 0, item);
  return moved;
}

export const toPolicyValues = ({
  id: _id,
  created_at: _made,
  updated_at: _changed,
  ...input
}: Policy) => input;
export type PolicyValues = ReturnType<typeof toPolicyValues>;
export const newPolicy: PolicyValues = {
  ...{ name: "", repeat: 0, repeatAfterMinutes: 10, useFallback: true, supportHours: null },
  steps: [{ afterMinutes: 0, targets: [] }],
};

/** Whether every step alerts somebody. The API rejects a step without targets. */
export const hasAllTargets = ({ steps }: Pick<PolicyValues, "steps">): boolean =>
  steps.every(({ targets }) => targets.length > 0);
