import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { invalid } from "../../../platform/errors.ts";
import { isTimeZone } from "../../../platform/text/time.ts";
import { dayMs, formatLocalTime, getZone, hourMs, isLocalTime, minuteMs } from "../local-time.ts";
import { type Layer, type Restriction, type Rotation, weekdays } from "../schedule.ts";

const dayMinutes = 1_440;
export const weekMinutes = 7 * dayMinutes;
const maxLayers = 10;
const maxParticipants = 50;
const maxRestrictions = 20;
const maxInterval = 366;

/** Target of an escalation step, as the other on-call product names it. */
export type DraftTarget =
  | { readonly person: string }
  | { readonly scheduleKey: string; readonly scheduleName: string };

export interface DraftPolicy {
  readonly name: string;
  readonly steps: readonly {
    readonly afterMinutes: number;
    readonly targets: readonly DraftTarget[];
  }[];
  readonly repeat: number;
  readonly repeatAfterMinutes: number;
}

/** An imported schedule. Participants are email addresses, or names if no address is known. */
export interface DraftSchedule {
  /** Id of the schedule in the other product. */
  readonly key: string;
  readonly name: string;
  readonly timeZone: string;
  readonly layers: readonly Layer[];
}

export interface LeftOut {
  readonly name: string;
  readonly why: string;
}

/** Converted schedules (lowest layer first) and policies, and the parts that are left out. */
export interface Draft {
  readonly schedules: DraftSchedule[];
  readonly policies: DraftPolicy[];
  readonly leftOut: LeftOut[];
}

export const createDraft = (): Draft => ({ schedules: [], policies: [], leftOut: [] });

/** Joins the names of an object and its part, such as "Primary / Weekly". */
export const joinNames = (...names: readonly string[]) =>
  names.map((name) => name.slice(0, 200).toWellFormed()).join(" / ");

/** Truncates a name to `limit` characters. An empty name is replaced by `fallback`. */
export function fitName(name: string | null | undefined, fallback: string, limit: number): string {
  const short = (name ?? "").trim().slice(0, limit).toWellFormed();
  return short === "" ? fallback : short;
}

/** Creates a function that rejects a value that does not match a schema, naming the first fault. */
export function createShapeTest(schema: TSchema) {
  let validator: ReturnType<typeof Compile> | undefined;
  return (value: unknown, place: string): void => {
    validator ??= Compile(schema);
    if (validator.Check(value)) return;
    const [fault] = validator.Errors(value);
    const path = (fault?.instancePath ?? "").replaceAll("/", ".");
    throw invalid(`${place}${path}`, fault?.message ?? "has a wrong shape");
  };
}

/** A span of a week, which starts `from` minutes after Monday 00:00. */
interface WeekSpan {
  readonly from: number;
  readonly minutes: number;
}

const formatMinute = (minute: number) =>
  formatLocalTime((minute % dayMinutes) * minuteMs).slice("1970-01-01T".length);

/**
 * Converts spans to restrictions of at most one day each. Returns an empty list if a span covers
 * the week.
 */
export function toRestrictions(spans: readonly WeekSpan[]): Restriction[] {
  if (spans.some(({ minutes }) => minutes >= weekMinutes)) return [];
  const days = new Map<string, Set<number>>();
  for (const { from, minutes } of spans) {
    for (let done = 0; done < minutes; done += dayMinutes) {
      const start = (from + done) % weekMinutes;
      const end = start + Math.min(dayMinutes, minutes - done);
      const hours = `${formatMinute(start)} ${formatMinute(end)}`;
      const known = days.get(hours) ?? new Set();
      days.set(hours, known.add(Math.floor(start / dayMinutes)));
    }
  }
  return [...days].map(([hours, numbers]) => ({
    days: weekdays.filter((_day, index) => numbers.has(index)),
    from: hours.slice(0, 5),
    to: hours.slice(6),
  }));
}

/** Returns a span of the same hours for each day of the week. */
export const everyDay = (from: number, minutes: number): WeekSpan[] =>
  weekdays.map((_day, index) => ({ from: index * dayMinutes + from, minutes }));

/** Returns how many minutes after Monday 00:00 a local time is. */
export function minuteOfWeek(localMs: number): number {
  const day = (Math.floor(localMs / dayMs) + 3) % 7;
  return day * dayMinutes + Math.floor((localMs % dayMs) / minuteMs);
}

/** Converts the length of a turn to weeks, days or hours; `null` if it is not whole hours. */
export function toTurn(lengthMs: number): Pick<Rotation, "unit" | "interval"> | null {
  const units = [
    ["WEEK", 7 * dayMs],
    ["DAY", dayMs],
    ["HOUR", hourMs],
  ] as const;
  const found = units.find(([, unitMs]) => lengthMs > 0 && lengthMs % unitMs === 0);
  return found === undefined ? null : { unit: found[0], interval: lengthMs / found[1] };
}

export interface LayerDraft extends Pick<Rotation, "unit" | "interval"> {
  readonly name: string;
  readonly participants: readonly string[];
  /** Local time of a handoff to the first participant of the layer. */
  readonly handoffMs: number;
  /** Local start of the layer. `endMs` is a local time too. */
  readonly startMs: number;
  readonly endMs: number | null;
  readonly restrictions: readonly Restriction[];
}

function findLayerFault(layer: LayerDraft, nowMs: number): string | null {
  const { participants, interval, handoffMs, startMs, endMs, restrictions } = layer;
  const times = [handoffMs, startMs, ...(endMs === null ? [] : [endMs])];
  if (!times.every(Number.isFinite)) return "Its times cannot be read.";
  if (endMs !== null && endMs <= Math.max(startMs, nowMs)) return "It has ended.";
  if (!times.every((ms) => Math.abs(ms) < 8e15 && isLocalTime(formatLocalTime(ms)))) {
    return "It is not between the years 2000 and 2199.";
  }
  if (participants.length === 0) return "It has no participants.";
  if (participants.length > maxParticipants) {
    return `It has more than ${maxParticipants} participants.`;
  }
  if (interval < 1 || interval > maxInterval) return "Its turns are too long.";
  if (restrictions.length > maxRestrictions) {
    return `It has more than ${maxRestrictions} different hours.`;
  }
  return null;
}

/** Converts a schedule of another product. Local times are in the schedule's time zone. */
export class ScheduleBuilder {
  readonly #draft: Draft;
  readonly #names: { readonly key: string; readonly name: string };
  readonly #timeZone: string;
  readonly #nowMs: number;
  readonly #layers: Layer[] = [];

  constructor(
    draft: Draft,
    names: { readonly key: string; readonly name: string },
    zone: { readonly timeZone: string; readonly nowMs: number },
  ) {
    this.#draft = draft;
    this.#names = { key: names.key, name: fitName(names.name, "Schedule", 200) };
    this.#timeZone = isTimeZone(zone.timeZone) ? zone.timeZone : "UTC";
    if (this.#timeZone !== zone.timeZone) {
      this.leaveOut(
        "",
        `The time zone ${fitName(zone.timeZone, "", 64)} is not known; UTC is used.`,
      );
    }
    this.#nowMs = getZone(this.#timeZone).toLocal(zone.nowMs);
  }

  /**
   * Reports a part of the schedule that is not imported, or the whole schedule if `part` is empty.
   */
  leaveOut(part: string, why: string): void {
    const name = part === "" ? this.#names.name : joinNames(this.#names.name, part);
    this.#draft.leftOut.push({ name, why });
  }

  /** Converts an instant to a local time, rounded down to whole minutes. */
  toLocal(instantMs: number): number {
    if (!Number.isFinite(instantMs)) return Number.NaN;
    return Math.floor(getZone(this.#timeZone).toLocal(instantMs) / minuteMs) * minuteMs;
  }

  /** Adds a layer above the existing layers, or reports why the layer cannot be imported. */
  addLayer(layer: LayerDraft) {
    const fault = findLayerFault(layer, this.#nowMs);
    const name = fitName(layer.name, `Layer ${this.#layers.length + 1}`, 100);
    if (fault !== null) return this.leaveOut(name, fault);
    if (this.#layers.length === maxLayers) {
      return this.leaveOut(name, `A schedule has at most ${maxLayers} layers.`);
    }
    const { participants, unit, interval, handoffMs, startMs, endMs, restrictions } = layer;
    const handoffDay = weekdays[Math.floor(minuteOfWeek(handoffMs) / dayMinutes)] ?? "MONDAY";
    const handoffTime = formatLocalTime(handoffMs).slice("2026-11-16T".length);
    this.#layers.push({
      name,
      participants,
      rotation: { unit, interval, handoffTime, handoffDay },
      start: formatLocalTime(startMs),
      end: endMs === null ? null : formatLocalTime(endMs),
      restrictions,
    });
  }

  finish() {
    if (this.#layers.length === 0) return this.leaveOut("", "No layer of it can be imported.");
    const schedule = { ...this.#names, timeZone: this.#timeZone, layers: this.#layers };
    this.#draft.schedules.push(schedule);
  }
}

const maxStepMinutes = 10_080;
const maxSteps = 10;
const maxTargets = 10;

/**
 * Adds an escalation policy, or reports why it cannot be imported. Each entry of `pages` has one
 * target, and entries with equal times become one step.
 */
export function addPolicy(
  draft: Draft,
  policy: Omit<DraftPolicy, "steps"> & {
    readonly pages: readonly { readonly afterMinutes: number; readonly target: DraftTarget }[];
  },
) {
  const { pages, repeat, repeatAfterMinutes } = policy;
  const name = fitName(policy.name, "Policy", 100);
  const leaveOut = (why: string) => draft.leftOut.push({ name, why });
  const soon = pages.filter(({ afterMinutes }) => afterMinutes <= maxStepMinutes);
  if (soon.length < pages.length) leaveOut("Steps after more than 7 days are not imported.");
  const groups = Map.groupBy(soon, ({ afterMinutes }) => afterMinutes);
  const steps = [...groups]
    .toSorted(([one], [other]) => one - other)
    .map(([afterMinutes, own]) => {
      const targets = new Map(own.map(({ target }) => [JSON.stringify(target), target]));
      return { afterMinutes, targets: [...targets.values()] };
    });
  if (steps.length === 0) return void leaveOut("No step of it can be imported.");
  if (steps.length > maxSteps) leaveOut(`Only the first ${maxSteps} steps are imported.`);
  if (steps.some(({ targets }) => targets.length > maxTargets)) {
    leaveOut(`Only the first ${maxTargets} targets of a step are imported.`);
  }
  if (repeat > 9) leaveOut(`It is repeated 9 times instead of ${repeat}.`);
  draft.policies.push({
    name,
    steps: steps
      .slice(0, maxSteps)
      .map((step) => ({ ...step, targets: step.targets.slice(0, maxTargets) })),
    repeat: Math.min(Math.max(repeat, 0), 9),
    repeatAfterMinutes: Math.min(Math.max(repeatAfterMinutes, 1), 1_440),
  });
}
