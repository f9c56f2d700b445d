import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database.ts";
import { dayMs, getZone } from "./local-time.ts";
import { listOverridesIn, type StoredOverride } from "./override-store.ts";
import { joinSpans, joinTurns, listGaps, renderShifts } from "./rendering.ts";
import {
  listParticipants,
  type Plan,
  type Schedule,
  type ScheduleInput,
  type Shift,
  type Span,
} from "./schedule.ts";
import { listEverySchedule, listPeople, listVersionsSince, type Person } from "./store.ts";

export interface OnCallContext {
  readonly db: Database;
  readonly clock: Clock;
}

/** A schedule and the data that decides who is on call. */
export interface Planned<Source> {
  readonly schedule: Source;
  readonly plan: Plan;
  /** The people whom the schedule or its overrides name, by user id. */
  readonly people: ReadonlyMap<string, Person>;
}

/** Returns a placeholder for a deleted user, who is neither a member nor a former member. */
const deletedUser = (userId: string): Person => ({
  userId,
  name: "Deleted user",
  leftAt: new Date(0),
});

export async function mapPeople(
  db: Database,
  accountId: string,
  userIds: readonly string[],
): Promise<Map<string, Person>> {
  const ids = [...new Set(userIds)];
  const found = new Map(
    (await listPeople(db, accountId, ids)).map((person) => [person.userId, person]),
  );
  return new Map(ids.map((id) => [id, found.get(id) ?? deletedUser(id)]));
}

function createPlan(
  { timeZone, layers }: ScheduleInput,
  overrides: readonly StoredOverride[],
  people: ReadonlyMap<string, Person>,
): Plan {
  const left = [...people.values()].flatMap(({ userId, leftAt }) =>
    leftAt === null ? [] : [[userId, leftAt.getTime()] as const],
  );
  return {
    timeZone,
    layers,
    overrides: overrides.map(({ id, userId, startsAt, endsAt }) => ({
      id,
      userId,
      fromMs: startsAt.getTime(),
      toMs: endsAt.getTime(),
    })),
    departures: new Map(left),
  };
}

/**
 * Loads the data that decides who is on call during a time range, with two queries for all
 * schedules.
 */
export async function loadPlans<Source extends ScheduleInput & { readonly id: string | null }>(
  db: Database,
  accountId: string,
  { schedules, range }: { readonly schedules: readonly Source[]; readonly range: Span },
): Promise<Planned<Source>[]> {
  const scheduleIds = schedules.flatMap(({ id }) => (id === null ? [] : [id]));
  const span = { from: new Date(range.fromMs), to: new Date(range.toMs) };
  const overrides = await listOverridesIn(db, accountId, { scheduleIds, ...span });
  const bySchedule = Map.groupBy(overrides, ({ scheduleId }) => scheduleId);
  const all = schedules.map((schedule) => {
    const own = bySchedule.get(schedule.id ?? "") ?? [];
    const replacing = own.flatMap(({ userId }) => (userId === null ? [] : [userId]));
    return {
      schedule,
      own,
      ids: [...new Set([...listParticipants(schedule.layers), ...replacing])],
    };
  });
  const people = await mapPeople(
    db,
    accountId,
    all.flatMap(({ ids }) => ids),
  );
  return all.map(({ schedule, own, ids }) => {
    const named = new Map(ids.map((id) => [id, people.get(id) ?? deletedUser(id)]));
    return { schedule, plan: createPlan(schedule, own, named), people: named };
  });
}

/** A schedule with its shifts, rendered with the settings that applied at each time. */
export interface RenderedHistory {
  readonly schedule: Schedule;
  readonly people: ReadonlyMap<string, Person>;
  readonly shifts: readonly Shift[];
}

/**
 * Renders schedules with the settings that applied at each time, so that later changes do not alter
 * past shifts.
 */
export async function renderHistory(
  db: Database,
  accountId: string,
  { schedules, range }: { readonly schedules: readonly Schedule[]; readonly range: Span },
): Promise<RenderedHistory[]> {
  const scheduleIds = schedules.map(({ id }) => id);
  const since = { scheduleIds, from: new Date(range.fromMs) };
  const versions = await listVersionsSince(db, accountId, since);
  const bySchedule = Map.groupBy(versions, ({ scheduleId }) => scheduleId);
  const parts = schedules.flatMap((schedule) => {
    const ended = bySchedule.get(schedule.id) ?? [];
    const ends = ended.map(({ endedAt }) => Math.min(endedAt.getTime(), range.toMs));
    const all: readonly Pick<Schedule, "timeZone" | "layers">[] = [...ended, schedule];
    return all.map(({ timeZone, layers }, index) => ({
      ...{ ...schedule, timeZone, layers, schedule },
      fromMs: ends[index - 1] ?? range.fromMs,
      toMs: ends[index] ?? range.toMs,
    }));
  });
  const counted = parts.filter(({ fromMs, toMs }) => fromMs < toMs);
  const planned = await loadPlans(db, accountId, { schedules: counted, range });
  const byId = Map.groupBy(planned, ({ schedule }) => schedule.id);
  return schedules.map((schedule) => {
    const own = byId.get(schedule.id) ?? [];
    return {
      schedule,
      people: new Map(own.flatMap(({ people }) => [...people])),
      shifts: own.flatMap(({ plan, schedule: span }) => renderShifts(plan, span)),
    };
  });
}

export async function renderEverySchedule(
  db: Database,
  accountId: string,
  range: Span,
): Promise<RenderedHistory[]> {
  const schedules = await listEverySchedule(db, accountId);
  return renderHistory(db, accountId, { schedules, range });
}

/** Total time on call of a person. Overlapping shifts of several schedules count only once. */
export interface TimeOnCall {
  readonly person: Person;
  readonly ms: number;
  /** Time zone of the first schedule in which the person was on call. */
  readonly timeZone: string;
}

export async function sumTimeOnCall(
  db: Database,
  accountId: string,
  range: Span,
): Promise<TimeOnCall[]> {
  const found = new Map<string, { person: Person; timeZone: string; spans: Span[] }>();
  for (const one of await renderEverySchedule(db, accountId, range)) {
    for (const { userId, fromMs, toMs } of one.shifts) {
      const person = userId === null ? undefined : one.people.get(userId);
      if (person === undefined) continue;
      const entry = found.get(person.userId) ?? {
        ...{ person, timeZone: one.schedule.timeZone, spans: [] },
      };
      entry.spans.push({ fromMs, toMs });
      found.set(person.userId, entry);
    }
  }
  return [...found.values()].map(({ person, timeZone, spans }) => ({
    ...{ person, timeZone },
    ms: joinSpans(spans).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0),
  }));
}

/** How far ahead handoffs are found. `gapHorizonMs` is how far ahead gaps are reported. */
export const horizonMs = 31 * dayMs;
export const gapHorizonMs = 14 * dayMs;
const maxGaps = 20;

/** A time when nobody is on call. `toMs` is `null` if it does not end within the horizon. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number | null;
}

export interface OnCallNow {
  readonly current: Shift;
  /** Time of the next handoff; `null` if there is none within the horizon. */
  readonly untilMs: number | null;
  /** Next shift in which somebody is on call; `null` if there is none within the horizon. */
  readonly next: Shift | null;
  readonly gaps: readonly Gap[];
}

/** Returns who is on call now and next, and the next times when nobody is on call. */
export function decideNow(plan: Plan, nowMs: number): OnCallNow {
  const endMs = nowMs + horizonMs;
  const shifts = renderShifts(plan, { fromMs: nowMs, toMs: endMs });
  const [current, ...later] = joinTurns(shifts);
  if (current === undefined) throw new Error("A range was rendered without shifts.");
  return {
    current,
    untilMs: current.toMs < endMs ? current.toMs : null,
    next: later.find(({ userId }) => userId !== null) ?? null,
    gaps: listGaps(shifts)
      .filter(({ fromMs }) => fromMs < nowMs + gapHorizonMs)
      .slice(0, maxGaps)
      .map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs < endMs ? toMs : null })),
  };
}

/** Formats a time in a time zone, such as `Sat 21 Nov 18:00`. */
export function formatZoned(timeZone: string, atMs: number): string {
  const text = new Date(getZone(timeZone).toLocal(atMs)).toUTCString();
  const [weekday = "", day = "", month = "", , time = ""] = text.split(" ");
  return `${weekday.slice(0, 3)} ${Number(day)} ${month} ${time.slice(0, 5)}`;
}

/** Returns a sentence about the first gap; `null` if there are no gaps. */
export function describeGap(timeZone: string, gaps: readonly Gap[], nowMs: number): string | null {
  const [gap] = gaps;
  if (gap === undefined) return null;
  const format = (atMs: number) => formatZoned(timeZone, atMs);
  const until = gap.toMs === null ? "" : ` to ${format(gap.toMs)}`;
  if (gap.fromMs > nowMs) {
    return `Nobody is on call from ${format(gap.fromMs)}${until} (${timeZone}).`;
  }
  return gap.toMs === null
    ? "Nobody is on call."
    : `Nobody is on call now, until ${format(gap.toMs)} (${timeZone}).`;
}
