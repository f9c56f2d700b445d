import { Type } from "typebox";
import { dayMs, hourMs, weekMs } from "../local-time.ts";
import type { Restriction } from "../schedule.ts";
import {
  addPolicy,
  createDraft,
  createShapeTest,
  type Draft,
  type DraftTarget,
  everyDay,
  fitName,
  joinNames,
  ScheduleBuilder,
  toRestrictions,
  toTurn,
  weekMinutes,
} from "./draft.ts";

const Text = Type.String({ maxLength: 1_000 });
const OptionalText = Type.Optional(Type.Union([Text, Type.Null()]));
const Hour = Type.Integer({ minimum: 0, maximum: 24 });
const Minute = Type.Integer({ minimum: 0, maximum: 59 });
const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const hours = { startHour: Hour, startMin: Minute, endHour: Hour, endMin: Minute };
const Day = Type.String({ pattern: `^(?:${days.join("|")})$` });

const Recipient = Type.Object({
  type: Text,
  id: OptionalText,
  name: OptionalText,
  username: OptionalText,
});

const TimeRestriction = Type.Object({
  type: Text,
  restriction: Type.Optional(Type.Object(hours)),
  restrictions: Type.Optional(
    Type.Array(Type.Object({ ...hours, startDay: Day, endDay: Day }), { maxItems: 100 }),
  ),
});

const RotationShape = Type.Object({
  name: OptionalText,
  startDate: Text,
  endDate: OptionalText,
  type: Type.String({ pattern: "^(?:hourly|daily|weekly)$" }),
  length: Type.Optional(Type.Integer({ minimum: 1 })),
  participants: Type.Array(Recipient, { maxItems: 1_000 }),
  timeRestriction: Type.Optional(Type.Union([TimeRestriction, Type.Null()])),
});

const ScheduleShape = Type.Object({
  id: Text,
  name: Text,
  timezone: OptionalText,
  enabled: Type.Optional(Type.Boolean()),
  rotations: Type.Array(RotationShape, { maxItems: 100 }),
});

const RuleShape = Type.Object({
  condition: OptionalText,
  notifyType: OptionalText,
  delay: Type.Object({
    timeAmount: Type.Integer({ minimum: 0 }),
    timeUnit: Type.Optional(Text),
  }),
  recipient: Recipient,
});

const EscalationShape = Type.Object({
  name: Text,
  rules: Type.Array(RuleShape, { maxItems: 100 }),
  repeat: Type.Optional(
    Type.Union([
      Type.Object({
        waitInterval: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
        count: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
      }),
      Type.Null(),
    ]),
  ),
});

const ListShape = Type.Object({ data: Type.Array(Type.Object({}), { maxItems: 10_000 }) });

const assertList = createShapeTest(ListShape);
const assertSchedule = createShapeTest(ScheduleShape);
const assertEscalation = createShapeTest(EscalationShape);

type OpsgenieRotation = Type.Static<typeof RotationShape>;

const describeRecipient = ({ type, username, name, id }: Type.Static<typeof Recipient>) =>
  `${type} ${username ?? name ?? id ?? ""}`.trim();

function readHours(
  restriction: NonNullable<OpsgenieRotation["timeRestriction"]> | null | undefined,
): Restriction[] | null {
  if (restriction === null || restriction === undefined) return [];
  const spans = (restriction.restrictions ?? []).map((one) => {
    const from = days.indexOf(one.startDay) * 1_440 + one.startHour * 60 + one.startMin;
    const to = days.indexOf(one.endDay) * 1_440 + one.endHour * 60 + one.endMin;
    return { from, minutes: to > from ? to - from : to - from + weekMinutes };
  });
  if (restriction.restriction !== undefined) {
    const { startHour, startMin, endHour, endMin } = restriction.restriction;
    const from = startHour * 60 + startMin;
    const minutes = endHour * 60 + endMin - from;
    spans.push(...everyDay(from, minutes > 0 ? minutes : minutes + 1_440));
  }
  return spans.length === 0 ? null : toRestrictions(spans);
}

function addRotation(builder: ScheduleBuilder, rotation: OpsgenieRotation) {
  const name = fitName(rotation.name, "Rotation", 100);
  const users = rotation.participants.filter(({ type, username }) => type === "user" && username);
  for (const other of rotation.participants) {
    if (users.includes(other)) continue;
    const why = "Only users can be participants; the turns of the others follow without it.";
    builder.leaveOut(joinNames(name, describeRecipient(other)), why);
  }
  const restrictions = readHours(rotation.timeRestriction);
  if (restrictions === null) return builder.leaveOut(name, "Its hours cannot be read.");
  const unitMs = { hourly: hourMs, daily: dayMs, weekly: weekMs }[rotation.type] ?? weekMs;
  const turn = toTurn(unitMs * (rotation.length ?? 1));
  if (turn === null) return builder.leaveOut(name, "Its turns are too long.");
  const startMs = builder.toLocal(Date.parse(rotation.startDate));
  const { endDate } = rotation;
  builder.addLayer({
    ...turn,
    name,
    participants: users.map(({ username }) => username ?? ""),
    handoffMs: startMs,
    startMs,
    endMs: endDate ? builder.toLocal(Date.parse(endDate)) : null,
    restrictions,
  });
}

function addSchedule(draft: Draft, row: Type.Static<typeof ScheduleShape>, nowMs: number) {
  const zone = { timeZone: row.timezone ?? "UTC", nowMs };
  const builder = new ScheduleBuilder(draft, { key: row.id, name: row.name }, zone);
  if (row.enabled === false) return builder.leaveOut("", "It is disabled.");
  for (const rotation of row.rotations) addRotation(builder, rotation);
  if (row.rotations.length > 1) {
    const why = "Where rotations overlap, only the person of the last one is on call, not all.";
    builder.leaveOut("", why);
  }
  builder.finish();
}

function readTarget({ type, id, name, username }: Type.Static<typeof Recipient>) {
  if (type === "user" && username) return { person: username } satisfies DraftTarget;
  if (type !== "schedule") return null;
  const target: DraftTarget = { scheduleKey: id ?? "", scheduleName: name ?? id ?? "" };
  return target;
}

const minutesOf: Readonly<Record<string, number>> = {
  ...{ days: 1_440, hours: 60, minutes: 1, seconds: 1 / 60 },
  // Opsgenie uses the misspelt unit name `miliseconds`.
  ...{ miliseconds: 1 / 60_000, micros: 1 / 60_000_000, nanos: 1 / 60_000_000_000 },
};

function addEscalation(draft: Draft, { name, rules, repeat }: Type.Static<typeof EscalationShape>) {
  const pages = rules.flatMap(({ condition, notifyType, delay, recipient }) => {
    const leaveOut = (why: string) =>
      draft.leftOut.push({ name: joinNames(name, describeRecipient(recipient)), why });
    const target = readTarget(recipient);
    const isPlain = notifyType === null || notifyType === undefined || notifyType === "default";
    if (target === null || !isPlain) {
      leaveOut("Only users, and who is on call for a schedule, can be paged.");
      return [];
    }
    if (condition === "if-not-closed") leaveOut("It is not paged after an acknowledgement.");
    const unit = minutesOf[delay.timeUnit ?? "minutes"] ?? 1;
    const afterMinutes = Math.ceil(delay.timeAmount * unit);
    return [{ afterMinutes, target }];
  });
  const { count, waitInterval } = repeat ?? {};
  addPolicy(draft, { name, pages, repeat: count ?? 0, repeatAfterMinutes: waitInterval ?? 10 });
}

/** Converts the responses of `/v2/schedules?expand=rotation` and `/v2/escalations`. */
export function convertOpsgenie(documents: readonly unknown[], nowMs: number): Draft {
  const draft = createDraft();
  for (const [index, document] of documents.entries()) {
    const place = `documents.${index}`;
    assertList(document, place);
    const { data } = document as Type.Static<typeof ListShape>;
    for (const [row, item] of data.entries()) {
      if ("rules" in item) {
        assertEscalation(item, `${place}.data.${row}`);
        addEscalation(draft, item as Type.Static<typeof EscalationShape>);
      } else {
        assertSchedule(item, `${place}.data.${row}`);
        addSchedule(draft, item as Type.Static<typeof ScheduleShape>, nowMs);
      }
    }
  }
  return draft;
}
