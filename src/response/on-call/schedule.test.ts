import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { measureCpuMs } from "../../../test/support/time/cpu-time.ts";
import { dayMs, getZone, hourMs, minuteMs, parseLocalTime } from "./local-time.ts";
import { joinTurns, listGaps, renderLayer, renderShifts } from "./rendering.ts";
import {
  type Layer,
  onCallAt,
  type Plan,
  type Rotation,
  rotationUnits,
  type Weekday,
  weekdays,
} from "./schedule.ts";

/** Zones with the days before their clocks go forward and back in 2026. */
const clockChanges = {
  "Europe/Berlin": ["2026-03-28", "2026-10-24"],
  "America/New_York": ["2026-03-07", "2026-10-31"],
  "Australia/Lord_Howe": ["2026-10-03", "2026-04-04"],
  "America/Santiago": ["2026-09-05", "2026-04-04"],
  "Africa/Cairo": ["2026-04-23", "2026-10-29"],
};
const zoneNames = Object.keys(clockChanges);

const daily: Rotation = { unit: "DAY", interval: 1, handoffTime: "09:00", handoffDay: "MONDAY" };

function newLayer(change: Partial<Layer> = {}): Layer {
  return {
    name: "Primary",
    participants: ["anna", "ben", "cleo"],
    rotation: daily,
    start: "2026-01-05T09:00",
    end: null,
    restrictions: [],
    ...change,
  };
}

function newPlan(layers: readonly Layer[], change: Partial<Plan> = {}): Plan {
  return { timeZone: "UTC", layers, overrides: [], departures: new Map(), ...change };
}

const at = (text: string) => Date.parse(text);
const atLocal = (zone: string, text: string) => getZone(zone).toInstant(parseLocalTime(text));

function describe(plan: Plan, from: string, to: string): string[] {
  return renderShifts(plan, { fromMs: at(from), toMs: at(to) }).map(
    ({ fromMs, userId }) => `${new Date(fromMs).toISOString().slice(5, 16)} ${userId}`,
  );
}

test("turns follow the order of participants and change at the handoff time", () => {
  const plan = newPlan([newLayer()]);
  assert.equal(onCallAt(plan, at("2026-01-05T08:59:59Z")), null);
  assert.deepEqual(describe(plan, "2026-01-05T00:00Z", "2026-01-09T00:00Z"), [
    "01-05T00:00 null",
    "01-05T09:00 anna",
    "01-06T09:00 ben",
    "01-07T09:00 cleo",
    "01-08T09:00 anna",
  ]);
});

test("a weekly turn that starts in mid-week ends at the next handoff day", () => {
  const rotation: Rotation = { ...daily, unit: "WEEK", handoffDay: "FRIDAY" };
  const plan = newPlan([newLayer({ rotation, start: "2026-01-05T12:00" })]);
  assert.deepEqual(describe(plan, "2026-01-05T12:00Z", "2026-01-20T00:00Z"), [
    "01-05T12:00 anna",
    "01-09T09:00 ben",
    "01-16T09:00 cleo",
  ]);
});

test("hourly turns are aligned to the handoff time", () => {
  const rotation: Rotation = { ...daily, unit: "HOUR", interval: 12 };
  const plan = newPlan([newLayer({ rotation, start: "2026-01-05T22:00" })]);
  assert.deepEqual(describe(plan, "2026-01-05T22:00Z", "2026-01-07T00:00Z"), [
    "01-05T22:00 anna",
    "01-06T09:00 ben",
    "01-06T21:00 cleo",
  ]);
});

test("a higher layer wins during its hours and falls through outside of them", () => {
  const restrictions = [{ days: ["MONDAY", "TUESDAY"] as Weekday[], from: "22:00", to: "02:00" }];
  const night = newLayer({ name: "Night", participants: ["dora"], restrictions });
  const plan = newPlan([newLayer({ participants: ["anna"] }), night]);
  assert.deepEqual(
    joinTurns(
      renderShifts(plan, { fromMs: at("2026-01-05T09:00Z"), toMs: at("2026-01-08T00:00Z") }),
    ).map(({ fromMs, userId }) => `${new Date(fromMs).toISOString().slice(5, 16)} ${userId}`),
    [
      "01-05T09:00 anna",
      "01-05T22:00 dora",
      "01-06T02:00 anna",
      "01-06T22:00 dora",
      "01-07T02:00 anna",
    ],
  );
});

test("a newer override wins, and one without a person is a gap above all layers", () => {
  const overrides = [
    { id: "1", userId: "ben", fromMs: at("2026-01-05T10:00Z"), toMs: at("2026-01-05T14:00Z") },
    { id: "2", userId: null, fromMs: at("2026-01-05T12:00Z"), toMs: at("2026-01-05T13:00Z") },
  ];
  const plan = newPlan([newLayer()], { overrides });
  assert.deepEqual(describe(plan, "2026-01-05T09:00Z", "2026-01-05T20:00Z"), [
    "01-05T09:00 anna",
    "01-05T10:00 ben",
    "01-05T12:00 null",
    "01-05T13:00 ben",
    "01-05T14:00 anna",
  ]);
});

test("the turn of a participant who leaves falls to the next one from that time on", () => {
  const leftAtMs = at("2026-01-06T15:00Z");
  const overrides = [
    { id: "1", userId: "ben", fromMs: at("2026-01-06T14:00Z"), toMs: at("2026-01-06T16:00Z") },
  ];
  const plan = newPlan([newLayer()], { departures: new Map([["ben", leftAtMs]]), overrides });
  assert.deepEqual(describe(plan, "2026-01-06T10:00Z", "2026-01-10T09:00Z"), [
    "01-06T10:00 ben",
    "01-06T14:00 ben",
    "01-06T15:00 cleo",
    "01-07T09:00 cleo",
    "01-08T09:00 anna",
    "01-09T09:00 cleo",
  ]);
  const nobody = new Map(["anna", "ben", "cleo"].map((id) => [id, leftAtMs]));
  assert.equal(onCallAt(newPlan([newLayer()], { departures: nobody }), leftAtMs), null);
});

test("a handoff that clocks skip happens at the next existing minute", () => {
  const rotation = { ...daily, handoffTime: "02:30" };
  const plan = newPlan([newLayer({ rotation })], { timeZone: "Europe/Berlin" });
  assert.deepEqual(describe(plan, "2026-03-28T12:00Z", "2026-03-30T12:00Z").slice(1), [
    "03-29T01:00 cleo",
    "03-30T00:30 anna",
  ]);
});

test("a handoff that occurs twice happens at the first", () => {
  const rotation = { ...daily, handoffTime: "02:30" };
  const plan = newPlan([newLayer({ rotation })], { timeZone: "Europe/Berlin" });
  assert.deepEqual(describe(plan, "2026-10-24T12:00Z", "2026-10-26T12:00Z").slice(1), [
    "10-25T00:30 cleo",
    "10-26T01:30 anna",
  ]);
});

test("an hourly turn in a skipped hour has no length, and one in a repeated hour has two hours", () => {
  const rotation: Rotation = { ...daily, unit: "HOUR", handoffTime: "00:00" };
  const layer = newLayer({
    rotation,
    participants: ["0", "1", "2", "3"],
    start: "2026-01-05T00:00",
  });
  const plan = newPlan([layer], { timeZone: "Europe/Berlin" });
  assert.deepEqual(describe(plan, "2026-03-29T00:00Z", "2026-03-29T02:00Z"), [
    "03-29T00:00 1",
    "03-29T01:00 3",
  ]);
  assert.deepEqual(describe(plan, "2026-10-24T23:00Z", "2026-10-25T03:00Z"), [
    "10-24T23:00 1",
    "10-25T00:00 2",
    "10-25T02:00 3",
  ]);
  const half = { ...layer, rotation: { ...rotation, handoffTime: "00:30" } };
  const halves = newPlan([half], { timeZone: "Europe/Berlin" });
  const inFirst = onCallAt(halves, at("2026-10-25T00:45Z"));
  // At 02:15 for the second time, the handoff at 02:30 is past.
  assert.equal(onCallAt(halves, at("2026-10-25T01:15Z")), inFirst);
  assert.notEqual(onCallAt(halves, at("2026-10-25T00:15Z")), inFirst);
});

const timeOfDay = fc
  .integer({ min: 0, max: 95 })
  .map((quarter) => new Date(quarter * 15 * minuteMs).toISOString().slice(11, 16));
const users = fc.constantFrom("anna", "ben", "cleo", "dora");
const localTime = (from: string, days: number) =>
  fc
    .integer({ min: 0, max: days * 96 })
    .map((q) => new Date(at(`${from}T00:00Z`) + q * 15 * minuteMs).toISOString().slice(0, 16));

const layers: fc.Arbitrary<Layer> = fc.record({
  name: fc.constant("Layer"),
  participants: fc.array(users, { minLength: 1, maxLength: 5 }),
  rotation: fc.record({
    unit: fc.constantFrom(...rotationUnits),
    interval: fc.integer({ min: 1, max: 5 }),
    handoffTime: timeOfDay,
    handoffDay: fc.constantFrom(...weekdays),
  }),
  start: localTime("2010-01-01", 6_200),
  end: fc.option(localTime("2026-02-01", 300)),
  restrictions: fc.array(
    fc.record({
      days: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 }),
      from: timeOfDay,
      to: timeOfDay,
    }),
    { maxLength: 3 },
  ),
});

const places = fc
  .constantFrom(...Object.entries(clockChanges))
  .chain(([timeZone, days]) =>
    fc.record({ timeZone: fc.constant(timeZone), day: fc.constantFrom(...days) }),
  );
const afterMinutes = fc.integer({ min: -600, max: 9_000 });

const scenes = fc
  .record({
    place: places,
    startMinutes: fc.integer({ min: 0, max: 40 * 60 }),
    days: fc.integer({ min: 1, max: 9 }),
    planLayers: fc.array(layers, { maxLength: 3 }),
    overrides: fc.array(
      fc.tuple(fc.option(users), afterMinutes, fc.integer({ min: 1, max: 3_000 })),
      { maxLength: 4 },
    ),
    departures: fc.array(fc.tuple(users, afterMinutes), { maxLength: 3 }),
  })
  .map(({ place, startMinutes, days, planLayers, overrides, departures }) => {
    const fromMs = at(`${place.day}T00:00Z`) + startMinutes * minuteMs;
    const plan: Plan = {
      timeZone: place.timeZone,
      layers: planLayers,
      overrides: overrides.map(([userId, after, minutes], index) => ({
        id: String(index),
        userId,
        fromMs: fromMs + after * minuteMs,
        toMs: fromMs + (after + minutes) * minuteMs,
      })),
      departures: new Map(departures.map(([id, after]) => [id, fromMs + after * minuteMs])),
    };
    return { range: { fromMs, toMs: fromMs + days * dayMs }, plan };
  });

test("every instant of a rendered range agrees with the person on call", () => {
  fc.assert(
    fc.property(
      scenes,
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (scene, random) => {
        const { plan, range } = scene;
        let atMs = range.fromMs;
        for (const shift of renderShifts(plan, range)) {
          assert.equal(shift.fromMs, atMs, "shifts have no holes");
          assert.ok(shift.toMs > shift.fromMs, "shifts have a length");
          const inside = random.next().value * (shift.toMs - shift.fromMs - 1);
          for (const one of [shift.fromMs, shift.fromMs + Math.floor(inside), shift.toMs - 1]) {
            assert.equal(onCallAt(plan, one), shift.userId, new Date(one).toISOString());
          }
          atMs = shift.toMs;
        }
        assert.equal(atMs, range.toMs, "shifts cover the range");
      },
    ),
  );
});

test("people and gaps together cover a range once", () => {
  fc.assert(
    fc.property(scenes, ({ plan, range }) => {
      const shifts = renderShifts(plan, range);
      const sum = (spans: readonly { fromMs: number; toMs: number }[]) =>
        spans.reduce((total, one) => total + one.toMs - one.fromMs, 0);
      const gaps = listGaps(shifts);
      const covered = shifts.filter(({ userId }) => userId !== null);
      assert.equal(sum(gaps) + sum(covered), range.toMs - range.fromMs);
      for (const [index, gap] of gaps.entries()) {
        assert.equal(onCallAt(plan, gap.fromMs), null);
        const next = gaps[index + 1];
        assert.ok(next === undefined || next.fromMs > gap.toMs, "gaps are as long as possible");
      }
    }),
  );
});

test("a part of a range is rendered as in the whole", () => {
  fc.assert(
    fc.property(scenes, fc.nat({ max: 9 * 24 }), ({ plan, range }, hours) => {
      const cutMs = Math.min(range.fromMs + hours * hourMs, range.toMs);
      const whole = joinTurns(renderShifts(plan, range));
      const parts = [
        ...renderShifts(plan, { fromMs: range.fromMs, toMs: cutMs }),
        ...renderShifts(plan, { fromMs: cutMs, toMs: range.toMs }),
      ];
      const facts = (shifts: typeof whole) =>
        shifts.map(({ fromMs: from, userId }) => [from, userId]);
      assert.deepEqual(facts(joinTurns(parts)), facts(whole));
    }),
  );
});

test("after a change of time zone, the same person has the same local time", () => {
  fc.assert(
    fc.property(
      layers,
      fc.constantFrom(...zoneNames),
      fc.nat({ max: 96 * 20 }),
      (layer, zone, q) => {
        // Clocks change in none of the zones in these weeks.
        const local = new Date(at("2026-06-01T00:00Z") + q * 15 * minuteMs)
          .toISOString()
          .slice(0, 16);
        const before = newPlan([layer], { timeZone: "UTC" });
        const after = newPlan([layer], { timeZone: zone });
        assert.equal(
          onCallAt(after, atLocal(zone, local)),
          onCallAt(before, atLocal("UTC", local)),
        );
      },
    ),
  );
});

test("local times keep their order, and agree with Temporal where they exist once", () => {
  const hours = fc.integer({ min: 0, max: 24 * 364 * 4 });
  fc.assert(
    fc.property(
      fc.constantFrom(...zoneNames),
      hours,
      fc.nat({ max: 8 }),
      (name, quarter, later) => {
        const zone = getZone(name);
        const localMs = at("2026-01-01T00:00Z") + quarter * 15 * minuteMs;
        const instant = zone.toInstant(localMs);
        assert.ok(instant <= zone.toInstant(localMs + later * 15 * minuteMs));
        const plain = Temporal.PlainDateTime.from(new Date(localMs).toISOString().slice(0, 19));
        const expected = plain.toZonedDateTime(name);
        if (expected.toPlainDateTime().equals(plain)) {
          assert.equal(instant, expected.epochMilliseconds);
        } else {
          const gapStart = plain.toZonedDateTime(name, { disambiguation: "earlier" });
          assert.equal(instant, gapStart.getTimeZoneTransition("next")?.epochMilliseconds);
        }
      },
    ),
  );
});

test("the work of a range does not depend on the age of a layer", () => {
  const rotation: Rotation = { ...daily, unit: "HOUR" };
  const span = { fromMs: at("2199-01-01T00:00Z"), toMs: at("2199-01-01T03:00Z") };
  const plan = newPlan([newLayer({ rotation, start: "2000-01-01T00:00" })]);
  const converted = countConversions(() => renderLayer(plan, 0, span));
  assert.ok(converted <= 20, `${converted} conversions`);
});

/** Counts conversions of local times in UTC. */
function countConversions(run: () => unknown): number {
  const zone = getZone("UTC");
  let count = 0;
  zone.toInstant = (localMs) => {
    count += 1;
    return localMs;
  };
  try {
    run();
  } finally {
    Reflect.deleteProperty(zone, "toInstant");
  }
  return count;
}

test("the cost of overrides grows with their number, not with its square", () => {
  const overrides = Array.from({ length: 20_000 }, (_, index) => {
    const fromMs = index * minuteMs;
    return { id: String(index), userId: index % 2 ? "anna" : "ben", fromMs, toMs: fromMs + hourMs };
  });
  const plan: Plan = { timeZone: "UTC", layers: [], overrides, departures: new Map() };
  const range = { fromMs: 0, toMs: 31 * dayMs };
  let shifts: ReturnType<typeof renderShifts> = [];
  const cpuMs = measureCpuMs(() => {
    shifts = renderShifts(plan, range);
  });
  assert.equal(shifts.length, 20_001, "each is visible until the next one starts");
  assert.ok(cpuMs < 2_000, `${cpuMs} ms`);
});
