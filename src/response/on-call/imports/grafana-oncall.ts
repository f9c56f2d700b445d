import { Type } from "typebox";
import { invalid } from "../../../platform/errors.ts";
import { isTimeZone } from "../../../platform/text/time.ts";
import { dayMs, getZone, hourMs, minuteMs, weekMs } from "../local-time.ts";
import { maxSchedules, type Restriction } from "../schedule.ts";
import {
  addPolicy,
  createDraft,
  createShapeTest,
  type Draft,
  type DraftTarget,
  everyDay,
  fitName,
  joinNames,
  type LayerDraft,
  minuteOfWeek,
  ScheduleBuilder,
  toRestrictions,
} from "./draft.ts";

const orNull = <Shape extends Parameters<typeof Type.Optional>[0]>(shape: Shape) =>
  Type.Optional(Type.Union([shape, Type.Null()]));
const Text = Type.String({ maxLength: 1_000 });
const OptionalText = orNull(Text);
const Ids = Type.Array(Text, { maxItems: 1_000 });
const Day = Type.String({ pattern: "^(?:SU|MO|TU|WE|TH|FR|SA)$" });
const days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

const UserShape = Type.Object({
  id: Text,
  email: OptionalText,
  username: OptionalText,
  name: OptionalText,
});
const ScheduleShape = Type.Object({
  id: Text,
  name: Text,
  type: Text,
  time_zone: OptionalText,
  shifts: orNull(Ids),
  ical_url_overrides: OptionalText,
});
const ShiftShape = Type.Object({
  id: Text,
  name: OptionalText,
  type: Text,
  time_zone: OptionalText,
  level: orNull(Type.Integer()),
  start: Text,
  duration: Type.Integer({ minimum: 1 }),
  frequency: OptionalText,
  interval: orNull(Type.Integer({ minimum: 1 })),
  until: OptionalText,
  week_start: orNull(Day),
  by_day: orNull(Type.Array(Day, { maxItems: 7 })),
  by_month: orNull(Type.Array(Type.Integer())),
  by_monthday: orNull(Type.Array(Type.Integer())),
  users: orNull(Ids),
  rolling_users: orNull(Type.Array(Ids, { maxItems: 1_000 })),
  start_rotation_from_user_index: orNull(Type.Integer({ minimum: 0 })),
});
const ChainShape = Type.Object({ id: Text, name: Text });
const StepShape = Type.Object({
  escalation_chain_id: Text,
  position: orNull(Type.Integer()),
  type: Text,
  duration: orNull(Type.Number({ minimum: 0, maximum: 31_536_000 })),
  persons_to_notify: orNull(Ids),
  notify_on_call_from_schedule: OptionalText,
});
const ListShape = Type.Object({ results: Type.Array(Type.Object({}), { maxItems: 10_000 }) });

const assertList = createShapeTest(ListShape);
const shapes = {
  users: createShapeTest(UserShape),
  schedules: createShapeTest(ScheduleShape),
  shifts: createShapeTest(ShiftShape),
  chains: createShapeTest(ChainShape),
  steps: createShapeTest(StepShape),
};

type GrafanaUser = Type.Static<typeof UserShape>;
type GrafanaSchedule = Type.Static<typeof ScheduleShape>;
type GrafanaShift = Type.Static<typeof ShiftShape>;
type GrafanaChain = Type.Static<typeof ChainShape>;
type GrafanaStep = Type.Static<typeof StepShape>;

/**
 * Returns the type of an entry. It is derived from the fields of the entry, because the responses
 * do not contain the type.
 */
function classify(entry: object): keyof typeof shapes {
  if ("escalation_chain_id" in entry) return "steps";
  if ("duration" in entry && "start" in entry) return "shifts";
  if ("type" in entry) return "schedules";
  return "email" in entry || "username" in entry ? "users" : "chains";
}

interface GrafanaData {
  readonly users: ReadonlyMap<string, GrafanaUser>;
  readonly schedules: readonly GrafanaSchedule[];
  readonly scheduleNames: ReadonlyMap<string, string>;
  readonly shifts: ReadonlyMap<string, GrafanaShift>;
  readonly chains: readonly GrafanaChain[];
  /** Escalation steps by the id of their escalation chain. */
  readonly steps: ReadonlyMap<string, readonly GrafanaStep[]>;
}

function readDocuments(documents: readonly unknown[]): GrafanaData {
  const found: Record<keyof typeof shapes, object[]> = {
    ...{ users: [], schedules: [], shifts: [], chains: [], steps: [] },
  };
  for (const [index, document] of documents.entries()) {
    assertList(document, `documents.${index}`);
    for (const [row, entry] of (document as Type.Static<typeof ListShape>).results.entries()) {
      const kind = classify(entry);
      shapes[kind](entry, `documents.${index}.results.${row}`);
      found[kind].push(entry);
    }
  }
  const users = found.users as GrafanaUser[];
  const shifts = found.shifts as GrafanaShift[];
  const schedules = found.schedules as GrafanaSchedule[];
  if (schedules.length > maxSchedules) {
    throw invalid("documents", `must have at most ${maxSchedules} schedules; import them in parts`);
  }
  return {
    users: new Map(users.map((user) => [user.id, user])),
    schedules,
    scheduleNames: new Map(schedules.map(({ id, name }) => [id, name])),
    shifts: new Map(shifts.map((shift) => [shift.id, shift])),
    chains: found.chains as GrafanaChain[],
    steps: Map.groupBy(found.steps as GrafanaStep[], (step) => step.escalation_chain_id),
  };
}

function namePerson(users: GrafanaData["users"], id: string): string {
  const user = users.get(id);
  return user?.email || user?.username || user?.name || id;
}

/**
 * Rotation and hours that a shift is converted to, or the reason why the shift has no equivalent.
 */
type Recurrence =
  | (Pick<LayerDraft, "unit" | "interval" | "restrictions"> & { readonly handoffMs: number })
  | string;

/** Moves a local time to the first day of its week. The time of day stays the same. */
function findWeekStart(localMs: number, weekStart: string | null | undefined): number {
  const day = Math.floor(minuteOfWeek(localMs) / 1_440);
  return localMs - ((day - days.indexOf(weekStart ?? "SU") + 7) % 7) * dayMs;
}

/**
 * Converts the recurrence of a shift. The weekdays of the shift move by `shiftDays` days, because
 * the schedule may have a different time zone.
 */
function readRecurrence(shift: GrafanaShift, startMs: number, shiftDays: number): Recurrence {
  const interval = shift.interval ?? 1;
  const { frequency } = shift;
  const weekMinute = minuteOfWeek(startMs);
  const minutes = Math.ceil(shift.duration / 60);
  const durationMs = shift.duration * 1_000;
  const byDay = shift.by_day ?? [];
  if ((shift.by_month?.length ?? 0) > 0 || (shift.by_monthday?.length ?? 0) > 0) {
    return "Months and days of a month have no equivalent.";
  }
  const isAlone = shift.type === "recurrent_event" || (shift.rolling_users ?? []).length === 1;
  const units = {
    hourly: { unit: "HOUR", ms: hourMs },
    daily: { unit: "DAY", ms: dayMs },
    weekly: { unit: "WEEK", ms: weekMs },
  } as const;
  const known = units[frequency as keyof typeof units];
  if (known === undefined) return `The frequency ${frequency ?? "none"} has no equivalent.`;
  const base = { unit: known.unit, interval, handoffMs: startMs };
  const isWhole = durationMs === known.ms * interval && byDay.length === 0;
  if (isWhole) return { ...base, restrictions: [] };
  if (interval > 1 || known.unit === "HOUR") {
    return "Shifts that do not fill an interval of several periods have no equivalent.";
  }
  if (known.unit === "DAY" && byDay.length > 0 && !isAlone) {
    return "Daily turns that skip days have no equivalent.";
  }
  const restrict = (spans: Parameters<typeof toRestrictions>[0]): Restriction[] =>
    toRestrictions(spans);
  if (byDay.length > 0) {
    const spans = byDay.map((day) => ({
      from: ((days.indexOf(day) + shiftDays + 7) % 7) * 1_440 + (weekMinute % 1_440),
      minutes,
    }));
    const handoffMs = findWeekStart(startMs - shiftDays * dayMs, shift.week_start);
    const base = { unit: "WEEK", interval: 1, handoffMs: handoffMs + shiftDays * dayMs } as const;
    return { ...base, restrictions: restrict(spans) };
  }
  if (known.unit === "DAY")
    return {
      ...base,
      restrictions: restrict(everyDay(weekMinute % 1_440, Math.min(minutes, 1_440))),
    };
  return { ...base, restrictions: restrict([{ from: weekMinute, minutes }]) };
}

/** Converts a local time such as `2020-09-10T08:00:00` to an instant. */
function toInstant(text: string, timeZone: string): number {
  const localMs = Date.parse(`${text.replace(/Z$/, "")}Z`);
  return Number.isFinite(localMs) ? getZone(timeZone).toInstant(localMs) : Number.NaN;
}

/** Lists the groups of people who take turns, starting with the group that has the first turn. */
function listTurns(shift: GrafanaShift): readonly (readonly string[])[] {
  if (shift.type !== "rolling_users") return [shift.users ?? []];
  const groups = (shift.rolling_users ?? []).filter((group) => group.length > 0);
  const first = (shift.start_rotation_from_user_index ?? 0) % Math.max(groups.length, 1);
  return [...groups.slice(first), ...groups.slice(0, first)];
}

function addShift(
  builder: ScheduleBuilder,
  shift: GrafanaShift,
  { users, timeZone }: { readonly users: GrafanaData["users"]; readonly timeZone: string },
) {
  const name = fitName(shift.name, shift.id, 100);
  const own = shift.time_zone ?? timeZone;
  if (!isTimeZone(own)) return builder.leaveOut(name, "Its time zone is not known.");
  const instantMs = toInstant(shift.start, own);
  const startMs = builder.toLocal(instantMs);
  if (!Number.isFinite(startMs)) return builder.leaveOut(name, "Its times cannot be read.");
  if (own !== timeZone) {
    builder.leaveOut(name, `Its hours follow the clocks of ${timeZone} instead of ${own}.`);
  }
  const turns = listTurns(shift);
  if (turns.some((group) => group.length > 1)) {
    builder.leaveOut(name, "Of several people at the same time, only the first is on call.");
  }
  const participants = turns.flatMap(([id]) => (id === undefined ? [] : [namePerson(users, id)]));
  const layer = { name, participants, startMs };
  if (shift.type === "single_event" || shift.type === "override") {
    const endMs = builder.toLocal(instantMs + Math.max(shift.duration * 1_000, minuteMs));
    const once = { unit: "DAY", interval: 366, handoffMs: startMs, endMs } as const;
    return builder.addLayer({ ...layer, ...once, restrictions: [] });
  }
  const localDay = Math.floor((instantMs + offsetOf(own, instantMs)) / dayMs);
  const recurrence = readRecurrence(shift, startMs, Math.floor(startMs / dayMs) - localDay);
  if (typeof recurrence === "string") return builder.leaveOut(name, recurrence);
  const endMs = shift.until ? builder.toLocal(toInstant(shift.until, own)) : null;
  builder.addLayer({ ...layer, ...recurrence, endMs });
}

const offsetOf = (timeZone: string, atMs: number) => getZone(timeZone).toLocal(atMs) - atMs;

const levelOf = ({ type, level }: GrafanaShift) =>
  type === "override" ? Number.POSITIVE_INFINITY : (level ?? 0);

function addSchedule(
  draft: Draft,
  row: GrafanaSchedule,
  { users, shifts, nowMs }: GrafanaData & { readonly nowMs: number },
) {
  const timeZone = row.time_zone ?? "UTC";
  const zone = { timeZone, nowMs };
  const builder = new ScheduleBuilder(draft, { key: row.id, name: row.name }, zone);
  if (row.type === "ical") {
    return builder.leaveOut("", "It is a calendar of another program; create its rotation here.");
  }
  const known = (row.shifts ?? []).flatMap((id) => shifts.get(id) ?? []);
  const missing = (row.shifts ?? []).filter((id) => !shifts.has(id));
  for (const id of missing) builder.leaveOut(id, "The shift is not among the documents.");
  if (row.ical_url_overrides) {
    builder.leaveOut("overrides", "Overrides of a calendar are not imported.");
  }
  const ordered = known.toSorted((one, other) => levelOf(one) - levelOf(other));
  const levels = ordered.map(levelOf);
  if (levels.some((level, index) => level === levels[index - 1])) {
    const why = "Where shifts of one level overlap, only the person of the last one is on call.";
    builder.leaveOut("", why);
  }
  for (const shift of ordered) {
    addShift(builder, shift, { users, timeZone: isTimeZone(timeZone) ? timeZone : "UTC" });
  }
  builder.finish();
}

function addChain(draft: Draft, chain: GrafanaChain, { users, scheduleNames, steps }: GrafanaData) {
  const own = (steps.get(chain.id) ?? []).toSorted(
    (one, other) => (one.position ?? 0) - (other.position ?? 0),
  );
  const pages: { afterMinutes: number; target: DraftTarget }[] = [];
  let afterMinutes = 0;
  let repeat = 0;
  for (const step of own) {
    const scheduleKey = step.notify_on_call_from_schedule;
    if (step.type === "wait") afterMinutes += Math.ceil((step.duration ?? 300) / 60);
    else if (step.type === "repeat_escalation") repeat = 5;
    else if (step.type === "notify_persons") {
      for (const id of step.persons_to_notify ?? []) {
        pages.push({ afterMinutes, target: { person: namePerson(users, id) } });
      }
    } else if (step.type === "notify_on_call_from_schedule" && scheduleKey) {
      const scheduleName = scheduleNames.get(scheduleKey) ?? scheduleKey;
      pages.push({ afterMinutes, target: { scheduleKey, scheduleName } });
    } else {
      const why = "The step has no equivalent.";
      draft.leftOut.push({ name: joinNames(chain.name, step.type), why });
    }
  }
  const repeatAfterMinutes = afterMinutes - (pages.at(-1)?.afterMinutes ?? 0);
  addPolicy(draft, { name: chain.name, pages, repeat, repeatAfterMinutes });
}

/** Converts responses of Grafana OnCall: users, schedules, shifts, escalation chains and steps. */
export function convertGrafanaOncall(documents: readonly unknown[], nowMs: number): Draft {
  const draft = createDraft();
  const data = readDocuments(documents);
  for (const row of data.schedules) addSchedule(draft, row, { ...data, nowMs });
  for (const chain of data.chains) addChain(draft, chain, data);
  return draft;
}
