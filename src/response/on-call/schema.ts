import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import {
  CreatedAt,
  DateTime,
  Described,
  Filled,
  Guid,
  Matching,
  OneOf,
  OrNull,
  UpdatedAt,
} from "../../platform/http/schema.ts";
import { tagContent } from "../../platform/http/send.ts";
import { describeGap, type Gap, type OnCallNow, type Planned } from "./plans.ts";
import {
  type Layer,
  listParticipants,
  rotationUnits,
  type Schedule,
  type ScheduleInput,
  type Shift,
  weekdays,
} from "./schedule.ts";
import type { Person } from "./store.ts";

const TimeOfDay = Matching("^(?:[01]\\d|2[0-3]):[0-5]\\d$", "must be a time such as 09:00");
const LocalTime = Matching(
  "^\\d{4}-\\d{2}-\\d{2}T(?:[01]\\d|2[0-3]):[0-5]\\d$",
  "must be a local time such as 2026-11-16T09:00",
);
const Day = OneOf(weekdays);

const RotationSchema = Type.Object({
  unit: Described(OneOf(rotationUnits), "Unit of the length of a turn.", "WEEK"),
  interval: Type.Integer({
    description: "Length of a turn, in units.",
    minimum: 1,
    maximum: 366,
    default: 1,
  }),
  handoffTime: Type.String({
    ...TimeOfDay,
    description:
      "Local time of handoffs. If clocks skip it, the handoff is at the next existing minute; if " +
      "it occurs twice, at the first.",
    examples: ["09:00"],
    default: "09:00",
  }),
  handoffDay: Type.Enum([...weekdays], {
    type: "string",
    description: "Day of handoffs; used if the unit is WEEK.",
    default: "MONDAY",
  }),
});

const RestrictionSchema = Type.Object({
  days: Type.Array(Day, {
    description: "Days on which the hours start.",
    minItems: 1,
    maxItems: 7,
    uniqueItems: true,
    examples: [["SATURDAY", "SUNDAY"]],
  }),
  from: Described(TimeOfDay, "Local time at which the hours start.", "18:00"),
  to: Described(
    TimeOfDay,
    "Local time at which they end; on the next day if it is not after `from`.",
    "08:00",
  ),
});

const LayerSchema = Type.Object(
  {
    name: Filled({ description: "Name of the layer.", maxLength: 100, examples: ["Weekly"] }),
    participants: Type.Array(Guid, {
      description: "User ids of members, in the order of their turns.",
      minItems: 1,
      maxItems: 50,
    }),
    rotation: Described(RotationSchema, "When a turn ends and the next one starts."),
    start: Described(
      LocalTime,
      "Local time at which the first participant's turn starts. Handoffs before it are used to " +
        "align turns, so the first turn may be shorter.",
      "2026-11-16T09:00",
    ),
    end: Type.Union([LocalTime, Type.Null()], {
      description: "Local time at which the layer ends; `null` if it has no end.",
      examples: [null],
      default: null,
    }),
    restrictions: Type.Array(RestrictionSchema, {
      description: "Hours in which the layer has somebody; at any time if empty.",
      maxItems: 20,
      default: [],
    }),
  },
  { title: "OnCallLayer" },
);

const fields = {
  name: Filled({ description: "Its name.", maxLength: 200, examples: ["Primary"] }),
  timezone: Type.String({
    description: "IANA time zone of handoffs, restrictions, starts and ends.",
    examples: ["Europe/Berlin"],
    minLength: 1,
    maxLength: 64,
    default: "UTC",
  }),
  layers: Type.Array(LayerSchema, {
    description:
      "The layers, lowest first. A later layer wins where it has somebody; elsewhere the layer " +
      "below it counts.",
    maxItems: 10,
    default: [],
  }),
  warnAboutGaps: Type.Boolean({
    description:
      "Whether times when nobody is on call are reported. Switch it off if the gaps are intended.",
    default: true,
  }),
};

const PersonSchema = Type.Object(
  {
    userId: Described(Guid, "The user's id."),
    name: Type.String({ description: "Name, or email address.", examples: ["Anna"] }),
    leftAt: Described(
      OrNull(DateTime),
      "When they left the account. From then on their turns fall to the next participant. `null` " +
        "for a member.",
      null,
    ),
  },
  { title: "OnCallPerson" },
);

export const ScheduleBody = Type.Object(fields, { title: "OnCallScheduleInput" });
export type ScheduleBody = Type.Static<typeof ScheduleBody>;
export const ScheduleParams = Type.Object({ scheduleId: Described(Guid, "The schedule's id.") });
export const ScheduleSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    ...fields,
    people: Type.Array(PersonSchema, { description: "Everyone whom the layers name." }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: "OnCallSchedule" },
);

const UserId = Described(OrNull(Guid), "The user on call; `null` if nobody.");
const UserName = Described(OrNull(Type.String()), "Their name; `null` if nobody.", "Anna");
const From = Described(DateTime, "When it starts.");
const To = Described(DateTime, "When it ends.");

const GapSchema = Type.Object(
  { from: From, to: Described(OrNull(DateTime), "End; `null` if no end is known.") },
  { title: "OnCallGap" },
);

export const ShiftsSchema = Type.Object(
  {
    from: Described(DateTime, "Start of the range."),
    to: Described(DateTime, "End of the range."),
    timezone: Type.String({ description: "The schedule's time zone.", examples: ["UTC"] }),
    shifts: Type.Array(
      Type.Object({
        from: From,
        to: To,
        userId: UserId,
        name: UserName,
        layer: Described(
          OrNull(Type.Integer({ minimum: 0, maximum: 9 })),
          "Index of the layer; `null` for an override or a gap.",
          0,
        ),
        overrideId: Described(OrNull(Guid), "The override; `null` if there is none.", null),
      }),
      { description: "Who is on call, in order and without holes." },
    ),
    layers: Type.Array(
      Type.Object({
        name: Type.String({ description: "Name of the layer.", examples: ["Weekly"] }),
        shifts: Type.Array(
          Type.Object({
            from: From,
            to: To,
            userId: Described(Guid, "The user."),
            name: Type.String({ description: "Their name.", examples: ["Anna"] }),
          }),
          { description: "The turns of this layer alone." },
        ),
      }),
      { description: "Each layer alone, lowest first." },
    ),
    gaps: Type.Array(GapSchema, { description: "Times of the range when nobody is on call." }),
  },
  { title: "OnCallShifts" },
);

export const NowSchema = Type.Object(
  {
    scheduleId: Described(Guid, "The schedule's id."),
    scheduleName: Type.String({ description: "The schedule's name.", examples: ["Primary"] }),
    timezone: Type.String({ description: "The schedule's time zone.", examples: ["UTC"] }),
    userId: UserId,
    name: UserName,
    overrideId: Described(
      OrNull(Guid),
      "The override that decides it; `null` if a layer does.",
      null,
    ),
    until: Described(OrNull(DateTime), "The next handoff; `null` if there is none within 31 days."),
    next: Described(
      OrNull(
        Type.Object({
          userId: Described(Guid, "The user's id."),
          name: Type.String({ description: "Their name.", examples: ["Ben"] }),
          from: Described(DateTime, "When their shift starts."),
        }),
      ),
      "Who is on call next; `null` if nobody is known within 31 days.",
    ),
    gaps: Type.Array(GapSchema, {
      description:
        "Times within 14 days when nobody is on call, at most 20; always empty if the schedule " +
        "does not warn about gaps.",
    }),
    warning: Described(
      OrNull(Type.String()),
      "A sentence about the first gap; `null` if there is none.",
      "Nobody is on call from Sat 21 Nov 18:00 to Mon 23 Nov 09:00 (Europe/Berlin).",
    ),
    departed: Type.Array(PersonSchema, {
      description: "Participants who left the account; their turns fall to the next participant.",
    }),
  },
  { title: "OnCallNow" },
);

/** Copies each field of a layer by name, so that unknown fields of the body are not stored. */
function fromWireLayer(layer: ScheduleBody["layers"][number]): Layer {
  const { unit, interval, handoffTime, handoffDay } = layer.rotation;
  return {
    name: layer.name,
    participants: layer.participants.map((id) => id.toLowerCase()),
    rotation: { unit, interval, handoffTime, handoffDay },
    start: layer.start,
    end: layer.end,
    restrictions: layer.restrictions.map(({ days, from, to }) => ({ days: [...days], from, to })),
  };
}

export function fromWireSchedule(body: ScheduleBody): ScheduleInput {
  return {
    name: body.name,
    timeZone: body.timezone,
    layers: body.layers.map(fromWireLayer),
    warnsAboutGaps: body.warnAboutGaps,
  };
}

export const toWireTime = (atMs: number) => formatDateTime(new Date(atMs));

function toWirePerson({ userId, name, leftAt }: Person) {
  return { userId, name, leftAt: leftAt && formatDateTime(leftAt) };
}

/** A schedule and the people in its layers. */
export interface ScheduleWithPeople {
  readonly schedule: Schedule;
  readonly people: ReadonlyMap<string, Person>;
}

/** Returns the request body that would create the schedule. */
export function toWireBody({ name, timeZone, layers, warnsAboutGaps }: ScheduleInput) {
  return {
    name,
    timezone: timeZone,
    layers: layers.map((layer) => ({
      ...layer,
      participants: [...layer.participants],
      restrictions: layer.restrictions.map(({ days, ...hours }) => ({ ...hours, days: [...days] })),
    })),
    warnAboutGaps: warnsAboutGaps,
  };
}

export function toWireSchedule({ schedule, people }: ScheduleWithPeople) {
  const { id, layers, createdAt, updatedAt } = schedule;
  const named = listParticipants(layers).flatMap((userId) => people.get(userId) ?? []);
  return {
    id,
    ...toWireBody(schedule),
    people: named.map(toWirePerson),
    created_at: formatDateTime(createdAt),
    updated_at: updatedAt && formatDateTime(updatedAt),
  };
}

export function tagSchedule(shown: ScheduleWithPeople): string {
  const { created_at: _made, updated_at: _changed, ...content } = toWireSchedule(shown);
  return tagContent([content]);
}

const toWireGap = ({ fromMs, toMs }: Gap) => ({
  from: toWireTime(fromMs),
  to: toMs === null ? null : toWireTime(toMs),
});

export interface RenderedShifts {
  readonly fromMs: number;
  readonly toMs: number;
  readonly planned: Planned<ScheduleInput>;
  readonly shifts: readonly Shift[];
  readonly byLayer: readonly (readonly Shift[])[];
  readonly gaps: readonly Gap[];
}

export function toWireShifts(rendered: RenderedShifts) {
  const { plan, people } = rendered.planned;
  const nameOf = (userId: string) => people.get(userId)?.name ?? "";
  return {
    from: toWireTime(rendered.fromMs),
    to: toWireTime(rendered.toMs),
    timezone: plan.timeZone,
    shifts: rendered.shifts.map(({ fromMs, toMs, userId, layer, overrideId }) => ({
      from: toWireTime(fromMs),
      to: toWireTime(toMs),
      userId,
      name: userId === null ? null : nameOf(userId),
      layer,
      overrideId,
    })),
    layers: plan.layers.map(({ name }, index) => ({
      name,
      shifts: (rendered.byLayer[index] ?? []).flatMap(({ fromMs, toMs, userId }) =>
        userId === null
          ? []
          : [{ from: toWireTime(fromMs), to: toWireTime(toMs), userId, name: nameOf(userId) }],
      ),
    })),
    gaps: rendered.gaps.map(toWireGap),
  };
}

export interface ScheduleNow extends OnCallNow {
  readonly planned: Planned<Schedule>;
}

export function toWireNow({ planned, current, untilMs, next, gaps }: ScheduleNow, nowMs: number) {
  const { schedule, people } = planned;
  const shown = schedule.warnsAboutGaps ? gaps : [];
  const nameOf = (userId: string) => people.get(userId)?.name ?? "";
  const departed = listParticipants(schedule.layers).flatMap((id) => people.get(id) ?? []);
  return {
    scheduleId: schedule.id,
    scheduleName: schedule.name,
    timezone: schedule.timeZone,
    userId: current.userId,
    name: current.userId === null ? null : nameOf(current.userId),
    overrideId: current.overrideId,
    until: untilMs === null ? null : toWireTime(untilMs),
    next:
      next === null || next.userId === null
        ? null
        : { userId: next.userId, name: nameOf(next.userId), from: toWireTime(next.fromMs) },
    gaps: shown.map(toWireGap),
    warning: describeGap(schedule.timeZone, shown, nowMs),
    departed: departed.filter(({ leftAt }) => leftAt !== null).map(toWirePerson),
  };
}
