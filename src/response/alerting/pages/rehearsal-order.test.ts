/** The rehearsal of a policy and the rules that decide on real alerts, for random policies. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { AlertChannel, Urgency } from "../../../channels/alert-channels/index.ts";
import { listPolicyStages } from "../../../channels/escalation-policies/index.ts";
import { defaultAlertSettings } from "../../../checks/checks/alert-settings.ts";
import type { WeekHours } from "../../../platform/week-hours.ts";
import { decideOnRun, decideOnTime, findNextTickMs } from "../alert-decision.ts";
import { type AlertRules, findReachableStage, minuteMs, orderStages } from "../alert-rules.ts";
import { type AlertState, createAlertState } from "../alert-state.ts";
import { type RehearsalFacts, rehearse } from "./rehearsal.ts";

const startsAtMs = Date.parse("2026-11-16T12:00:00Z");
const days = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const;
/** Webhooks have ids from 10 on; lower ones page a schedule that has nobody. */
const firstWebhook = 10;
const fallbackId = 100;

interface Plan {
  readonly urgency: Urgency;
  /** Minutes after the step before, and whether each target can be reached. */
  readonly steps: readonly { readonly gap: number; readonly targets: readonly boolean[] }[];
  readonly repeat: number;
  readonly repeatAfterMinutes: number;
  readonly usesFallback: boolean;
  readonly supportHour: number | null;
}

const plans: fc.Arbitrary<Plan> = fc.record({
  urgency: fc.constantFrom("HIGH", "LOW"),
  steps: fc.array(
    fc.record({
      gap: fc.constantFrom(0, 0, 1, 5, 30),
      targets: fc.array(fc.boolean(), { minLength: 1, maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  repeat: fc.integer({ min: 0, max: 2 }),
  repeatAfterMinutes: fc.constantFrom(1, 10),
  usesFallback: fc.boolean(),
  supportHour: fc.option(fc.integer({ min: 0, max: 23 })),
});

function createChannel(id: number): AlertChannel {
  const scheduleId = id < firstWebhook ? "Gap" : null;
  const type = id < firstWebhook || id === fallbackId ? "ONCALL" : "WEBHOOK";
  return {
    ...{ id, type, config: { name: "", scheduleId, userId: null } },
    ...{ sendRecovery: true, sendFailure: true, sendDegraded: true, sslExpiry: false },
    ...{ sslExpiryThreshold: 30, autoSubscribe: false, digest: false, version: 1 },
    ...{ quietHours: null, createdAt: new Date(0), updatedAt: null },
  };
}

function buildPolicy(plan: Plan): RehearsalFacts["policy"] {
  const { repeat, repeatAfterMinutes, supportHour, usesFallback } = plan;
  let afterMinutes = 0;
  let next = { webhook: firstWebhook, gap: 0 };
  const steps = plan.steps.map(({ gap, targets }) => {
    afterMinutes += gap;
    const channelIds = targets.map((isReached) => {
      next = isReached ? { ...next, webhook: next.webhook + 1 } : { ...next, gap: next.gap + 1 };
      return isReached ? next.webhook : next.gap % firstWebhook;
    });
    return { afterMinutes, channelIds, targets: channelIds.map((channelId) => ({ channelId })) };
  });
  const hour = (at: number) => `${String(at % 24).padStart(2, "0")}:00`;
  const supportHours: WeekHours | null =
    supportHour === null
      ? null
      : { timeZone: "UTC", ranges: [{ days, from: hour(supportHour), to: hour(supportHour + 2) }] };
  const fallbackChannelId = usesFallback ? fallbackId : null;
  return { steps, repeat, repeatAfterMinutes, fallbackChannelId, supportHours };
}

const format = (atMs: number, what: string) => `${(atMs - startsAtMs) / minuteMs}: ${what}`;

function playRehearsal(policy: RehearsalFacts["policy"], urgency: Urgency): string[] {
  const ids = [...policy.steps.flatMap(({ channelIds }) => channelIds), fallbackId];
  const facts: RehearsalFacts = {
    policy,
    channels: new Map(ids.map((id) => [id, createChannel(id)])),
    nameChannel: ({ id }) => `#${id}`,
    findOnCall: () => ({ scheduleName: "Gap", userId: null, name: null }),
    reaches: new Map(),
    fallback: { channel: createChannel(firstWebhook - 1), mails: [] },
  };
  return rehearse(facts, { startsAtMs, urgency }).entries.map(
    ({ atMs, round, step, reason, method }) =>
      format(
        atMs,
        round === null ? "fallback" : `${round}.${step} ${reason === null ? method : "nobody"}`,
      ),
  );
}

/** Decides like the product on an alert that nobody acknowledges, and on pages that fail. */
function playDecider(policy: RehearsalFacts["policy"], urgency: Urgency): string[] {
  const stages = orderStages(listPolicyStages(policy));
  const rules: AlertRules = {
    ...{ settings: defaultAlertSettings, muted: false, activated: true, heldByParent: null },
    ...{ inMaintenance: () => false, probeIsSuspect: false, flapDamping: null },
    ...{ noDataMinutes: null, escalationStages: stages, supportHours: policy.supportHours },
  };
  const sent: string[] = [];
  let hasReached = false;
  /** Records the messages of stages that are one alert. Returns whether nobody was reached. */
  const sendStages = (list: typeof stages, atMs: number): boolean => {
    let isReached = false;
    for (const { place, channelIds } of list) {
      for (const id of channelIds) {
        const who = id < firstWebhook ? "nobody" : `#${id}`;
        sent.push(format(atMs, place ? `${place.round}.${place.step} ${who}` : "fallback"));
        isReached ||= id >= firstWebhook;
      }
    }
    hasReached ||= isReached;
    return list.length > 0 && !isReached;
  };
  const follow = (state: AlertState, stage: number, atMs: number): AlertState => {
    if (stage < state.escalationStage) return state;
    const next = findReachableStage(stages, state.escalationStage, { has: () => true });
    if (next !== null) {
      return { ...state, hurry: { alertNumber: state.alertNumber, stage: next, reason: "" } };
    }
    if (policy.fallbackChannelId !== null || !hasReached) sent.push(format(atMs, "fallback"));
    return state;
  };
  const run = { resultId: "r", location: "fra", locations: ["fra"], runParallel: false };
  const verdict = urgency === "HIGH" ? "failing" : "degraded";
  let { state } = decideOnRun(createAlertState(0), { ...run, verdict, dueAtMs: startsAtMs }, rules);
  let nowMs = startsAtMs;
  const first = state.escalationStage;
  if (sendStages(stages.slice(0, first), nowMs)) state = follow(state, first, nowMs);
  for (;;) {
    const tickMs = findNextTickMs(state, rules);
    if (tickMs === null) return sent;
    nowMs = Math.max(nowMs, tickMs);
    const decided = decideOnTime(state, nowMs, rules);
    assert.notEqual(decided.decisions.length, 0, "a tick decides something");
    state = decided.state;
    for (const decision of decided.decisions) {
      if (decision.kind === "NO_ALERT") assert.fail(decision.reason);
      const stage = decision.escalationStage;
      if (sendStages(stages.slice(stage - 1, stage), nowMs)) state = follow(state, stage, nowMs);
    }
  }
}

test("a rehearsal has the order and the times of the real decisions", () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const policy = buildPolicy(plan);
      const rehearsed = playRehearsal(policy, plan.urgency);
      assert.deepEqual(rehearsed, playDecider(policy, plan.urgency));
      assert.ok(rehearsed.length >= plan.steps.length);
    }),
  );
});
