import assert from "node:assert/strict";
import { test } from "node:test";
import { askWho } from "../../../../test/support/apps/who-is-on-call.ts";
import { convertGrafanaOncall } from "./grafana-oncall.ts";

type Body = Readonly<Record<string, unknown>>;
const nowMs = Date.parse("2026-11-15T12:00:00Z");

const grafanaUsers = {
  results: ["anna", "ben"].map((name) => ({
    ...{ id: name.toUpperCase(), email: `${name}@example.com`, username: name, role: "user" },
  })),
};

function newGrafana(...changes: readonly Body[]): Body[] {
  const shifts = changes.map((change, index) => ({
    ...{ id: `O${index}`, name: "Shift", type: "rolling_users", level: 0, time_zone: null },
    ...{ start: "2026-11-02T09:00:00", duration: 604_800, frequency: "weekly", interval: 1 },
    ...{ rolling_users: [["ANNA"], ["BEN"]], ...change },
  }));
  const schedule = { id: "S", name: "Primary", type: "calendar", time_zone: "Europe/Berlin" };
  return [
    { results: [{ ...schedule, shifts: shifts.map(({ id }) => id) }] },
    { results: shifts },
    grafanaUsers,
  ];
}

test("shifts of Grafana OnCall have the same turns", () => {
  const day = 86_400;
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
      [{ frequency: "daily", interval: 2, duration: 2 * day, start_rotation_from_user_index: 1 }],
      [
        ["2026-11-04T07:59:00Z", "ben"],
        ["2026-11-04T08:00:00Z", "anna"],
      ],
    ],
    [
      [{ frequency: "hourly", interval: 12, duration: day / 2 }],
      [
        ["2026-11-02T19:59:00Z", "anna"],
        ["2026-11-02T20:00:00Z", "ben"],
      ],
    ],
    [
      [{ frequency: "daily", duration: 28_800 }],
      [
        ["2026-11-02T15:59:00Z", "anna"],
        ["2026-11-02T16:00:00Z", null],
        ["2026-11-03T08:00:00Z", "ben"],
      ],
    ],
    // Weekdays, with turns from Monday to Friday.
    [
      [{ duration: 28_800, by_day: ["MO", "TU", "WE", "TH", "FR"], week_start: "MO" }],
      [
        ["2026-11-06T15:59:00Z", "anna"],
        ["2026-11-07T12:00:00Z", null],
        ["2026-11-09T08:00:00Z", "ben"],
      ],
    ],
    // 23:00 on Monday in New York is Tuesday in Berlin.
    [
      [
        {
          start: "2026-11-02T23:00:00",
          time_zone: "America/New_York",
          duration: 3_600,
          by_day: ["MO"],
          week_start: "MO",
        },
      ],
      [
        ["2026-11-03T03:59:00Z", null],
        ["2026-11-03T04:00:00Z", "anna"],
        ["2026-11-10T04:00:00Z", "ben"],
      ],
    ],
    // The higher level wins, and an override is above all.
    [
      [
        { type: "override", start: "2026-11-20T09:00:00", duration: 3_600, users: ["BEN"] },
        {
          level: 2,
          type: "recurrent_event",
          users: ["BEN"],
          frequency: "daily",
          duration: 3_600,
          start: "2026-11-02T12:00:00",
        },
        { rolling_users: [["ANNA"]] },
      ],
      [
        ["2026-11-19T08:00:00Z", "anna"],
        ["2026-11-19T11:30:00Z", "ben"],
        ["2026-11-20T08:30:00Z", "ben"],
        ["2026-11-20T09:00:00Z", "anna"],
      ],
    ],
  ];
  for (const [shifts, expected] of cases) {
    const draft = convertGrafanaOncall(newGrafana(...shifts), nowMs);
    const times = expected.map(([at]) => at);
    assert.deepEqual(
      askWho(draft, times),
      expected.map(([, who]) => who),
      JSON.stringify(shifts),
    );
  }
});

test("what Grafana OnCall has and Vedette does not is named", () => {
  const cases: readonly (readonly [Body, string])[] = [
    [{ frequency: "monthly" }, "The frequency monthly has no equivalent."],
    [{ by_month: [1] }, "Months and days of a month have no equivalent."],
    [{ interval: 2 }, "Shifts that do not fill an interval of several periods have no equivalent."],
    [{ frequency: "daily", by_day: ["MO"] }, "Daily turns that skip days have no equivalent."],
    [{ until: "2026-11-03T00:00:00" }, "It has ended."],
    [{ start: "soon" }, "Its times cannot be read."],
    [{ time_zone: "Mars/Olympus" }, "Its time zone is not known."],
    [
      { rolling_users: [["ANNA", "BEN"]] },
      "Of several people at the same time, only the first is on call.",
    ],
  ];
  for (const [shift, why] of cases) {
    const [first] = convertGrafanaOncall(newGrafana(shift), nowMs).leftOut;
    assert.deepEqual(first, { name: "Primary / Shift", why }, JSON.stringify(shift));
  }
  const ical = {
    id: "I",
    name: "Calendar",
    type: "ical",
    ical_url_primary: "https://example.com/a.ics",
  };
  const web = { id: "W", name: "Web", type: "web", time_zone: "UTC", shifts: ["O9"] };
  const { leftOut, schedules } = convertGrafanaOncall([{ results: [ical, web] }], nowMs);
  assert.deepEqual(schedules, []);
  assert.deepEqual(
    leftOut.map(({ name }) => name),
    ["Calendar", "Web / O9", "Web"],
  );
});

test("chains of Grafana OnCall become policies", () => {
  const types: readonly Body[] = [
    { type: "notify_on_call_from_schedule", notify_on_call_from_schedule: "S" },
    { type: "wait", duration: 300 },
    { type: "notify_persons", persons_to_notify: ["BEN"] },
    { type: "wait", duration: 900 },
    { type: "trigger_webhook", action_to_trigger: "W" },
    { type: "repeat_escalation" },
  ];
  const steps = types.map((one, position) => ({ escalation_chain_id: "C", position, ...one }));
  const documents = [{ results: steps.toReversed() }, { results: [{ id: "C", name: "Shop" }] }];
  const { policies, leftOut } = convertGrafanaOncall([...documents, ...newGrafana({})], nowMs);
  assert.deepEqual(policies, [
    {
      name: "Shop",
      steps: [
        { afterMinutes: 0, targets: [{ scheduleKey: "S", scheduleName: "Primary" }] },
        { afterMinutes: 5, targets: [{ person: "ben@example.com" }] },
      ],
      repeat: 5,
      repeatAfterMinutes: 15,
    },
  ]);
  assert.deepEqual(leftOut, [
    { name: "Shop / trigger_webhook", why: "The step has no equivalent." },
  ]);
});
