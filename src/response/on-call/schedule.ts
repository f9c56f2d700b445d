import {
  dayMs,
  getZone,
  hourMs,
  isLocalTime,
  maxTimeMs,
  parseLocalTime,
  parseTimeOfDay,
  weekMs,
  type Zone,
} from "./local-time.ts";

export const rotationUnits = ["HOUR", "DAY", "WEEK"] as const;
type RotationUnit = (typeof rotationUnits)[number];

export const weekdays = [
  "MONDAY",
  "TUESDAY",
  "WEDNESDAY",
  "THURSDAY",
  "FRIDAY",
  "SATURDAY",
  "SUNDAY",
] as const;
export type Weekday = (typeof weekdays)[number];

export interface Rotation {
  readonly unit: RotationUnit;
  readonly interval: number;
  /** Local time of day of each handoff, such as `09:00`. */
  readonly handoffTime: string;
  /** Weekday of each handoff, which only weekly rotations use. */
  readonly handoffDay: Weekday;
}

/** Local hours in which a layer is active. They end the next day if `to` is not after `from`. */
export interface Restriction {
  readonly days: readonly Weekday[];
  readonly from: string;
  readonly to: string;
}

export interface Layer {
  readonly name: string;
  /** User ids in the order of their turns. The same user may occur several times. */
  readonly participants: readonly string[];
  readonly rotation: Rotation;
  /** Local time at which the first turn starts, such as `2026-11-16T09:00`. */
  readonly start: string;
  /** Local time at which the last turn ends; `null` if the layer has no end. */
  readonly end: string | null;
  /** Hours in which the layer has somebody on call; empty for all hours. */
  readonly restrictions: readonly Restriction[];
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Puts one person, or nobody, on call above all layers. */
export interface Override extends Span {
  readonly id: string;
  readonly userId: string | null;
}

/** Data that decides who is on call for a schedule. */
export interface Plan {
  readonly timeZone: string;
  /** Layers from the lowest to the highest. The highest layer with somebody on call applies. */
  readonly layers: readonly Layer[];
  /** Overrides from the oldest to the newest. The newest override that covers a time applies. */
  readonly overrides: readonly Override[];
  /** Times when people left the account, by user id. */
  readonly departures: ReadonlyMap<string, number>;
}

/**
 * A span in which one person or nobody is on call, and the layer or override that determines this.
 */
export interface Shift extends Span {
  /** Id of the person on call; `null` if nobody is on call. */
  readonly userId: string | null;
  /** Index of the layer that determines who is on call; `null` for an override or a gap. */
  readonly layer: number | null;
  readonly overrideId: string | null;
}

const unitMs: Readonly<Record<RotationUnit, number>> = {
  HOUR: hourMs,
  DAY: dayMs,
  WEEK: weekMs,
};
/** Local time of the first Monday in 1970, the origin of weekly handoffs. */
const mondayMs = 4 * dayMs;

/** Values from which the turns of a layer are computed. */
export interface Turns {
  readonly zone: Zone;
  /** Local time of the last handoff at or before the start of the layer. */
  readonly anchorMs: number;
  readonly stepMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export function readTurns(zone: Zone, layer: Layer): Turns {
  const { unit, interval, handoffTime, handoffDay } = layer.rotation;
  const startMs = parseLocalTime(layer.start);
  const isWeekly = unit === "WEEK";
  const cycleMs = isWeekly ? weekMs : dayMs;
  const phaseMs =
    parseTimeOfDay(handoffTime) + (isWeekly ? mondayMs + weekdays.indexOf(handoffDay) * dayMs : 0);
  const handoffMs = phaseMs + Math.floor((startMs - phaseMs) / cycleMs) * cycleMs;
  const stepMs = unitMs[unit] * interval;
  return {
    zone,
    anchorMs: handoffMs + Math.floor((startMs - handoffMs) / stepMs) * stepMs,
    stepMs,
    fromMs: zone.toInstant(startMs),
    toMs: layer.end === null ? maxTimeMs : zone.toInstant(parseLocalTime(layer.end)),
  };
}

export function findHandoff({ zone, anchorMs, stepMs }: Turns, index: number): number {
  return zone.toInstant(anchorMs + index * stepMs);
}

/**
 * Returns the index of the newest turn that has started. When clocks are set back and an hour
 * repeats, a handoff in that hour happens only in its first occurrence.
 */
export function findTurn(turns: Turns, atMs: number): number {
  const localMs = turns.zone.toLocal(atMs);
  let index = Math.floor((localMs - turns.anchorMs) / turns.stepMs);
  while (findHandoff(turns, index) > atMs) index -= 1;
  while (findHandoff(turns, index + 1) <= atMs) index += 1;
  return index;
}

export function hasLeft({ departures }: Plan, userId: string, atMs: number): boolean {
  const leftAtMs = departures.get(userId);
  return leftAtMs !== undefined && leftAtMs <= atMs;
}

/**
 * Returns the participant who has a turn at a given time. The turn of a former member goes to the
 * next participant. Returns `null` if all participants have left.
 */
export function findParticipant(
  plan: Plan,
  layer: Layer,
  turn: number,
  atMs: number,
): string | null {
  const { participants } = layer;
  for (let offset = 0; offset < participants.length; offset += 1) {
    const userId = participants[(turn + offset) % participants.length];
    if (userId !== undefined && !hasLeft(plan, userId, atMs)) return userId;
  }
  return null;
}

/**
 * Returns the hours of a restriction that start on the given local day; `null` if the restriction
 * does not include this day.
 */
export function findHours(zone: Zone, restriction: Restriction, midnightMs: number): Span | null {
  const day = weekdays[(Math.floor(midnightMs / dayMs) + 3) % 7];
  if (day === undefined || !restriction.days.includes(day)) return null;
  const from = parseTimeOfDay(restriction.from);
  const to = parseTimeOfDay(restriction.to);
  return {
    fromMs: zone.toInstant(midnightMs + from),
    toMs: zone.toInstant(midnightMs + to + (to <= from ? dayMs : 0)),
  };
}

export const floorDay = (localMs: number) => Math.floor(localMs / dayMs) * dayMs;

function isPermitted(zone: Zone, layer: Layer, atMs: number): boolean {
  if (layer.restrictions.length === 0) return true;
  const todayMs = floorDay(zone.toLocal(atMs));
  // Check the next day too: if clocks go back at midnight, the previous local day repeats.
  return [todayMs - dayMs, todayMs, todayMs + dayMs].some((midnightMs) =>
    layer.restrictions.some((restriction) => {
      const hours = findHours(zone, restriction, midnightMs);
      return hours !== null && hours.fromMs <= atMs && atMs < hours.toMs;
    }),
  );
}

function findInLayer(plan: Plan, layer: Layer, atMs: number): string | null {
  const zone = getZone(plan.timeZone);
  const turns = readTurns(zone, layer);
  if (atMs < turns.fromMs || atMs >= turns.toMs) return null;
  if (!isPermitted(zone, layer, atMs)) return null;
  return findParticipant(plan, layer, findTurn(turns, atMs), atMs);
}

/** Returns the id of the user who is on call at the given time; `null` if nobody is on call. */
export function onCallAt(plan: Plan, atMs: number): string | null {
  for (const override of plan.overrides.toReversed()) {
    const { userId, fromMs, toMs } = override;
    if (fromMs > atMs || atMs >= toMs) continue;
    // Skip the override if its person has left the account.
    if (userId === null || !hasLeft(plan, userId, atMs)) return userId;
  }
  for (const layer of plan.layers.toReversed()) {
    const userId = findInLayer(plan, layer, atMs);
    if (userId !== null) return userId;
  }
  return null;
}

/** The fields of a schedule that people can change. */
export interface ScheduleInput {
  readonly name: string;
  readonly timeZone: string;
  readonly layers: readonly Layer[];
  /** Whether times when nobody is on call are reported. */
  readonly warnsAboutGaps: boolean;
}

export interface Schedule extends ScheduleInput {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Maximum number of schedules per account. */
export const maxSchedules = 500;

interface Fault {
  readonly key: string;
  readonly rule: string;
}

function findLayerFault({ start, end }: Layer): Fault | null {
  const rule = "must be an existing local time between the years 2000 and 2199";
  if (!isLocalTime(start)) return { key: "start", rule };
  if (end === null) return null;
  if (!isLocalTime(end)) return { key: "end", rule };
  return parseLocalTime(end) > parseLocalTime(start)
    ? null
    : { key: "end", rule: "must be after start" };
}

/** Returns the first invalid field of the layers; `null` if they are valid. */
export function findLayersFault(layers: readonly Layer[]): Fault | null {
  for (const [index, layer] of layers.entries()) {
    const fault = findLayerFault(layer);
    if (fault !== null) return { ...fault, key: `layers.${index}.${fault.key}` };
  }
  return null;
}

/** Lists the ids of all users in the given layers. */
export function listParticipants(layers: readonly Layer[]): string[] {
  return [...new Set(layers.flatMap(({ participants }) => participants))];
}
