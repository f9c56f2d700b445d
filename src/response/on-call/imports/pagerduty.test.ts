import assert from "node:assert/strict";
import { test } from "node:test";
import { askWho } from "../../../../test/support/apps/who-is-on-call.ts";
import { convertPagerDuty } from "./pagerduty.ts";

type Body = Readonly<Record<string, unknown>>;
const nowMs = Date.parse("2026-11-15T12:00:00Z");

const pagerUsers = {
  users: ["anna", "ben", "cleo"].map((name) => ({
    ...{ id: name.toUpperCase(), type: "user", name, email: `${name}@example.com` },
  })),
};
const reference = (name: string) => ({
  user: { id: name.toUpperCase(), type: "user_reference", summary: name },
});

function newPagerDuty(...layers: readonly Body[]): Body {
  const base = {
    ...{ id: "L", name: "Layer", start: "2026-11-02T09:00:00+01:00", end: null },
    rotation_virtual_start: "2026-11-02T09:00:00+01:00",
    rotation_turn_length_seconds: 604_800,
    users: [reference("anna"), reference("ben"), reference("cleo")],
    restrictions: [],
  };
  const schedule_layers = layers.map((layer) => ({ ...base, ...layer }));
  const zone = "Europe/Berlin";
  return { schedules: [{ id: "P1", name: "Primary", time_zone: zone, schedule_layers }] };
}

test("layers of PagerDuty have the same turns", () => {
  const cases: readonly (readonly [
    readonly Body[],
    readonly (readonly [string, string | null])[],
  ])[] = [
    [
      [{}],
      [
        ["2026-11-09T07:59:00Z", "anna"],
        ["2026-11-09T08:00:00Z", "ben"],
      ],
    ],
    [
      [{ rotation_turn_length_seconds: 86_400 }],
      [
        ["2026-11-03T08:00:00Z", "ben"],
        ["2026-11-04T08:00:00Z", "cleo"],
      ],
    ],
    [
      [{ rotation_turn_length_seconds: 43_200 }],
      [
        ["2026-11-02T19:59:00Z", "anna"],
        ["2026-11-02T20:00:00Z", "ben"],
      ],
    ],
    // Turns of 36 hours do not repeat at one time of day.
    [
      [{ rotation_turn_length_seconds: 129_600 }],
      [
        ["2026-11-03T19:59:00Z", "anna"],
        ["2026-11-03T20:00:00Z", "ben"],
      ],
    ],
    // The layer starts in the middle of the second turn.
    [
      [{ rotation_virtual_start: "2026-10-23T09:00:00+02:00" }],
      [
        ["2026-11-02T07:59:00Z", null],
        ["2026-11-02T08:00:00Z", "ben"],
        ["2026-11-06T08:00:00Z", "cleo"],
      ],
    ],
    [
      [
        {
          rotation_turn_length_seconds: 1_209_600,
          rotation_virtual_start: "2026-10-12T09:00:00+02:00",
        },
      ],
      [
        ["2026-11-08T08:00:00Z", "ben"],
        ["2026-11-09T08:00:00Z", "cleo"],
      ],
    ],
    // The first layer of the document is the highest; one that ended is left out.
    [
      [
        {
          name: "Nights",
          users: [reference("cleo")],
          restrictions: [
            { type: "daily_restriction", start_time_of_day: "22:00:00", duration_seconds: 28_800 },
          ],
        },
        { users: [reference("anna")] },
        { name: "Old", end: "2026-11-03T09:00:00+01:00" },
      ],
      [
        ["2026-11-02T20:59:00Z", "anna"],
        ["2026-11-02T21:00:00Z", "cleo"],
      ],
    ],
    [
      [
        {
          restrictions: [
            {
              type: "weekly_restriction",
              start_day_of_week: 6,
              start_time_of_day: "00:00:00",
              duration_seconds: 172_800,
            },
          ],
        },
      ],
      [
        ["2026-11-06T22:59:00Z", null],
        ["2026-11-06T23:00:00Z", "anna"],
        ["2026-11-08T22:59:00Z", "anna"],
        ["2026-11-08T23:00:00Z", null],
      ],
    ],
  ];
  for (const [layers, expected] of cases) {
    const draft = convertPagerDuty([newPagerDuty(...layers), pagerUsers], nowMs);
    const times = expected.map(([at]) => at);
    assert.deepEqual(
      askWho(draft, times),
      expected.map(([, who]) => who),
      JSON.stringify(layers),
    );
  }
});

test("policies of PagerDuty add up their delays, and people without address keep a name", () => {
  const escalation_rules = [
    {
      escalation_delay_in_minutes: 30,
      targets: [{ id: "P1", type: "schedule_reference", summary: "Primary" }],
    },
    {
      escalation_delay_in_minutes: 15,
      targets: [reference("ben").user, { id: "X", type: "other" }],
    },
    {
      escalation_delay_in_minutes: 5,
      targets: [{ id: "GONE", type: "user_reference", summary: "Gone" }],
    },
  ];
  const document = {
    escalation_policies: [{ id: "E", name: "Shop", num_loops: 2, escalation_rules }],
  };
  const { policies, leftOut } = convertPagerDuty([document, pagerUsers], nowMs);
  assert.deepEqual(policies, [
    {
      name: "Shop",
      steps: [
        { afterMinutes: 0, targets: [{ scheduleKey: "P1", scheduleName: "Primary" }] },
        { afterMinutes: 30, targets: [{ person: "ben@example.com" }] },
        { afterMinutes: 45, targets: [{ person: "Gone" }] },
      ],
      repeat: 2,
      repeatAfterMinutes: 5,
    },
  ]);
  assert.deepEqual(leftOut, [{ name: "Shop / X", why: "Only users and schedules can be paged." }]);
});

test("schedules without layers are named, unless another answer has their layers", () => {
  const [primary] = newPagerDuty({}).schedules as Body[];
  const plain = { id: "P1", type: "schedule", name: "Primary", time_zone: "Europe/Berlin" };
  const shifts = { id: "P3", type: "schedule_v3_reference", summary: "Shifts" };
  const convert = (...documents: Body[]) => convertPagerDuty([...documents, pagerUsers], nowMs);
  const listed = convert({ schedules: [plain, shifts] });
  assert.deepEqual(listed.schedules, []);
  assert.deepEqual(listed.leftOut, [
    {
      name: "Primary",
      why: "The document has no layers of it; add the answer of GET /schedules/{id}.",
    },
    {
      name: "Shifts",
      why: "It is a shift-based schedule, which has no layers; create its rotation here.",
    },
  ]);
  const answered = convert({ schedules: [plain] }, { schedule: { ...primary, type: "schedule" } });
  assert.deepEqual(
    answered.schedules.map(({ name }) => name),
    ["Primary"],
  );
  assert.deepEqual(answered.leftOut, []);
});
