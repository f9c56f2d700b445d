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
  /** Local time of a handoff, such as `09:00`. */
  readonly handoffTime: string;
  /** Used by weekly rotations only. */
  readonly handoffDay: Weekday;
}

/** Local hours of some weekdays. If `to` is not after `from`, they end on the next day. */
export interface Restriction {
  readonly days: readonly Weekday[];
  readonly from: string;
  readonly to: string;
}

export interface Layer {
  readonly name: string;
  /** Ids of users, in the order of their turns. One may occur several times. */
  readonly participants: readonly string[];
  readonly rotation: Rotation;
  /** Local time of the first turn, such as `2026-11-16T09:00`. */
  readonly start: string;
  /** Local time after which nobody has a turn; `null` if the layer has no end. */
  readonly end: string | null;
  /** Someone is on call during these hours only; at any time if empty. */
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

/** Everything that decides who is on call. */
export interface Plan {
  readonly timeZone: string;
  /** A later layer wins where it has somebody. */
  readonly layers: readonly Layer[];
  /** Oldest first; a newer override wins. */
  readonly overrides: readonly Override[];
  /** When participants left the account, by user id. */
  readonly departures: ReadonlyMap<string, number>;
}

/** Who is on call during a part of a turn, and why. */
export interface Shift extends Span {
  /** `null` if nobody is on call. */
  readonly userId: string | null;
  /** Index of the layer; `null` for an override or a gap. */
  readonly layer: number | null;
  readonly overrideId: string | null;
}

const unitMs: Readonly<Record<RotationUnit, number>> = {
  HOUR: hourMs,
  DAY: dayMs,
  WEEK: weekMs,
};
/** The first Monday after the start of 1970, where local times start. */
const mondayMs = 4 * dayMs;

/** The turns of a layer as arithmetic on local times. */
export interface Turns {
  readonly zone: Zone;
  /** Local time of the handoff at or before the layer's start. */
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
 * Returns the index of the newest turn that has started. In the hour that repeats when clocks are
 * set back, a handoff has already passed when the hour begins for the second time.
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

/** The turn of somebody who left falls to the next participant; `null` if all have left. */
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

/** Returns the hours of a restriction that start on the day of a local midnight. */
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
  // Clocks that are set back at midnight repeat the day before.
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

/** Returns the id of the user who is on call; `null` if nobody is. */
export function onCallAt(plan: Plan, atMs: number): string | null {
  for (const override of plan.overrides.toReversed()) {
    const { userId, fromMs, toMs } = override;
    if (fromMs > atMs || atMs >= toMs) continue;
    // An override by somebody who left the account has no effect.
    if (userId === null || !hasLeft(plan, userId, atMs)) return userId;
  }
  for (const layer of plan.layers.toReversed()) {
    const userId = findInLayer(plan, layer, atMs);
    if (userId !== null) return userId;
  }
  return null;
}

/** A schedule as people edit it. */
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

/** Maximum number of schedules of an account. */
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

/** Lists the ids of all users that layers name. */
export function listParticipants(layers: readonly Layer[]): string[] {
  return [...new Set(layers.flatMap(({ participants }) => participants))];
}
