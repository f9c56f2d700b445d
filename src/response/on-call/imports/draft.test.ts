import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Type } from "typebox";
import { KnownError } from "../../../platform/errors.ts";
import { dayMs, getZone, hourMs, minuteMs } from "../local-time.ts";
import { findHours, weekdays } from "../schedule.ts";
import {
  addPolicy,
  createDraft,
  createShapeTest,
  type DraftTarget,
  everyDay,
  fitName,
  joinNames,
  type LayerDraft,
  minuteOfWeek,
  ScheduleBuilder,
  toRestrictions,
  toTurn,
  weekMinutes,
} from "./draft.ts";

const nowMs = Date.parse("2026-11-16T12:00:00Z");
const local = (text: string) => Date.parse(`${text}Z`);

function newLayer(change: Partial<LayerDraft> = {}): LayerDraft {
  return {
    name: "Weekly",
    participants: ["ada@example.com"],
    ...({ unit: "WEEK", interval: 1 } as const),
    handoffMs: local("2026-11-18T09:30"),
    startMs: local("2026-11-16T09:00"),
    endMs: null,
    restrictions: [],
    ...change,
  };
}

function build(layers: readonly LayerDraft[], timeZone = "Europe/Berlin") {
  const draft = createDraft();
  const builder = new ScheduleBuilder(draft, { key: "P1", name: " Ops " }, { timeZone, nowMs });
  for (const layer of layers) builder.addLayer(layer);
  builder.finish();
  return draft;
}

test("a layer hands over at the time and on the day of its handoff", () => {
  const { schedules, leftOut } = build([newLayer({ endMs: local("2027-01-01T00:00") })]);
  assert.deepEqual(leftOut, []);
  assert.deepEqual(schedules, [
    {
      key: "P1",
      name: "Ops",
      timeZone: "Europe/Berlin",
      layers: [
        {
          name: "Weekly",
          participants: ["ada@example.com"],
          rotation: { unit: "WEEK", interval: 1, handoffTime: "09:30", handoffDay: "WEDNESDAY" },
          start: "2026-11-16T09:00",
          end: "2027-01-01T00:00",
          restrictions: [],
        },
      ],
    },
  ]);
});

test("a layer that cannot be imported is named with the reason", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
  const hours = (count: number) =>
    Array.from({ length: count }, () => ({ days: [], from: "09:00", to: "17:00" }));
  const rows: readonly (readonly [Partial<LayerDraft>, string | null])[] = [
    [{ startMs: Number.NaN }, "Its times cannot be read."],
    [{ handoffMs: Number.POSITIVE_INFINITY }, "Its times cannot be read."],
    [{ endMs: Number.NaN }, "Its times cannot be read."],
    [{ endMs: local("2026-11-16T09:00") }, "It has ended."],
    // The local time of the zone counts: it is 13:00 in Berlin.
    [{ endMs: local("2026-11-16T13:00") }, "It has ended."],
    [{ endMs: local("2026-11-16T13:01") }, null],
    [{ startMs: local("2027-01-01T00:00"), endMs: local("2027-01-01T00:00") }, "It has ended."],
    [{ startMs: local("1999-12-31T00:00") }, "It is not between the years 2000 and 2199."],
    [{ handoffMs: 8.64e15 }, "It is not between the years 2000 and 2199."],
    [{ endMs: local("2200-01-01T00:00") }, "It is not between the years 2000 and 2199."],
    [{ participants: [] }, "It has no participants."],
    [{ participants: many(50) }, null],
    [{ participants: many(51) }, "It has more than 50 participants."],
    [{ interval: 0 }, "Its turns are too long."],
    [{ interval: 366 }, null],
    [{ interval: 367 }, "Its turns are too long."],
    [{ restrictions: hours(20) }, null],
    [{ restrictions: hours(21) }, "It has more than 20 different hours."],
  ];
  for (const [change, why] of rows) {
    const { schedules, leftOut } = build([newLayer({ name: "Faulty", ...change }), newLayer()]);
    const expected = why === null ? [] : [{ name: "Ops / Faulty", why }];
    assert.deepEqual(leftOut, expected, JSON.stringify(change));
    assert.equal(schedules[0]?.layers.length, why === null ? 2 : 1);
  }
});

test("a schedule without layers is named, and not imported", () => {
  const why = "No layer of it can be imported.";
  assert.deepEqual(build([]), { schedules: [], policies: [], leftOut: [{ name: "Ops", why }] });
  const { schedules, leftOut } = build([newLayer({ participants: [] })]);
  assert.deepEqual(schedules, []);
  assert.deepEqual(leftOut.at(-1), { name: "Ops", why });
});

test("layers above the tenth are left out, and layers without a name are numbered", () => {
  const { schedules, leftOut } = build(Array.from({ length: 11 }, () => newLayer({ name: " " })));
  const names = schedules[0]?.layers.map(({ name }) => name) ?? [];
  assert.deepEqual([names.length, names[0], names[9]], [10, "Layer 1", "Layer 10"]);
  const why = "A schedule has at most 10 layers.";
  assert.deepEqual(leftOut, [{ name: "Ops / Layer 11", why }]);
});

test("an unknown time zone is replaced by UTC and reported", () => {
  for (const [zone, shown] of [
    ["Mars/Phobos", "Mars/Phobos"],
    ["", ""],
    [`x${"y".repeat(100)}`, `x${"y".repeat(63)}`],
  ] as const) {
    const { schedules, leftOut } = build([newLayer()], zone);
    assert.equal(schedules[0]?.timeZone, "UTC");
    const why = `The time zone ${shown} is not known; UTC is used.`;
    assert.deepEqual(leftOut, [{ name: "Ops", why }]);
  }
});

test("instants become local times in whole minutes", () => {
  const zone = { timeZone: "Europe/Berlin", nowMs };
  const builder = new ScheduleBuilder(createDraft(), { key: "P1", name: "Ops" }, zone);
  const read = (text: string) => new Date(builder.toLocal(Date.parse(text))).toISOString();
  assert.equal(read("2026-11-16T08:00:59.999Z"), "2026-11-16T09:00:00.000Z");
  assert.equal(read("2026-07-16T08:00:00Z"), "2026-07-16T10:00:00.000Z");
  assert.ok(Number.isNaN(builder.toLocal(Date.parse("never"))));
});

test("the length of a turn is the largest unit that divides it", () => {
  const rows: readonly (readonly [number, ReturnType<typeof toTurn>])[] = [
    [14 * dayMs, { unit: "WEEK", interval: 2 }],
    [10 * dayMs, { unit: "DAY", interval: 10 }],
    [36 * hourMs, { unit: "HOUR", interval: 36 }],
    [90 * minuteMs, null],
    [0, null],
    [-dayMs, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
  ];
  for (const [lengthMs, expected] of rows) assert.deepEqual(toTurn(lengthMs), expected);
});

test("the minute of a week is counted from Monday", () => {
  assert.equal(minuteOfWeek(local("2026-11-16T00:00")), 0);
  assert.equal(minuteOfWeek(local("2026-11-16T23:59")), 1_439);
  assert.equal(minuteOfWeek(local("2026-11-22T23:59")), weekMinutes - 1);
});

const weekStart = local("2026-11-16T00:00");

/** Lists the minutes of a week that restrictions permit, by the rules of schedules. */
function listMinutes(restrictions: ReturnType<typeof toRestrictions>): Set<number> {
  const minutes = new Set<number>();
  for (const restriction of restrictions) {
    for (let day = 0; day < 7; day += 1) {
      const hours = findHours(getZone("UTC"), restriction, weekStart + day * dayMs);
      if (hours === null) continue;
      for (let at = hours.fromMs; at < hours.toMs; at += minuteMs) {
        minutes.add(((at - weekStart) / minuteMs) % weekMinutes);
      }
    }
  }
  return minutes;
}

test("hours of a week are the same minutes as restrictions", () => {
  const span = fc.record({
    from: fc.nat({ max: weekMinutes - 1 }),
    minutes: fc.integer({ min: 1, max: weekMinutes - 1 }),
  });
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 3 }), (spans) => {
      const expected = new Set(
        spans.flatMap(({ from, minutes }) =>
          Array.from({ length: minutes }, (_, minute) => (from + minute) % weekMinutes),
        ),
      );
      const found = listMinutes(toRestrictions(spans));
      assert.equal(found.symmetricDifference(expected).size, 0);
    }),
    { numRuns: 20 },
  );
});

test("hours of the whole week are no restriction, and the same hours of all days are one", () => {
  assert.deepEqual(toRestrictions([{ from: 600, minutes: weekMinutes }]), []);
  assert.deepEqual(toRestrictions([]), []);
  assert.deepEqual(toRestrictions(everyDay(9 * 60, 8 * 60)), [
    { days: [...weekdays], from: "09:00", to: "17:00" },
  ]);
  assert.deepEqual(toRestrictions([{ from: weekMinutes - 60, minutes: 120 }]), [
    { days: ["SUNDAY"], from: "23:00", to: "01:00" },
  ]);
});

test("names are cut to well-formed texts", () => {
  assert.equal(fitName("  Ops ", "Schedule", 10), "Ops");
  for (const empty of ["", "   ", null, undefined])
    assert.equal(fitName(empty, "Policy", 10), "Policy");
  assert.equal(fitName("abcdef", "Policy", 3), "abc");
  assert.ok(fitName("ab😀", "Policy", 3).isWellFormed());
  assert.equal(joinNames("Ops", "Weekly"), "Ops / Weekly");
  assert.ok(joinNames(`${"x".repeat(199)}😀`).isWellFormed());
});

const person = (name: string): DraftTarget => ({ person: name });

function add(
  pages: readonly { readonly afterMinutes: number; readonly target: DraftTarget }[],
  change: { readonly repeat?: number; readonly repeatAfterMinutes?: number } = {},
) {
  const draft = createDraft();
  addPolicy(draft, { name: "Page", pages, repeat: 0, repeatAfterMinutes: 5, ...change });
  return draft;
}

test("pages at the same time are one step, in order of time and without repeated targets", () => {
  const schedule: DraftTarget = { scheduleKey: "P1", scheduleName: "Ops" };
  const { policies, leftOut } = add([
    { afterMinutes: 30, target: person("ben") },
    { afterMinutes: 0, target: person("ada") },
    { afterMinutes: 0, target: schedule },
    { afterMinutes: 0, target: person("ada") },
  ]);
  assert.deepEqual(leftOut, []);
  assert.deepEqual(policies, [
    {
      name: "Page",
      steps: [
        { afterMinutes: 0, targets: [person("ada"), schedule] },
        { afterMinutes: 30, targets: [person("ben")] },
      ],
      ...{ repeat: 0, repeatAfterMinutes: 5 },
    },
  ]);
});

test("what a policy cannot have is left out and reported", () => {
  const minutes = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ afterMinutes: index, target: person("ada") }));
  const people = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ afterMinutes: 0, target: person(`p${index}`) }));
  const late = { afterMinutes: 10_081, target: person("late") };
  const rows: readonly (readonly [ReturnType<typeof add>, readonly string[]])[] = [
    [add(minutes(10)), []],
    [add(minutes(11)), ["Only the first 10 steps are imported."]],
    [add(people(10)), []],
    [add(people(11)), ["Only the first 10 targets of a step are imported."]],
    [add([{ ...late, afterMinutes: 10_080 }]), []],
    [add([...minutes(1), late]), ["Steps after more than 7 days are not imported."]],
    [add(minutes(1), { repeat: 10 }), ["It is repeated 9 times instead of 10."]],
  ];
  for (const [{ policies, leftOut }, whys] of rows) {
    assert.deepEqual(
      leftOut,
      whys.map((why) => ({ name: "Page", why })),
    );
    const [policy] = policies;
    assert.ok(policy !== undefined && policy.steps.length <= 10 && policy.repeat <= 9);
    assert.ok(policy.steps.every(({ targets }) => targets.length > 0 && targets.length <= 10));
  }
});

test("a policy without steps is not imported", () => {
  assert.deepEqual(add([]), {
    ...{ schedules: [], policies: [] },
    leftOut: [{ name: "Page", why: "No step of it can be imported." }],
  });
});

test("repetitions are in the range of policies", () => {
  const repeated = (repeat: number, repeatAfterMinutes: number) => {
    const change = { repeat, repeatAfterMinutes };
    const [policy] = add([{ afterMinutes: 0, target: person("ada") }], change).policies;
    return [policy?.repeat, policy?.repeatAfterMinutes];
  };
  assert.deepEqual(repeated(-1, 0), [0, 1]);
  assert.deepEqual(repeated(9, 1_440), [9, 1_440]);
  assert.deepEqual(repeated(3, 1_441), [3, 1_440]);
});

test("a document with a wrong shape is rejected with the place of the fault", () => {
  const check = createShapeTest(
    Type.Object({ items: Type.Array(Type.Object({ id: Type.String() })) }),
  );
  check({ items: [{ id: "a" }] }, "documents.0");
  assert.throws(
    () => check({ items: [{ id: "a" }, { id: 7 }] }, "documents.0"),
    (error) => error instanceof KnownError && /documents\.0\.items\.1\.id/.test(error.message),
  );
});
