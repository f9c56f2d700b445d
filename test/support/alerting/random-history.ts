/** Generates random histories of a check over thirty days. fast-check can shrink a history. */
import fc from "fast-check";
import type {
  AlertRules,
  EscalationStage,
  FlapDamping,
} from "../../../src/response/alerting/alert-rules.ts";
import type { RunVerdict } from "../../../src/response/alerting/alert-state.ts";

export const minute = 60_000;
const days = 30 * 24 * 60;

type SpanName = "mute" | "timed" | "off" | "window" | "parent" | "suspect";
export type Span = readonly [fromMinute: number, minutes: number];
export interface Plan {
  readonly settings: AlertRules["settings"];
  readonly stages: readonly EscalationStage[];
  readonly flap: FlapDamping | null;
  readonly noData: number | null;
  readonly parallel: boolean;
  readonly places: readonly string[];
  readonly spans: Readonly<Record<SpanName, Span[]>>;
  readonly acks: readonly number[];
  readonly bursts: readonly Burst[];
}
export interface Burst {
  readonly pause: number;
  readonly apart: number;
  readonly lag: number;
  readonly ticks: number;
  readonly verdicts: readonly RunVerdict[];
}
export type Happening =
  | { type: "tick" | "ack"; at: number }
  | { type: "run"; at: number; due: number; place: string; verdict: RunVerdict; id: string };

export function isWithin(spans: readonly Span[], atMs: number): boolean {
  return spans.some(([from, length]) => atMs >= from * minute && atMs < (from + length) * minute);
}

/** Returns the latest end of the mutes that apply at a time; `null` if no mute applies. */
function findMuteEnd(spans: readonly Span[], atMs: number): number | null {
  const ends = spans
    .filter((span) => isWithin([span], atMs))
    .map(([from, length]) => (from + length) * minute);
  return ends.length === 0 ? null : Math.max(...ends);
}

export function buildRules(plan: Plan, atMs: number): AlertRules {
  const untilMs = findMuteEnd(plan.spans.timed, atMs);
  return {
    settings: plan.settings,
    timedMute: untilMs === null ? null : { untilMs, by: "Anna", reason: "" },
    muted: isWithin(plan.spans.mute, atMs),
    activated: !isWithin(plan.spans.off, atMs),
    inMaintenance: (moment) => isWithin(plan.spans.window, moment),
    heldByParent: isWithin(plan.spans.parent, atMs) ? "the-parent" : null,
    probeIsSuspect: isWithin(plan.spans.suspect, atMs),
    escalationStages: plan.stages,
    flapDamping: plan.flap,
    noDataMinutes: plan.noData,
  };
}

/** Converts a plan into events, sorted by time: bursts of runs, with ticks in between. */
export function layOut(plan: Plan): Happening[] {
  const events: Happening[] = plan.acks.map((at) => ({ type: "ack", at: at * minute }));
  let clock = 0;
  for (const { pause, apart, lag, ticks, verdicts } of plan.bursts) {
    clock += pause;
    for (const [slot, spoken] of verdicts.entries()) {
      clock += apart;
      const places = plan.parallel ? plan.places : [plan.places[slot % plan.places.length] ?? ""];
      for (const [nth, place] of places.entries()) {
        const verdict = verdicts[(slot + nth * 3) % verdicts.length] ?? spoken;
        const at = (clock + ((slot + nth) % 3 === 1 ? lag : 0)) * minute;
        const due = clock * minute;
        events.push({ type: "run", at, due, place, verdict, id: `${place}-${events.length}` });
      }
      for (let tick = 1; tick <= ticks; tick += 1) {
        const at = Math.floor((clock + (tick * apart) / (ticks + 1)) * minute);
        events.push({ type: "tick", at });
      }
    }
  }
  // A tick occurs at the start and at the end of each timed mute.
  for (const [from, length] of plan.spans.timed) {
    for (const at of [from, from + length]) events.push({ type: "tick", at: at * minute });
  }
  for (let at = 0; at <= days; at += 360) events.push({ type: "tick", at: at * minute });
  return events.filter(({ at }) => at <= days * minute).sort((one, other) => one.at - other.at);
}

const verdict = fc.constantFrom<RunVerdict>("passing", "degraded", "failing", "unknown");
const verdicts = fc.oneof(
  fc.array(verdict, { minLength: 1, maxLength: 14 }),
  fc.array(fc.constantFrom<RunVerdict>("failing", "unknown"), { minLength: 1, maxLength: 14 }),
  fc.array(fc.constantFrom<RunVerdict>("passing", "failing"), { minLength: 4, maxLength: 20 }),
  fc.array(fc.constant<RunVerdict>("passing"), { minLength: 1, maxLength: 8 }),
);

const burst: fc.Arbitrary<Burst> = fc.record({
  pause: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2_400 })),
  apart: fc.oneof(fc.constantFrom(1, 5, 10), fc.integer({ min: 1, max: 120 })),
  lag: fc.constantFrom(0, 0, 1, 3, 12),
  ticks: fc.integer({ min: 0, max: 3 }),
  verdicts,
});

function spans(maxLength: number): fc.Arbitrary<Span[]> {
  const from = fc.integer({ min: 0, max: days });
  return fc.array(fc.tuple(from, fc.integer({ min: 1, max: 3_000 })), { maxLength });
}

const settings: fc.Arbitrary<AlertRules["settings"]> = fc.record({
  escalationType: fc.constantFrom("RUN_BASED", "TIME_BASED"),
  runBasedEscalation: fc.record({ failedRunThreshold: fc.integer({ min: 1, max: 5 }) }),
  timeBasedEscalation: fc.record({ minutesFailingThreshold: fc.constantFrom(5, 10, 15, 30) }),
  reminders: fc.record({
    amount: fc.constantFrom(0, 1, 2, 5, 100_000),
    interval: fc.constantFrom(1, 5, 10, 30),
  }),
  parallelRunFailureThreshold: fc.record({
    enabled: fc.boolean(),
    percentage: fc.constantFrom(10, 30, 50, 70, 100),
  }),
});

export const plans: fc.Arbitrary<Plan> = fc.record({
  settings,
  stages: fc.array(
    fc.record({ afterMinutes: fc.constantFrom(0, 5, 30, 240), channelIds: fc.constant([7]) }),
    { maxLength: 3 },
  ),
  flap: fc.option(
    fc.record({
      transitions: fc.integer({ min: 1, max: 6 }),
      windowMinutes: fc.constantFrom(5, 30, 60, 600),
    }),
  ),
  noData: fc.option(fc.constantFrom(5, 60, 600)),
  parallel: fc.boolean(),
  places: fc.constantFrom(["eu"], ["eu", "us"], ["eu", "us", "ap"], ["eu", "us", "ap", "sa"]),
  spans: fc.record({
    mute: spans(2),
    timed: spans(3),
    off: spans(1),
    window: spans(4),
    parent: spans(3),
    suspect: spans(2),
  }),
  acks: fc.array(fc.integer({ min: 0, max: days }), { maxLength: 4 }),
  bursts: fc.array(burst, { minLength: 1, maxLength: 24 }),
});
