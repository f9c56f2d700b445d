import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import "../../../test/support/properties.ts";
import {
  describeUses,
  draftPolicy,
  type EscalationTarget,
  findPolicyFault,
  keyOfTarget,
  listPolicyStages,
  maxRepeat,
  maxRepeatMinutes,
  maxStepMinutes,
  maxSteps,
  type StoredStep,
} from "./escalation-policy.ts";

const step = (afterMinutes: number, ...targets: EscalationTarget[]) => ({ afterMinutes, targets });
const user = (userId: string): EscalationTarget => ({ userId });
const schedule = (scheduleId: string): EscalationTarget => ({ scheduleId });
const channel = (channelId: number): EscalationTarget => ({ channelId });

const policies = fc.record({
  steps: fc.array(
    fc.record({ afterMinutes: fc.nat({ max: maxStepMinutes }), channel: fc.nat({ max: 50 }) }),
    { minLength: 1, maxLength: maxSteps },
  ),
  repeat: fc.nat({ max: maxRepeat }),
  repeatAfterMinutes: fc.integer({ min: 1, max: maxRepeatMinutes }),
  fallbackChannelId: fc.option(fc.constant(99), { nil: null }),
});

test("each round alerts every step once, in order, and the fallback comes last", () => {
  fc.assert(
    fc.property(policies, ({ steps, repeat, repeatAfterMinutes, fallbackChannelId }) => {
      const stored: StoredStep[] = steps.map((one) => ({
        ...step(one.afterMinutes),
        channelIds: [one.channel],
      }));
      const rest = { repeat, repeatAfterMinutes, fallbackChannelId };
      const stages = listPolicyStages({ steps: stored, ...rest });
      const times = stages.map(({ afterMinutes }) => afterMinutes);
      assert.deepEqual(
        times,
        times.toSorted((one, other) => one - other),
      );
      const places = stages.flatMap(({ place }) => (place === null ? [] : [place]));
      assert.equal(places.length, (repeat + 1) * steps.length);
      assert.deepEqual(places[0], { round: 1, step: 1 });
      assert.deepEqual(places.at(-1), { round: repeat + 1, step: steps.length });
      const fallbacks = stages.filter(({ place }) => place === null);
      assert.equal(fallbacks.length, fallbackChannelId === null ? 0 : 1);
      assert.ok(fallbacks.every((stage) => stage === stages.at(-1)));
      // Each round has the same distances as the first, and begins after the last step of another.
      const lastMinutes = Math.max(...steps.map(({ afterMinutes }) => afterMinutes));
      for (const { afterMinutes, place } of stages) {
        const round = place?.round ?? repeat + 2;
        const expected = (round - 1) * (lastMinutes + repeatAfterMinutes);
        const first = place === null ? 0 : (times[place.step - 1] ?? Number.NaN);
        assert.equal(afterMinutes, expected + first);
      }
    }),
  );
});

test("steps at the same time keep the order of the policy", () => {
  const stored = [3, 1, 2].map((id) => ({ ...step(5), channelIds: [id] }));
  const rest = { repeat: 0, repeatAfterMinutes: 1, fallbackChannelId: null };
  const stages = listPolicyStages({ steps: stored, ...rest });
  assert.deepEqual(
    stages.map(({ channelIds }) => channelIds[0]),
    [3, 1, 2],
  );
});

test("the fallback of a policy without steps is alerted after the repetition", () => {
  const policy = { steps: [], repeat: 0, repeatAfterMinutes: 5, fallbackChannelId: 9 };
  assert.deepEqual(listPolicyStages(policy), [{ afterMinutes: 5, channelIds: [9], place: null }]);
});

test("the uses of a policy are listed in one sentence", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `C${index + 1}`);
  const rows: readonly (readonly [boolean, readonly string[], readonly string[], string | null])[] =
    [
      [false, [], [], null],
      [true, [], [], "the account's alert settings"],
      [false, ["Shop"], [], "1 check (Shop)"],
      [false, ["Shop", "API"], ["Web"], "2 checks (Shop, API) and 1 group (Web)"],
      [
        true,
        ["Shop"],
        ["A", "B"],
        "the account's alert settings, 1 check (Shop), and 2 groups (A, B)",
      ],
      [false, names(5), [], "5 checks (C1, C2, C3, C4, C5)"],
      [false, names(6), [], "6 checks (C1, C2, C3, C4, C5, …)"],
    ];
  for (const [isOfAccount, checkNames, groupNames, expected] of rows) {
    assert.equal(describeUses({ isOfAccount, checkNames, groupNames }), expected);
  }
});

test("targets of different types are never the same", () => {
  const targets = [user("7"), schedule("7"), channel(7), channel(8), user("8")];
  assert.equal(new Set(targets.map(keyOfTarget)).size, targets.length);
  assert.equal(keyOfTarget(user("7")), keyOfTarget(user("7")));
});

test("the first fault of a policy is named by its field", () => {
  const repeats = "repeats an earlier target; remove one of them";
  const early = "must not be less than that of the step before; sort the steps by time";
  const hours = { timeZone: "Mars/Phobos", ranges: [] };
  const zone = "must be an IANA time zone such as Europe/Berlin";
  const rows: readonly (readonly [
    Parameters<typeof findPolicyFault>[0],
    ReturnType<typeof findPolicyFault>,
  ])[] = [
    [{ steps: [], supportHours: null }, null],
    [{ steps: [step(0, user("a")), step(0, user("a"))], supportHours: null }, null],
    [{ steps: [step(0, user("a"), schedule("a"), channel(1))], supportHours: null }, null],
    [
      {
        steps: [step(0, user("a")), step(5, user("a"), channel(1), user("a"))],
        supportHours: null,
      },
      { key: "steps.1.targets.2", rule: repeats },
    ],
    [
      { steps: [step(5, user("a")), step(4, user("a"))], supportHours: null },
      { key: "steps.1.afterMinutes", rule: early },
    ],
    // The time of a step comes before its targets, and an earlier step before a later one.
    [
      { steps: [step(5, user("a")), step(4, channel(1), channel(1))], supportHours: hours },
      { key: "steps.1.afterMinutes", rule: early },
    ],
    [
      { steps: [step(5, channel(1), channel(1)), step(4)], supportHours: hours },
      { key: "steps.0.targets.1", rule: repeats },
    ],
    [
      { steps: [], supportHours: hours },
      { key: "supportHours.timeZone", rule: zone },
    ],
    [
      { steps: [], supportHours: { ...hours, timeZone: "+02:00" } },
      { key: "supportHours.timeZone", rule: zone },
    ],
    [{ steps: [], supportHours: { ...hours, timeZone: "Europe/Berlin" } }, null],
  ];
  for (const [policy, fault] of rows) assert.deepEqual(findPolicyFault(policy), fault);
});

test("a draft has a separate channel for each schedule and member", () => {
  const rest = { repeat: 1, repeatAfterMinutes: 5, supportHours: null };
  const draft = draftPolicy({
    ...rest,
    steps: [step(0, user("a"), channel(7)), step(5, schedule("s"), user("a"), user("b"))],
    usesFallback: true,
  });
  assert.equal(draft.channels.length, 4);
  const ids = draft.channels.map(({ id }) => id);
  assert.equal(new Set(ids).size, 4);
  assert.ok(ids.every((id) => id < 0));
  const configs = draft.channels.map(({ config }) => config as Readonly<Record<string, unknown>>);
  const idOf = (scheduleId: string | null, userId: string | null) =>
    ids[configs.findIndex((one) => one.scheduleId === scheduleId && one.userId === userId)];
  assert.deepEqual(
    draft.steps.map(({ channelIds }) => channelIds),
    [
      [idOf(null, "a"), 7],
      [idOf("s", null), idOf(null, "a"), idOf(null, "b")],
    ],
  );
  assert.equal(draft.fallbackChannelId, idOf(null, null));
  assert.deepEqual([draft.repeat, draft.repeatAfterMinutes, draft.supportHours], [1, 5, null]);
});

test("a draft without the fallback has no channel for it", () => {
  const rest = { repeat: 0, repeatAfterMinutes: 5, supportHours: null };
  const draft = draftPolicy({ ...rest, steps: [step(0, channel(7))], usesFallback: false });
  assert.deepEqual([draft.fallbackChannelId, draft.channels], [null, []]);
  assert.deepEqual(draft.steps[0]?.channelIds, [7]);
});
