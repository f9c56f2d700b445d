import assert from "node:assert/strict";
import { test } from "node:test";
import { askWho } from "../../../../test/support/apps/who-is-on-call.ts";
import { toRestrictions } from "./draft.ts";
import { convertOpsgenie } from "./opsgenie.ts";

type Body = Readonly<Record<string, unknown>>;
const nowMs = Date.parse("2026-11-15T12:00:00Z");

test("hours of a week are split into days", () => {
  const hour = 60;
  const day = 24 * hour;
  assert.deepEqual(toRestrictions([{ from: 8 * hour, minutes: 4 * day + 10 * hour }]), [
    { days: ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY"], from: "08:00", to: "08:00" },
    { days: ["FRIDAY"], from: "08:00", to: "18:00" },
  ]);
  const overNight = [{ from: 6 * day + 18 * hour, minutes: 14 * hour }];
  assert.deepEqual(toRestrictions(overNight), [{ days: ["SUNDAY"], from: "18:00", to: "08:00" }]);
  assert.deepEqual(toRestrictions([{ from: 5, minutes: 7 * day }]), []);
});

const user = (name: string) => ({
  type: "user",
  id: `id-${name}`,
  username: `${name}@example.com`,
});

function newOpsgenie(rotation: Body, change: Body = {}): Body {
  const participants = [user("anna"), user("ben")];
  const startDate = "2026-11-02T08:00:00Z";
  return {
    took: 0.1,
    data: [
      {
        id: "s1",
        name: "Primary",
        timezone: "Europe/Berlin",
        enabled: true,
        rotations: [
          { name: "Rota", startDate, type: "weekly", length: 1, participants, ...rotation },
        ],
        ...change,
      },
    ],
  };
}

test("rotations of Opsgenie have the same turns", () => {
  // 2026-11-02 is a Monday; 08:00Z is 09:00 in Berlin.
  const weekday = { startHour: 9, startMin: 0, endHour: 17, endMin: 30 };
  const cases: readonly (readonly [Body, readonly (readonly [string, string | null])[]])[] = [
    [
      {},
      [
        ["2026-11-09T07:59:00Z", "anna"],
        ["2026-11-09T08:00:00Z", "ben"],
      ],
    ],
    [
      { length: 2 },
      [
        ["2026-11-16T07:59:00Z", "anna"],
        ["2026-11-16T08:00:00Z", "ben"],
      ],
    ],
    [
      { type: "daily" },
      [
        ["2026-11-02T08:00:00Z", "anna"],
        ["2026-11-03T08:00:00Z", "ben"],
      ],
    ],
    [
      { type: "hourly", length: 6 },
      [
        ["2026-11-02T13:59:00Z", "anna"],
        ["2026-11-02T14:00:00Z", "ben"],
      ],
    ],
    [
      { endDate: "2026-12-01T08:00:00Z" },
      [
        ["2026-12-01T07:59:00Z", "anna"],
        ["2026-12-01T08:00:00Z", null],
      ],
    ],
    // Handoffs stay at 09:00 in summer.
    [
      {},
      [
        ["2027-04-05T06:59:00Z", "ben"],
        ["2027-04-05T07:00:00Z", "anna"],
      ],
    ],
    [
      {
        timeRestriction: {
          type: "time-of-day",
          restriction: { startHour: 22, startMin: 0, endHour: 6, endMin: 0 },
        },
      },
      [
        ["2026-11-02T20:59:00Z", null],
        ["2026-11-02T21:00:00Z", "anna"],
      ],
    ],
    [
      {
        timeRestriction: {
          type: "weekday-and-time-of-day",
          restrictions: [{ startDay: "saturday", endDay: "monday", ...weekday }],
        },
      },
      [
        ["2026-11-07T07:59:00Z", null],
        ["2026-11-07T08:00:00Z", "anna"],
        ["2026-11-09T16:29:00Z", "ben"],
        ["2026-11-09T16:30:00Z", null],
      ],
    ],
  ];
  for (const [rotation, expected] of cases) {
    const draft = convertOpsgenie([newOpsgenie(rotation)], nowMs);
    const times = expected.map(([at]) => at);
    assert.deepEqual(
      askWho(draft, times),
      expected.map(([, who]) => who),
      JSON.stringify(rotation),
    );
    assert.deepEqual(draft.leftOut, []);
  }
});

test("what Opsgenie has and Vedette does not is named", () => {
  const team = { type: "team", id: "t1", name: "Ops" };
  const participants = [user("anna"), team, { type: "none" }];
  const cases: readonly (readonly [Body, Body, readonly string[]])[] = [
    [{ participants }, {}, ["Primary / Rota / team Ops", "Primary / Rota / none"]],
    [{ endDate: "2026-11-10T08:00:00Z" }, {}, ["Primary / Rota", "Primary"]],
    [{ startDate: "soon" }, {}, ["Primary / Rota", "Primary"]],
    [{ startDate: "1980-01-01T00:00:00Z" }, {}, ["Primary / Rota", "Primary"]],
    [{ length: 999_999 }, {}, ["Primary / Rota", "Primary"]],
    [{ timeRestriction: { type: "other" } }, {}, ["Primary / Rota", "Primary"]],
    [{ participants: [team] }, {}, ["Primary / Rota / team Ops", "Primary / Rota", "Primary"]],
    [{}, { enabled: false }, ["Primary"]],
    [{}, { timezone: "Mars/Olympus" }, ["Primary"]],
  ];
  for (const [rotation, change, names] of cases) {
    const { leftOut } = convertOpsgenie([newOpsgenie(rotation, change)], nowMs);
    assert.deepEqual(
      leftOut.map(({ name }) => name),
      names,
      JSON.stringify([rotation, change]),
    );
  }
});

test("escalations of Opsgenie become policies", () => {
  const rule = (timeAmount: number, recipient: Body, change: Body = {}) => ({
    condition: "if-not-acked",
    notifyType: "default",
    delay: { timeAmount, timeUnit: "minutes" },
    recipient,
    ...change,
  });
  const schedule = { type: "schedule", id: "s1", name: "Primary" };
  const rules = [
    rule(5, user("ben")),
    rule(0, schedule),
    rule(5, schedule),
    rule(10, schedule, { notifyType: "next" }),
    rule(15, { type: "team", name: "Ops" }),
    rule(20, user("anna"), { condition: "if-not-closed" }),
  ];
  const repeat = { waitInterval: 15, count: 20, resetRecipientStates: false };
  const data = [{ id: "e1", name: "Shop", rules, repeat }];
  const { policies, leftOut } = convertOpsgenie([{ data }], nowMs);
  const target = { scheduleKey: "s1", scheduleName: "Primary" };
  assert.deepEqual(policies, [
    {
      name: "Shop",
      steps: [
        { afterMinutes: 0, targets: [target] },
        { afterMinutes: 5, targets: [{ person: "ben@example.com" }, target] },
        { afterMinutes: 20, targets: [{ person: "anna@example.com" }] },
      ],
      repeat: 9,
      repeatAfterMinutes: 15,
    },
  ]);
  assert.deepEqual(
    leftOut.map(({ name }) => name),
    ["Shop / schedule Primary", "Shop / team Ops", "Shop / user anna@example.com", "Shop"],
  );
});

test("escalations may have no repetition, and delays in any unit of Opsgenie", () => {
  const delays: readonly (readonly [Body, number])[] = [
    [{ timeAmount: 90 }, 90],
    [{ timeAmount: 2, timeUnit: "hours" }, 120],
    [{ timeAmount: 1, timeUnit: "days" }, 1_440],
    [{ timeAmount: 90, timeUnit: "seconds" }, 2],
    [{ timeAmount: 60_000, timeUnit: "miliseconds" }, 1],
  ];
  const repeats = [undefined, null, { waitInterval: null, count: null, closeAlertAfterAll: null }];
  for (const [delay, afterMinutes] of delays) {
    for (const repeat of repeats) {
      const data = [{ name: "Shop", rules: [{ delay, recipient: user("ben") }], repeat }];
      const { policies } = convertOpsgenie([JSON.parse(JSON.stringify({ data }))], nowMs);
      assert.deepEqual(policies, [
        {
          name: "Shop",
          steps: [{ afterMinutes, targets: [{ person: "ben@example.com" }] }],
          repeat: 0,
          repeatAfterMinutes: 10,
        },
      ]);
    }
  }
});
