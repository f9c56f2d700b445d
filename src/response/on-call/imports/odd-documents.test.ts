/** Imports of random and of hostile documents, held against shifts that are computed otherwise. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { askWho } from "../../../../test/support/apps/who-is-on-call.ts";
import { convertGrafanaOncall } from "./grafana-oncall.ts";
import { convertOpsgenie } from "./opsgenie.ts";
import { convertPagerDuty } from "./pagerduty.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;
const nowMs = Date.parse("2026-11-15T12:00:00Z");
/** A Monday, in local time. */
const monday = Date.parse("2026-03-02T00:00:00Z");

/** Local time as if it were UTC, from the calendar of the runtime. */
function toLocal(zone: string, instantMs: number): number {
  const text = new Date(instantMs).toLocaleString("sv-SE", { timeZone: zone });
  return Date.parse(`${text.replace(" ", "T")}Z`);
}

/** Clocks do not change within a day of these times, so a search by offset is exact. */
function toInstant(zone: string, localMs: number): number {
  return localMs - (toLocal(zone, localMs) - localMs);
}

const mod = (value: number, count: number) => ((value % count) + count) % count;
const writeTime = (ms: number) => new Date(ms).toISOString();

/** Whether a local time is in hours that start at a time of each listed weekday; Monday is 0. */
function isWithin(
  localMs: number,
  spans: readonly (readonly [fromMs: number, lengthMs: number])[],
) {
  const at = mod(localMs - monday, week);
  return spans.some(([fromMs, lengthMs]) => mod(at - fromMs, week) < lengthMs);
}

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Sydney"];
/** Hours of a day that clocks neither skip nor repeat. */
const clock = fc.integer({ min: 10, max: 47 }).map((halves) => halves * 30 * minute);
const weekday = fc.integer({ min: 0, max: 6 });
const scene = {
  zone: fc.constantFrom(...zones),
  people: fc.integer({ min: 1, max: 5 }),
  startDay: weekday,
  startClock: clock,
  after: fc.array(fc.integer({ min: 0, max: (400 * day) / minute }), {
    minLength: 20,
    maxLength: 20,
  }),
};
/** Turns of hours are compared where clocks do not change. */
const steady = ["UTC", "Asia/Kolkata", "Asia/Tokyo"];

const listPeople = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
const dayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

test("random rotations of Opsgenie have the shifts of a second computation", () => {
  const rotation = fc.record({
    ...scene,
    type: fc.constantFrom("hourly", "daily", "weekly"),
    length: fc.integer({ min: 1, max: 20 }),
    hours: fc.option(fc.record({ from: clock, to: clock, fromDay: weekday, toDay: weekday })),
    isWeekly: fc.boolean(),
  });
  fc.assert(
    fc.property(rotation, ({ type, length, hours, isWeekly, ...one }) => {
      const zone = type === "hourly" ? (steady[one.people % 3] ?? "UTC") : one.zone;
      const startLocal = monday + one.startDay * day + one.startClock;
      const people = listPeople(one.people);
      const split = (ms: number) => [Math.floor(ms / hour), (ms % hour) / minute] as const;
      const [startHour, startMin] = split(hours?.from ?? 0);
      const [endHour, endMin] = split(hours?.to ?? 0);
      const times = { startHour, startMin, endHour, endMin };
      const days = {
        startDay: dayNames[hours?.fromDay ?? 0],
        endDay: dayNames[hours?.toDay ?? 0],
      };
      const timeRestriction = isWeekly
        ? { type: "weekday-and-time-of-day", restrictions: [{ ...days, ...times }] }
        : { type: "time-of-day", restriction: times };
      const participants = people.map((name) => ({ type: "user", username: `${name}@x` }));
      const startDate = writeTime(toInstant(zone, startLocal));
      const rota = { name: "R", startDate, type, length, participants };
      const rotations = [hours === null ? rota : { ...rota, timeRestriction }];
      const data = [{ id: "s", name: "S", timezone: zone, rotations }];
      const draft = convertOpsgenie([{ data }], nowMs);
      assert.deepEqual(draft.leftOut, []);
      const turn = { hourly: hour, daily: day, weekly: week }[type as "daily"] * length;
      const daily = mod((hours?.to ?? 0) - (hours?.from ?? 0) - minute, day) + minute;
      const spans = isWeekly
        ? [
            [
              (hours?.fromDay ?? 0) * day + (hours?.from ?? 0),
              mod(
                ((hours?.toDay ?? 0) - (hours?.fromDay ?? 0)) * day +
                  (hours?.to ?? 0) -
                  (hours?.from ?? 0) -
                  minute,
                week,
              ) + minute,
            ] as const,
          ]
        : dayNames.map((_name, index) => [index * day + (hours?.from ?? 0), daily] as const);
      const instants = one.after.map((minutes) => toInstant(zone, startLocal) + minutes * minute);
      const expected = instants.map((at) => {
        const local = toLocal(zone, at);
        if (hours !== null && !isWithin(local, spans)) return null;
        return people[mod(Math.floor((local - startLocal) / turn), people.length)];
      });
      assert.deepEqual(askWho(draft, instants.map(writeTime)), expected);
    }),
  );
});

test("random layers of PagerDuty have the shifts of a second computation", () => {
  const layer = fc.record({
    ...scene,
    unit: fc.constantFrom(hour, day, week),
    length: fc.integer({ min: 1, max: 20 }),
    before: fc.integer({ min: 0, max: 60 }),
    restriction: fc.option(
      fc.record({
        from: clock,
        isWeekly: fc.boolean(),
        weekday,
        hours: fc.integer({ min: 1, max: 150 }),
      }),
    ),
  });
  fc.assert(
    fc.property(layer, ({ unit, length, before, restriction, ...one }) => {
      const zone = unit === hour ? (steady[one.people % 3] ?? "UTC") : one.zone;
      const turn = unit * length;
      const virtualLocal = monday + one.startDay * day + one.startClock;
      const startLocal = virtualLocal + before * day;
      const people = listPeople(one.people);
      const lengthMs = (restriction?.hours ?? 0) * hour;
      const duration = restriction?.isWeekly === true ? lengthMs : Math.min(lengthMs, 23 * hour);
      const restrictions =
        restriction === null
          ? []
          : [
              {
                type: restriction.isWeekly ? "weekly_restriction" : "daily_restriction",
                start_time_of_day: writeTime(restriction.from).slice(11, 19),
                ...(restriction.isWeekly && { start_day_of_week: restriction.weekday + 1 }),
                duration_seconds: duration / 1_000,
              },
            ];
      const users = people.map((id) => ({ user: { id, type: "user_reference", summary: id } }));
      const schedule_layers = [
        {
          ...{ name: "L", end: null, users, restrictions },
          start: writeTime(toInstant(zone, startLocal)),
          rotation_virtual_start: writeTime(toInstant(zone, virtualLocal)),
          rotation_turn_length_seconds: turn / 1_000,
        },
      ];
      const schedule = { id: "P", name: "P", time_zone: zone, schedule_layers };
      const draft = convertPagerDuty([{ schedule }], nowMs);
      const spans = [0, 1, 2, 3, 4, 5, 6]
        .filter((index) => restriction?.isWeekly !== true || index === restriction.weekday)
        .map((index) => [index * day + (restriction?.from ?? 0), duration] as const);
      const instants = one.after.map((minutes) => toInstant(zone, startLocal) + minutes * minute);
      const expected = instants.map((at) => {
        const local = toLocal(zone, at);
        if (restriction !== null && !isWithin(local, spans)) return null;
        return people[mod(Math.floor((local - virtualLocal) / turn), people.length)];
      });
      assert.deepEqual(askWho(draft, instants.map(writeTime)), expected);
    }),
  );
});

test("random shifts of Grafana OnCall have the shifts of a second computation", () => {
  const codes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
  const shift = fc.record({
    ...scene,
    days: fc.uniqueArray(weekday, { minLength: 1, maxLength: 7 }),
    weekStart: weekday,
    hours: fc.integer({ min: 1, max: 23 }),
    first: fc.integer({ min: 0, max: 9 }),
  });
  fc.assert(
    fc.property(shift, ({ days, weekStart, hours, first, ...one }) => {
      const startLocal = monday + one.startDay * day + one.startClock;
      const people = listPeople(one.people);
      const shifts = [
        {
          ...{ id: "O", name: "O", type: "rolling_users", time_zone: null, level: 0 },
          start: writeTime(startLocal).slice(0, 19),
          ...{ duration: (hours * hour) / 1_000, frequency: "weekly", interval: 1 },
          by_day: days.map((index) => codes[index]),
          week_start: codes[weekStart],
          rolling_users: people.map((id) => [id]),
          start_rotation_from_user_index: first,
        },
      ];
      const schedule = { id: "S", name: "S", type: "web", time_zone: one.zone, shifts: ["O"] };
      const draft = convertGrafanaOncall([{ results: [schedule] }, { results: shifts }], nowMs);
      const firstWeek = startLocal - mod(startLocal - monday - weekStart * day, week);
      const weekOf = (local: number) =>
        Math.floor((local - firstWeek - mod(firstWeek, day)) / week);
      const instants = one.after.map(
        (minutes) => toInstant(one.zone, startLocal) + minutes * minute,
      );
      const expected = instants.map((at) => {
        const local = toLocal(one.zone, at);
        // The event that is going on started at its time of today or of yesterday.
        const today = local - mod(local, day) + one.startClock;
        const started = [today, today - day].find((from) => {
          const isDay = days.includes(mod(Math.floor((from - monday) / day), 7));
          return isDay && from <= local && local < from + hours * hour && from >= startLocal;
        });
        if (started === undefined) return null;
        return people[mod(weekOf(started) - weekOf(startLocal) + first, people.length)];
      });
      assert.deepEqual(askWho(draft, instants.map(writeTime)), expected);
    }),
  );
});

/** A schedule of each product with one rotation, and its people. */
const products = {
  opsgenie: (zone: string, people: readonly string[]) => {
    const participants = people.map((name) => ({ type: "user", username: `${name}@x` }));
    const rotation = { name: "R", startDate: "2026-11-02T08:00:00Z", type: "weekly", participants };
    const data = [{ id: "s", name: "S", timezone: zone, rotations: [rotation] }];
    return convertOpsgenie([{ data }], nowMs);
  },
  pagerDuty: (zone: string, people: readonly string[]) => {
    const start = "2026-11-02T08:00:00Z";
    const users = people.map((id) => ({
      user: { id, type: "user_reference", summary: `${id}@x` },
    }));
    const layer = { name: "R", start, rotation_virtual_start: start, users };
    const schedule_layers = [{ ...layer, rotation_turn_length_seconds: 604_800 }];
    return convertPagerDuty(
      [{ schedule: { id: "s", name: "S", time_zone: zone, schedule_layers } }],
      nowMs,
    );
  },
  grafana: (zone: string, people: readonly string[]) => {
    const shift = { id: "O", name: "R", type: "rolling_users", start: "2026-11-02T08:00:00" };
    const rolling_users = people.map((id) => [id]);
    const weekly = { ...shift, frequency: "weekly", duration: 604_800, rolling_users };
    const schedule = { id: "s", name: "S", type: "calendar", time_zone: zone, shifts: ["O"] };
    const users = people.map((id) => ({ id, email: `${id}@x` }));
    return convertGrafanaOncall([{ results: [schedule, weekly, ...users] }], nowMs);
  },
};

for (const [product, convert] of Object.entries(products)) {
  test(`a rotation of 1,000 people, and a zone that does not exist, are named: ${product}`, () => {
    const many = convert("UTC", listPeople(1_000));
    assert.deepEqual(many.schedules, []);
    assert.deepEqual(many.leftOut, [
      { name: "S / R", why: "It has more than 50 participants." },
      { name: "S", why: "No layer of it can be imported." },
    ]);
    for (const zone of ["Mars/Olympus", "Europe/Berlin/Mitte", "+25:00", "", "x".repeat(1_000)]) {
      const draft = convert(zone, ["p0", "p1"]);
      const [schedule] = draft.schedules;
      assert.equal(schedule?.timeZone, "UTC", zone);
      assert.match(draft.leftOut[0]?.why ?? "", /^The time zone .*is not known; UTC is used\.$/);
      assert.deepEqual(askWho(draft, ["2026-11-09T07:59:00Z", "2026-11-09T08:00:00Z"]), [
        "p0",
        "p1",
      ]);
    }
    // Somebody may take several turns of a round, and nobody may be on call.
    const turns = convert("UTC", ["p0", "p0", "p1"]);
    const mondays = [2, 9, 16, 23].map((one) => writeTime(Date.UTC(2026, 10, one, 9)));
    assert.deepEqual(askWho(turns, mondays), ["p0", "p0", "p1", "p0"]);
    assert.deepEqual(convert("UTC", []).schedules, []);
  });
}

test("escalations that refer to each other, and to nobody, end with what can be paged", () => {
  const rule = (recipient: object) => ({ delay: { timeAmount: 1 }, recipient });
  const cycle = ["A", "B"].map((name, index) => ({
    name,
    rules: [
      rule({ type: "escalation", name: ["B", "A"][index] }),
      rule({ type: "all" }),
      rule({ type: "user" }),
      rule({ type: "user", username: "gone@x" }),
    ],
  }));
  const { policies, leftOut } = convertOpsgenie([{ data: cycle }], nowMs);
  const steps = [{ afterMinutes: 1, targets: [{ person: "gone@x" }] }];
  assert.deepEqual(
    policies.map((one) => [one.name, one.steps]),
    [
      ["A", steps],
      ["B", steps],
    ],
  );
  assert.equal(leftOut.length, 6);
  const target = { id: "E", type: "escalation_policy_reference", summary: "E" };
  const escalation_rules = [{ escalation_delay_in_minutes: 5, targets: [target] }];
  const own = convertPagerDuty(
    [{ escalation_policies: [{ id: "E", name: "E", escalation_rules }] }],
    nowMs,
  );
  assert.deepEqual(own.policies, []);
  assert.equal(own.leftOut.at(-1)?.why, "No step of it can be imported.");
  const step = { escalation_chain_id: "C", type: "notify_persons", persons_to_notify: ["UNKNOWN"] };
  const chain = convertGrafanaOncall([{ results: [{ id: "C", name: "C" }, step] }], nowMs);
  assert.deepEqual(chain.policies[0]?.steps, [
    { afterMinutes: 0, targets: [{ person: "UNKNOWN" }] },
  ]);
});
