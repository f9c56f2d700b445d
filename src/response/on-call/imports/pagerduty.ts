import { Type } from "typebox";
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
} from "./draft.ts";

const Text = Type.String({ maxLength: 1_000 });
const OptionalText = Type.Optional(Type.Union([Text, Type.Null()]));
const Reference = Type.Object({
  id: Text,
  type: OptionalText,
  summary: OptionalText,
  name: OptionalText,
  email: OptionalText,
});

const RestrictionShape = Type.Object({
  type: Type.String({ pattern: "^(?:daily|weekly)_restriction$" }),
  start_time_of_day: Type.String({ pattern: "^(?:[01]\\d|2[0-3]):[0-5]\\d" }),
  start_day_of_week: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 7 }), Type.Null()]),
  ),
  duration_seconds: Type.Integer({ minimum: 1, maximum: 604_800 }),
});

const LayerShape = Type.Object({
  name: OptionalText,
  start: Text,
  end: OptionalText,
  rotation_virtual_start: Text,
  rotation_turn_length_seconds: Type.Integer({ minimum: 1 }),
  users: Type.Array(Type.Object({ user: Reference }), { maxItems: 1_000 }),
  restrictions: Type.Optional(Type.Array(RestrictionShape, { maxItems: 100 })),
});

const ScheduleShape = Type.Object({
  id: Text,
  type: OptionalText,
  name: OptionalText,
  summary: OptionalText,
  time_zone: OptionalText,
  /** Missing in lists without `include[]=schedule_layers`, and in shift-based schedules. */
  schedule_layers: Type.Optional(Type.Array(LayerShape, { maxItems: 1_000 })),
  overrides_subschedule: Type.Optional(
    Type.Union([
      Type.Object({ rendered_schedule_entries: Type.Optional(Type.Array(Type.Unknown())) }),
      Type.Null(),
    ]),
  ),
});

const PolicyShape = Type.Object({
  name: Text,
  num_loops: Type.Optional(Type.Integer({ minimum: 0 })),
  escalation_rules: Type.Array(
    Type.Object({
      escalation_delay_in_minutes: Type.Integer({ minimum: 0 }),
      targets: Type.Array(Reference, { maxItems: 100 }),
    }),
    { maxItems: 100 },
  ),
});

const list = <Shape extends Parameters<typeof Type.Array>[0]>(shape: Shape) =>
  Type.Optional(Type.Array(shape, { maxItems: 10_000 }));
const DocumentShape = Type.Object({
  users: list(Reference),
  schedules: list(ScheduleShape),
  schedule: Type.Optional(ScheduleShape),
  escalation_policies: list(PolicyShape),
});

const assertDocument = createShapeTest(DocumentShape);

type PagerDutySchedule = Type.Static<typeof ScheduleShape>;
type PagerDutyLayer = Type.Static<typeof LayerShape>;
type PagerDutyReference = Type.Static<typeof Reference>;
type NamePerson = (user: PagerDutyReference) => string;

function readHours(restrictions: NonNullable<PagerDutyLayer["restrictions"]>): Restriction[] {
  const spans = restrictions.flatMap((one) => {
    const [hour = 0, minute = 0] = one.start_time_of_day.split(":").map(Number);
    const from = hour * 60 + minute;
    const minutes = Math.ceil(one.duration_seconds / 60);
    if (one.type === "daily_restriction") return everyDay(from, Math.min(minutes, 1_440));
    return [{ from: ((one.start_day_of_week ?? 1) - 1) * 1_440 + from, minutes }];
  });
  return toRestrictions(spans);
}

/**
 * Adds a layer to a schedule. PagerDuty counts turns from the virtual start of a layer, so the
 * participants are reordered to begin with the turn in which the layer starts.
 */
function addLayer(builder: ScheduleBuilder, layer: PagerDutyLayer, namePerson: NamePerson) {
  const name = fitName(layer.name, "Layer", 100);
  const turnMs = layer.rotation_turn_length_seconds * 1_000;
  const turn = toTurn(turnMs);
  if (turn === null) return builder.leaveOut(name, "Its turns are not a number of hours.");
  const virtualMs = builder.toLocal(Date.parse(layer.rotation_virtual_start));
  const startMs = builder.toLocal(Date.parse(layer.start));
  const index = Math.floor((startMs - virtualMs) / turnMs);
  const handoffMs = virtualMs + index * turnMs;
  const people = layer.users.map(({ user }) => namePerson(user));
  const first = ((index % people.length) + people.length) % people.length;
  const isSimple = turn.unit !== "HOUR" && turn.interval === 1;
  if (handoffMs !== startMs && !isSimple && layer.end == null) {
    builder.leaveOut(
      name,
      "It starts with the turn that its start is in, not in the middle of it.",
    );
  }
  builder.addLayer({
    ...turn,
    name,
    participants: [...people.slice(first), ...people.slice(0, first)],
    handoffMs,
    startMs: isSimple ? startMs : handoffMs,
    endMs: layer.end ? builder.toLocal(Date.parse(layer.end)) : null,
    restrictions: readHours(layer.restrictions ?? []),
  });
}

function addSchedule(
  draft: Draft,
  row: PagerDutySchedule,
  { namePerson, nowMs }: { readonly namePerson: NamePerson; readonly nowMs: number },
) {
  const name = row.name ?? row.summary ?? row.id;
  const zone = { timeZone: row.time_zone ?? "UTC", nowMs };
  const builder = new ScheduleBuilder(draft, { key: row.id, name }, zone);
  if (row.schedule_layers === undefined) {
    const why = row.type?.startsWith("schedule_v3")
      ? "It is a shift-based schedule, which has no layers; create its rotation here."
      : "The document has no layers of it; add the answer of GET /schedules/{id}.";
    return builder.leaveOut("", why);
  }
  // Reverse the layers, because PagerDuty lists the highest layer first.
  for (const layer of row.schedule_layers.toReversed()) addLayer(builder, layer, namePerson);
  const overrides = row.overrides_subschedule?.rendered_schedule_entries?.length ?? 0;
  if (overrides > 0) builder.leaveOut("overrides", "Overrides are not imported; add them again.");
  builder.finish();
}

function addEscalation(
  draft: Draft,
  policy: Type.Static<typeof PolicyShape>,
  namePerson: NamePerson,
) {
  let afterMinutes = 0;
  const pages: { afterMinutes: number; target: DraftTarget }[] = [];
  for (const { escalation_delay_in_minutes: delay, targets } of policy.escalation_rules) {
    for (const one of targets) {
      const scheduleName = one.summary ?? one.name ?? one.id;
      if (one.type?.startsWith("user") === true) {
        pages.push({ afterMinutes, target: { person: namePerson(one) } });
      } else if (one.type?.startsWith("schedule") === true) {
        pages.push({ afterMinutes, target: { scheduleKey: one.id, scheduleName } });
      } else {
        const why = "Only users and schedules can be paged.";
        draft.leftOut.push({ name: joinNames(policy.name, scheduleName), why });
      }
    }
    afterMinutes += delay;
  }
  const last = policy.escalation_rules.at(-1)?.escalation_delay_in_minutes ?? 0;
  const { name, num_loops: repeat = 0 } = policy;
  addPolicy(draft, { name, pages, repeat, repeatAfterMinutes: last });
}

/** Converts the responses of `/users`, `/schedules` with layers, and `/escalation_policies`. */
export function convertPagerDuty(documents: readonly unknown[], nowMs: number): Draft {
  const draft = createDraft();
  for (const [index, one] of documents.entries()) assertDocument(one, `documents.${index}`);
  const all = documents as readonly Type.Static<typeof DocumentShape>[];
  const users = new Map(all.flatMap((one) => (one.users ?? []).map((user) => [user.id, user])));
  const namePerson: NamePerson = (user) => {
    const known = users.get(user.id);
    return known?.email ?? user.email ?? known?.name ?? user.summary ?? user.name ?? user.id;
  };
  const rows = all.flatMap(({ schedules = [], schedule }) =>
    schedule === undefined ? schedules : [...schedules, schedule],
  );
  const detailed = new Set(rows.flatMap((row) => (row.schedule_layers ? [row.id] : [])));
  for (const row of rows) {
    // Skip a schedule without layers if another document contains it with layers.
    if (row.schedule_layers === undefined && detailed.has(row.id)) continue;
    addSchedule(draft, row, { namePerson, nowMs });
  }
  for (const { escalation_policies: policies = [] } of all) {
    for (const policy of policies) addEscalation(draft, policy, namePerson);
  }
  return draft;
}
