import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../test/support/properties.ts";
import { decideReplacements } from "./absences.ts";
import { hourMs } from "./local-time.ts";
import { renderShifts } from "./rendering.ts";
import { type Layer, type Override, onCallAt, type Plan, type Span } from "./schedule.ts";

const at = (text: string) => Date.parse(`2026-01-${text}Z`);
const span = (from: string, to: string): Span => ({ fromMs: at(from), toMs: at(to) });

function newLayer(participants: readonly string[], change: Partial<Layer> = {}): Layer {
  return {
    name: "Primary",
    participants,
    rotation: { unit: "DAY", interval: 1, handoffTime: "09:00", handoffDay: "MONDAY" },
    start: "2026-01-05T09:00",
    end: null,
    restrictions: [],
    ...change,
  };
}

function newPlan(layers: readonly Layer[], change: Partial<Plan> = {}): Plan {
  return { timeZone: "UTC", layers, overrides: [], departures: new Map(), ...change };
}

function describe(plan: Plan, userId: string, ...absences: Span[]): string[] {
  return decideReplacements(plan, { userId, absences }).map(
    (one) =>
      `${new Date(one.fromMs).toISOString().slice(8, 16)} ` +
      `${new Date(one.toMs).toISOString().slice(8, 16)} ${one.userId}`,
  );
}

const three = newPlan([newLayer(["anna", "ben", "cleo"])]);

test("the next participant of the layer has the shifts of somebody who is absent", () => {
  assert.deepEqual(describe(three, "anna", span("05T00:00", "09T00:00")), [
    "05T09:00 06T09:00 ben",
    "08T09:00 09T00:00 ben",
  ]);
  assert.deepEqual(describe(three, "cleo", span("07T12:00", "07T15:00")), [
    "07T12:00 07T15:00 anna",
  ]);
});

test("somebody without a shift in the time needs no replacement", () => {
  assert.deepEqual(describe(three, "anna", span("06T09:00", "08T09:00")), []);
  assert.deepEqual(describe(three, "nobody", span("05T09:00", "09T00:00")), []);
  assert.deepEqual(describe(three, "anna"), []);
});

test("absences that overlap or touch count once", () => {
  const whole = describe(three, "anna", span("05T09:00", "06T09:00"));
  const parts = [
    span("05T12:00", "06T09:00"),
    span("05T10:00", "05T13:00"),
    span("05T09:00", "05T10:00"),
  ];
  assert.deepEqual(describe(three, "anna", ...parts), whole);
});

test("participants who have left are passed over, also those who leave during the shift", () => {
  const shift = span("05T09:00", "06T09:00");
  const leaving = (ben: string) => ({ ...three, departures: new Map([["ben", at(ben)]]) });
  assert.deepEqual(describe(leaving("01T00:00"), "anna", shift), ["05T09:00 06T09:00 cleo"]);
  assert.deepEqual(describe(leaving("06T08:59"), "anna", shift), ["05T09:00 06T09:00 cleo"]);
  assert.deepEqual(describe(leaving("06T09:00"), "anna", shift), ["05T09:00 06T09:00 ben"]);
});

test("nobody replaces the only participant of a layer", () => {
  const shift = span("05T09:00", "06T09:00");
  assert.deepEqual(describe(newPlan([newLayer(["anna"])]), "anna", shift), [
    "05T09:00 06T09:00 null",
  ]);
  const repeated = newPlan([newLayer(["anna", "anna"])]);
  assert.deepEqual(describe(repeated, "anna", shift), ["05T09:00 06T09:00 null"]);
});

test("a participant with several turns is replaced by the next other person", () => {
  const plan = newPlan([newLayer(["anna", "anna", "ben"])]);
  assert.deepEqual(describe(plan, "anna", span("05T09:00", "07T09:00")), [
    "05T09:00 06T09:00 ben",
    "06T09:00 07T09:00 ben",
  ]);
});

test("a replacement is of the layer that the shift is of", () => {
  const evenings = newLayer(["anna", "dora"], {
    restrictions: [{ days: ["MONDAY"], from: "18:00", to: "22:00" }],
  });
  const plan = newPlan([newLayer(["anna", "ben"]), evenings]);
  assert.deepEqual(describe(plan, "anna", span("05T09:00", "06T09:00")), [
    "05T09:00 05T18:00 ben",
    "05T18:00 05T22:00 dora",
    "05T22:00 06T09:00 ben",
  ]);
});

test("nobody replaces somebody whom an override put on call", () => {
  const override: Override = { id: "o", userId: "anna", ...span("06T10:00", "06T12:00") };
  const plan = { ...three, overrides: [override] };
  assert.deepEqual(describe(plan, "anna", span("06T00:00", "07T00:00")), [
    "06T00:00 06T09:00 ben",
    "06T10:00 06T12:00 null",
  ]);
});

test("with the replacements, an absent member is on call only if there is nobody else", () => {
  const people = fc.constantFrom("anna", "ben", "cleo", "dora");
  const hour = fc.nat({ max: 24 * 14 });
  const absence = fc.tuple(hour, fc.integer({ min: 1, max: 72 })).map(([from, length]) => ({
    fromMs: at("05T00:00") + from * hourMs,
    toMs: at("05T00:00") + (from + length) * hourMs,
  }));
  fc.assert(
    fc.property(
      fc.array(people, { minLength: 1, maxLength: 5 }),
      fc.array(absence, { minLength: 1, maxLength: 4 }),
      (participants, absences) => {
        const plan = newPlan([newLayer(participants)]);
        const replacements = decideReplacements(plan, { userId: "anna", absences });
        const overrides = replacements
          .filter(({ userId }) => userId !== null)
          .map((one, index) => ({ ...one, id: String(index) }));
        const after = { ...plan, overrides };
        const hasOther = participants.some((id) => id !== "anna");
        for (const { fromMs, toMs } of absences) {
          for (const shift of renderShifts(after, { fromMs, toMs })) {
            assert.equal(shift.userId === "anna" && hasOther, false);
            // The times when nobody was on call stay as they were.
            const was = onCallAt(plan, shift.fromMs);
            assert.equal(shift.userId === null, was === null);
          }
        }
      },
    ),
    { numRuns: propertyRuns / 2 },
  );
});
