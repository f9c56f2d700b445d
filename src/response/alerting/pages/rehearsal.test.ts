import assert from "node:assert/strict";
import { test } from "node:test";
import { createCaller } from "../../../../test/support/modules/agent.ts";
import { degraded, failing } from "../../../../test/support/modules/alerting.ts";
import { createPagesFixture } from "../../../../test/support/modules/pages.ts";
import { delaySteps, planSteps } from "../../../channels/alert-channels/contacts/contact-method.ts";
import type { AlertChannel, Urgency } from "../../../channels/alert-channels/index.ts";
import type { QuietHours } from "../../../channels/alert-channels/quiet-hours.ts";
import type { WeekHours } from "../../../platform/week-hours.ts";
import type { Reach } from "./paged-members.ts";
import { type RehearsalFacts, rehearse } from "./rehearsal.ts";
import { rehearsePolicy } from "./rehearsal-routes.ts";

const startsAtMs = Date.parse("2026-11-16T12:00:00Z");
const minuteMs = 60_000;
const days = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const;
const hours = (from: string, to: string): WeekHours => ({
  timeZone: "UTC",
  ranges: [{ days, from, to }],
});

interface Person {
  readonly afterMinutes?: readonly number[];
  readonly quietHours?: WeekHours & { readonly holdsHigh: boolean };
}

function createReach(userId: string, { afterMinutes = [0], quietHours }: Person): Reach {
  const methods = afterMinutes.map((_minutes, index) => ({
    ...{ id: `m${index}`, type: "EMAIL" as const, config: { address: `m${index}` } },
    ...{
      lanAllowedBy: null,
      isVerified: true,
      problem: null,
      createdAt: null,
      updatedAt: null,
      version: 0,
    },
  }));
  const steps = afterMinutes.map((minutes, index) => ({
    methodId: `m${index}`,
    afterMinutes: minutes,
  }));
  const rules = { high: steps, low: steps, quietHours: quietHours ?? null };
  const plan: Reach["plan"] = (page) => delaySteps(planSteps(steps, methods), rules, page);
  return { userId, name: userId, methods, rules, plan };
}

/** Channels of the cases: those below 10 page, the others are webhooks. */
const targets = { 1: "Primary", 2: "Gap", 3: "Ada", 4: "Ben", 5: "Nobody" } as const;
const quietOf: Record<number, QuietHours> = {
  11: { ...hours("11:00", "13:00"), mode: "HOLD", alertChannelId: null },
  12: { ...hours("11:00", "13:00"), mode: "REROUTE", alertChannelId: 10 },
};

function createChannel(id: number): AlertChannel {
  const name = targets[id as keyof typeof targets];
  const scheduleId = id < 3 ? name : null;
  const userId = id >= 3 ? (name ?? null) : null;
  return {
    ...{ id, type: id < 10 ? "ONCALL" : "WEBHOOK", config: { name: "", scheduleId, userId } },
    ...{ sendRecovery: true, sendFailure: true, sendDegraded: id !== 13, sslExpiry: false },
    ...{ sslExpiryThreshold: 30, autoSubscribe: false, digest: false, version: 1 },
    ...{ quietHours: quietOf[id] ?? null, createdAt: new Date(0), updatedAt: null },
  };
}

type Policy = RehearsalFacts["policy"];
type Steps = readonly (readonly [afterMinutes: number, ...channelIds: number[]])[];

interface Case {
  readonly name: string;
  readonly steps: Steps;
  readonly policy?: Partial<Policy>;
  readonly urgency?: Urgency;
  readonly ada?: Person;
  readonly expected: readonly string[];
}

/** Ada is on call for Primary until 12:10, then Ben. Channel 9 is the fallback, 19 is deleted. */
function play({ steps, policy, urgency = "HIGH", ada = {} }: Case): string[] {
  const targetOf = (id: number) =>
    id < 3
      ? { scheduleId: targets[id as 1 | 2] }
      : id < 10
        ? { userId: targets[id as 3] }
        : { channelId: id };
  const facts: RehearsalFacts = {
    policy: {
      steps: steps.map(([afterMinutes, ...channelIds]) => ({
        afterMinutes,
        channelIds,
        targets: channelIds.map(targetOf),
      })),
      ...{ repeat: 0, repeatAfterMinutes: 10, fallbackChannelId: null, supportHours: null },
      ...policy,
    },
    channels: new Map([1, 2, 3, 4, 5, 9, 10, 11, 12, 13].map((id) => [id, createChannel(id)])),
    nameChannel: ({ id }) => `#${id}`,
    findOnCall: (scheduleName, atMs) => ({
      scheduleName,
      userId: scheduleName === "Gap" ? null : atMs < startsAtMs + 10 * minuteMs ? "Ada" : "Ben",
    }),
    reaches: new Map([
      ["Ada", createReach("Ada", ada)],
      ["Ben", createReach("Ben", {})],
      ["Nobody", createReach("Nobody", { afterMinutes: [] })],
    ]),
    fallback: { channel: createChannel(10), mails: [] },
  };
  const { entries } = rehearse(facts, { startsAtMs, urgency });
  return entries.map(({ atMs, round, step, targetName, userName, method, reason, note }) => {
    const place = round === null ? "" : `${round}.${step} `;
    const who = method === null ? reason : [userName ?? "", method].join(" ").trim();
    const after = (atMs - startsAtMs) / minuteMs;
    return `${after}: ${place}${targetName}: ${who}${note === null ? "" : ` (${note})`}`;
  });
}

const fallback = { fallbackChannelId: 9 };
const cases: readonly Case[] = [
  {
    name: "the person on call at the time of each round, then the fallback",
    steps: [
      [0, 1],
      [5, 4, 10],
    ],
    policy: { ...fallback, repeat: 1 },
    expected: [
      "0: 1.1 Primary: Ada m0",
      "5: 1.2 Ben: Ben m0",
      "5: 1.2 #10: #10",
      "15: 2.1 Primary: Ben m0",
      "20: 2.2 Ben: Ben m0",
      "20: 2.2 #10: #10",
      "30: Fallback: #10",
    ],
  },
  {
    name: "each step of a member's rules",
    steps: [
      [0, 3],
      [3, 4],
    ],
    ada: { afterMinutes: [0, 5] },
    expected: ["0: 1.1 Ada: Ada m0", "3: 1.2 Ben: Ben m0", "5: 1.1 Ada: Ada m1"],
  },
  {
    name: "where nobody can be reached, the next step follows at once, until one can",
    steps: [
      [0, 2],
      [10, 5],
      [20, 4],
      [30, 3],
    ],
    expected: [
      "0: 1.1 Gap: Nobody is on call for Gap.",
      "0: 1.2 Nobody: Nobody has no working contact method.",
      "0: 1.3 Ben: Ben m0",
      "30: 1.4 Ada: Ada m0",
    ],
  },
  {
    name: "an alert that reached nobody goes to the fallback, also if the policy does not use it",
    steps: [[0, 2]],
    expected: ["0: 1.1 Gap: Nobody is on call for Gap.", "0: Fallback: #10"],
  },
  {
    name: "without a fallback, nothing follows a failed last step if somebody was reached before",
    steps: [
      [0, 4],
      [5, 2],
    ],
    expected: ["0: 1.1 Ben: Ben m0", "5: 1.2 Gap: Nobody is on call for Gap."],
  },
  {
    name: "a step with one reached target waits for its minutes",
    steps: [
      [0, 2, 4],
      [5, 3],
    ],
    expected: [
      "0: 1.1 Gap: Nobody is on call for Gap.",
      "0: 1.1 Ben: Ben m0",
      "5: 1.2 Ada: Ada m0",
    ],
  },
  {
    name: "the last of several targets that fail starts the next step",
    steps: [
      [0, 2, 5, 5],
      [5, 3],
    ],
    expected: [
      "0: 1.1 Gap: Nobody is on call for Gap.",
      "0: 1.1 Nobody: Nobody has no working contact method.",
      "0: 1.2 Ada: Ada m0",
    ],
  },
  {
    name: "the fallback of the policy follows a failed last step at once, and once",
    steps: [[0, 2]],
    policy: fallback,
    expected: ["0: 1.1 Gap: Nobody is on call for Gap.", "0: Fallback: #10"],
  },
  {
    name: "a person who is the target of a step twice is reached once",
    steps: [[0, 1, 3]],
    expected: [
      "0: 1.1 Primary: Ada m0",
      "0: 1.1 Ada: Not sent: another target of this step pages the same person.",
    ],
  },
  {
    name: "a deleted channel is skipped, and the next step keeps its time",
    steps: [
      [0, 19],
      [7, 4],
    ],
    expected: ["0: 1.1 Deleted channel: The channel was deleted.", "7: 1.2 Ben: Ben m0"],
  },
  {
    name: "channels hold and reroute in their quiet hours, and receive an alert once",
    steps: [
      [0, 11, 12],
      [1, 12, 10],
    ],
    expected: [
      "0: 1.1 #12: #10 (Rerouted by the quiet hours of #12.)",
      "1: 1.2 #10: #10",
      "60: 1.1 #11: #11 (Held until the quiet hours of #11 end.)",
    ],
  },
  {
    name: "low urgency waits for support hours, and minutes count from then on",
    steps: [
      [0, 1],
      [5, 13],
    ],
    policy: { supportHours: hours("14:00", "15:00") },
    urgency: "LOW",
    expected: [
      "120: 1.1 Primary: Ben m0",
      "125: 1.2 #13: The channel does not receive alerts of this kind.",
    ],
  },
  {
    name: "quiet hours of a member delay low urgency, and the next step does not wait",
    steps: [
      [0, 3],
      [5, 4],
    ],
    ada: { quietHours: { ...hours("11:00", "12:30"), holdsHigh: false } },
    urgency: "LOW",
    expected: ["5: 1.2 Ben: Ben m0", "30: 1.1 Ada: Ada m0"],
  },
  {
    name: "high urgency pierces quiet hours of a member and support hours",
    steps: [[0, 3]],
    policy: { supportHours: hours("14:00", "15:00") },
    ada: { quietHours: { ...hours("11:00", "12:30"), holdsHigh: false } },
    expected: ["0: 1.1 Ada: Ada m0"],
  },
];

for (const one of cases) {
  test(`rehearsal: ${one.name}`, () => {
    assert.deepEqual(play(one), one.expected);
  });
}

for (const [urgency, outcome] of [
  ["HIGH", failing],
  ["LOW", degraded],
] as const) {
  test(`a rehearsal of ${urgency} urgency lists the messages that are really sent`, async (t) => {
    const scene = await createPagesFixture(t);
    const { context, accountId, clock, query } = scene;
    const check = await scene.addCheck({ frequency: 1 });
    const ada = await scene.addMember("Ada", [
      ["ada", 0],
      ["ada-later", 4],
    ]);
    const ben = await scene.addMember("Ben", [["ben", 0]]);
    const eve = await scene.addMember("Eve", []);
    const primary = await scene.addSchedule("Primary", [ada, ben]);
    const gap = await scene.addSchedule("Gap", []);
    const format = (minutes: number) =>
      new Date(clock.nowMs() + minutes * minuteMs).toISOString().slice(11, 16);
    const held = await scene.addWebhook("/held", {
      quietHours: { ...hours(format(-5), format(25)), mode: "HOLD", alertChannelId: null },
    });
    const change = "update notification_rules set rules = rules || $1 where user_id = $2";
    const quietHours = { ...hours(format(-5), format(12)), holdsHigh: false };
    await query(change, JSON.stringify({ quietHours }), ben);
    const backup = await scene.addChannel("WEBHOOK", { name: "F", url: `${scene.http.url}/f` });
    await scene.setSettings({ fallbackAlertChannelId: backup, noDataMinutes: null });
    const policyId = await scene.addPolicy({
      targets: [
        [0, ben, primary, held],
        [3, gap],
        [10, eve, ada],
        [14, gap],
        [14, ada],
        [20, ben],
      ],
      ...{ repeat: 1, repeatAfterMinutes: 5, supportHours: hours(format(2), format(300)) },
    });
    const startsAtMs = clock.nowMs();
    const rehearsed = await rehearsePolicy(context, createCaller(accountId), {
      ...{ policyId, startsAtMs, urgency },
    });
    assert.deepEqual(await query("select 1 from deliveries"), [], "nothing is stored");
    await scene.run(check, outcome);
    for (let minute = 0; minute < 70; minute += 1) {
      for (let round = 0; round < 3; round += 1) {
        await scene.deliver();
        await scene.pass(0);
      }
      await scene.pass(1);
    }
    const rows = (await query(
      `select recipient, sent_at as "sentAt" from deliveries
        where status = 'SENT' and (method_id is not null or channel_type <> 'ONCALL')
        order by id`,
    )) as unknown as { recipient: string; sentAt: Date }[];
    const sent = rows.map(({ recipient, sentAt }) => {
      return `${(sentAt.getTime() - startsAtMs) / minuteMs} ${recipient}`;
    });
    const expected = rehearsed.entries
      .filter(({ method }) => method !== null)
      .map(({ atMs, userName, method }) => {
        const recipient = userName === null ? method : `${userName}: ${method}`;
        return `${(atMs - startsAtMs) / minuteMs} ${recipient}`;
      });
    assert.deepEqual(sent.sort(), expected.sort());
    assert.ok(sent.length > 8, "the comparison covers two rounds and the fallback");
  });
}
