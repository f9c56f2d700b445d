/**
 * A slow reference model of the alert rules. The model stores no state: it decides each event from
 * the whole history and the alerts so far. A bug in the state of the real code therefore shows up
 * as a difference.
 */
import assert from "node:assert/strict";
import type { Alert } from "../../../src/response/alerting/alert-decision.ts";
import type { RunVerdict } from "../../../src/response/alerting/alert-state.ts";
import { type Happening, isWithin, minute, type Plan } from "./random-history.ts";

export type PredictedAlert = Omit<Alert, "onlyChannelIds" | "startedAtMs" | "troubleStartedAtMs">;

type Mood = "calm" | "degraded" | "failing" | "no-data";
type Entry = PredictedAlert & { readonly place: number };

const kindOf: Readonly<Record<string, PredictedAlert["kind"]>> = {
  "calm>degraded": "ALERT_DEGRADED",
  "no-data>degraded": "ALERT_DEGRADED",
  "calm>failing": "ALERT_FAILURE",
  "no-data>failing": "ALERT_FAILURE",
  "degraded>failing": "ALERT_DEGRADED_FAILURE",
  "failing>degraded": "ALERT_FAILURE_DEGRADED",
  "calm>no-data": "ALERT_NO_DATA",
  "degraded>no-data": "ALERT_NO_DATA",
  "failing>no-data": "ALERT_NO_DATA",
  "degraded>calm": "ALERT_DEGRADED_RECOVERY",
  "failing>calm": "ALERT_RECOVERY",
  "no-data>calm": "ALERT_RECOVERY",
};
const repeats = new Set(["reminder-due", "mute-ended", "escalation-stage-due"]);

function remainKind(mood: Mood): PredictedAlert["kind"] {
  if (mood === "failing") return "ALERT_FAILURE_REMAIN";
  return mood === "degraded" ? "ALERT_DEGRADED_REMAIN" : "ALERT_NO_DATA";
}

/** Returns all alerts that a history should produce. */
export function predictAlerts(plan: Plan, events: readonly Happening[]): PredictedAlert[] {
  const model = new Model(plan, events);
  for (const place of events.keys()) model.decide(place);
  return model.log.map(({ place: _place, ...alert }) => alert);
}

class Model {
  readonly plan: Plan;
  readonly events: readonly Happening[];
  readonly log: Entry[] = [];
  /**
   * For each event, whether it is a run that counts for the state. Derived from the events alone,
   * not from alerts.
   */
  readonly informs: boolean[];
  readonly votes: (RunVerdict | undefined)[][];
  readonly received: number[];
  /**
   * For each event so far, whether an alert is still owed because a timed mute covered a problem.
   */
  readonly owes: boolean[] = [];

  constructor(plan: Plan, events: readonly Happening[]) {
    this.plan = plan;
    this.events = events;
    this.informs = events.map((event, at) => {
      if (event.type !== "run" || this.seen(event) === "unknown") return false;
      const rivals = events.slice(0, at).filter((past) => past.type === "run");
      const before = rivals.filter((past) => !plan.parallel || past.place === event.place);
      return before.every((past) => past.due < event.due);
    });
    this.votes = events.map((_, at) =>
      plan.places.map((place) => {
        const own = events.slice(0, at + 1).filter((e) => e.type === "run" && e.place === place);
        const newest = own.reduce<Happening | undefined>((best, next) => {
          const isNewer = best?.type !== "run" || (next.type === "run" && next.due > best.due);
          return isNewer ? next : best;
        }, undefined);
        return newest?.type === "run" ? this.seen(newest) : undefined;
      }),
    );
    this.received = events.map((_, at) => {
      const moments = events.slice(0, at).flatMap((event, index) => {
        const isOff = event.type === "tick" && isWithin(plan.spans.off, event.at);
        return this.informs[index] || isOff ? [event.at] : [];
      });
      return Math.max(0, ...moments);
    });
  }

  /** Number of escalation stages without a delay, which receive every alert. */
  get sentWithAlert(): number {
    return this.plan.stages.filter(({ afterMinutes }) => afterMinutes === 0).length;
  }

  seen(event: Happening & { type: "run" }): RunVerdict {
    return isWithin(this.plan.spans.suspect, event.at) ? "unknown" : event.verdict;
  }

  changesBefore(at: number): Entry[] {
    return this.log.filter((entry) => entry.place < at && !repeats.has(entry.reason));
  }

  belief(at: number): Mood {
    const kind = this.changesBefore(at).at(-1)?.kind ?? "ALERT_RECOVERY";
    if (kind.endsWith("RECOVERY")) return "calm";
    if (kind === "ALERT_NO_DATA") return "no-data";
    return kind === "ALERT_FAILURE" || kind === "ALERT_DEGRADED_FAILURE" ? "failing" : "degraded";
  }

  moodFromVotes(at: number): Mood {
    const votes = this.votes[at] ?? [];
    const { enabled, percentage } = this.plan.settings.parallelRunFailureThreshold;
    const failing = votes.filter((vote) => vote === "failing").length;
    const voting = votes.length - votes.filter((vote) => vote === "unknown").length;
    const isEnough = !enabled || votes.length < 2 || failing / voting >= percentage / 100 - 1e-9;
    if (failing > 0 && isEnough) return "failing";
    const belief = failing > 0 ? this.belief(at) : "calm";
    if (belief === "failing" || belief === "degraded") return belief;
    return votes.includes("degraded") ? "degraded" : "calm";
  }

  moods(upTo: number): Mood[] {
    const moods: Mood[] = [];
    for (const [at, event] of this.events.slice(0, upTo + 1).entries()) {
      const before = moods.at(-1) ?? "calm";
      if (event.type === "run" && this.informs[at]) {
        const own =
          event.verdict === "passing" || event.verdict === "unknown" ? "calm" : event.verdict;
        moods.push(this.plan.parallel ? this.moodFromVotes(at) : own);
      } else {
        const isOff = isWithin(this.plan.spans.off, event.at);
        const limit = this.plan.noData;
        const isWatched = event.type === "tick" && !isOff && limit !== null;
        const isSilent = isWatched && event.at - (this.received[at] ?? 0) >= limit * minute;
        moods.push(isSilent ? "no-data" : before);
      }
    }
    return moods;
  }

  /**
   * Returns the phases so far, each with its first event and start time. Start times never
   * decrease.
   */
  phases(upTo: number): { place: number; mood: Mood; since: number }[] {
    const phases: { place: number; mood: Mood; since: number }[] = [
      { place: -1, mood: "calm", since: 0 },
    ];
    for (const [place, mood] of this.moods(upTo).entries()) {
      const last = phases.at(-1);
      if (last === undefined || last.mood === mood) continue;
      phases.push({ place, mood, since: Math.max(last.since, this.dueOf(place)) });
    }
    return phases;
  }

  dueOf(place: number): number {
    const event = this.events[place];
    return event?.type === "run" ? event.due : (event?.at ?? 0);
  }

  isTimedAt(place: number): boolean {
    return isWithin(this.plan.spans.timed, this.events[place]?.at ?? 0);
  }

  holdAt(place: number, isTick: boolean): string | null {
    const { spans } = this.plan;
    const at = this.events[place]?.at ?? 0;
    if (isWithin(spans.off, at)) return "deactivated";
    if (isWithin(spans.mute, at) || this.isTimedAt(place)) return "muted";
    return this.lastingHoldAt(place, isTick);
  }

  /** Returns a hold that also applies to later ticks, which excludes the hold of a timed mute. */
  lastingHoldAt(place: number, isTick: boolean): string | null {
    const { spans } = this.plan;
    const at = this.events[place]?.at ?? 0;
    if (isWithin(spans.off, at)) return "deactivated";
    if (isWithin(spans.mute, at)) return "muted";
    if (isTick && isWithin(spans.suspect, at)) return "probe-suspect";
    if (isWithin(spans.window, at) || isWithin(spans.window, this.dueOf(place))) return "window";
    return isWithin(spans.parent, at) ? "parent" : null;
  }

  /**
   * Returns whether flapping damps alerts. Damping starts with an alert and ends when a phase has
   * lasted for the whole flap window.
   */
  flapping(at: number): { isDamped: boolean; from: number } {
    const { flap } = this.plan;
    const began = this.log.findLast((entry) => entry.reason === "flapping-began");
    if (flap === null || began === undefined) return { isDamped: false, from: -1 };
    const phases = this.phases(at);
    for (let place = began.place + 1; place <= at; place += 1) {
      const event = this.events[place];
      if (event === undefined || event.type === "ack") continue;
      const phase = phases.findLast((one) => one.place < place);
      const lasted = event.at - (phase?.since ?? 0);
      if (lasted >= flap.windowMinutes * minute) return { isDamped: false, from: began.place };
    }
    return { isDamped: true, from: began.place };
  }

  countRuns(from: number, to: number, mood: Mood): number {
    let best = this.dueOf(from);
    let count = 1;
    for (let place = from + 1; place <= to; place += 1) {
      const event = this.events[place];
      if (event?.type !== "run" || !this.informs[place] || event.due <= best) continue;
      if (mood === "failing" ? event.verdict !== "failing" : event.verdict === "passing") continue;
      best = event.due;
      count += 1;
    }
    return count;
  }

  decide(place: number): void {
    const before = this.owes[place - 1] ?? false;
    const event = this.events[place];
    const isDecided = event?.type === "tick" || this.informs[place] === true;
    this.owes[place] = isDecided ? this.owesAt(place, before) : before;
    if (event === undefined || event.type === "ack" || !isDecided) return;
    this.decideEvent(place, event);
    if (this.owes[place] && !this.isTimedAt(place) && this.isSettled(place)) {
      this.owes[place] = false;
    }
  }

  /**
   * Whether an alert is owed after an event. A timed mute that covers a problem causes this, unless
   * the problem ends during the mute.
   */
  owesAt(place: number, before: boolean): boolean {
    if (!before && !this.isTimedAt(place)) return false;
    const mood = this.phases(place).at(-1)?.mood ?? "calm";
    if (mood === "calm" && this.belief(place) === "calm") return false;
    if (this.isTimedAt(place)) return true;
    const at = this.events[place]?.at ?? 0;
    const isStopped = isWithin(this.plan.spans.off, at) || isWithin(this.plan.spans.mute, at);
    return before && !isStopped;
  }

  /**
   * Whether the owed alert is settled, because an alert was sent or none is due yet. A held alert
   * is still owed.
   */
  isSettled(place: number): boolean {
    const sent = this.log.filter((entry) => entry.place === place);
    const isSent = sent.some(({ reason }) => reason === "mute-ended" || !repeats.has(reason));
    const { mood, since, place: start } = this.phases(place).at(-1) ?? {};
    if (isSent || mood === undefined || since === undefined) return true;
    if (start === undefined || mood === this.belief(place + 1)) return false;
    const phases = this.phases(place);
    const belief = this.belief(place);
    const isKnown = belief === "failing" || belief === "degraded";
    const from = isKnown ? belief : (phases.at(-2)?.mood ?? "calm");
    const needsThreshold = ["ALERT_FAILURE", "ALERT_DEGRADED"].includes(
      kindOf[`${from}>${mood}`] ?? "",
    );
    return needsThreshold && !this.isEnough(place, { mood, since, start });
  }

  isEnough(place: number, phase: { mood: Mood; since: number; start: number }): boolean {
    const { settings } = this.plan;
    if (settings.escalationType === "TIME_BASED") {
      const limit = settings.timeBasedEscalation.minutesFailingThreshold * minute;
      return (this.events[place]?.at ?? 0) - phase.since >= limit;
    }
    const runs = this.countRuns(phase.start, place, phase.mood);
    return runs >= settings.runBasedEscalation.failedRunThreshold;
  }

  decideEvent(place: number, event: Exclude<Happening, { type: "ack" }>): void {
    const reason = this.findChange(place, event);
    const { isDamped, from } = this.flapping(place);
    if (reason !== null && !isDamped) {
      const windowMs = (this.plan.flap?.windowMinutes ?? 0) * minute;
      const recent = this.changesBefore(place).filter(
        (entry) => entry.place > from && event.at - entry.atMs < windowMs,
      );
      const isTooMany = this.plan.flap !== null && recent.length >= this.plan.flap.transitions;
      this.emit(place, reason.kind, isTooMany ? "flapping-began" : reason.reason);
    }
    if (event.type === "tick") this.repeat(place, event.at);
    else if (reason === null) this.remindAfterMute(place);
  }

  /** Repeats the open alert when the first run or tick after a timed mute is decided. */
  remindAfterMute(place: number): boolean {
    const mood = this.phases(place).at(-1)?.mood ?? "calm";
    const isTick = this.events[place]?.type === "tick";
    const isOver = this.owes[place] === true && !this.isTimedAt(place);
    if (!isOver || mood === "calm" || mood !== this.belief(place)) return false;
    if (this.holdNow(place, isTick, mood) !== null || this.flapping(place).isDamped) return false;
    const opening = this.log.findLastIndex((entry) => entry.kind.endsWith("RECOVERY")) + 1;
    const trouble = this.log.slice(opening);
    const change = trouble.findLastIndex((entry) => !repeats.has(entry.reason));
    const sent = trouble.slice(change).filter((entry) => entry.isReminder);
    this.emit(place, remainKind(mood), "mute-ended", sent.length + 1);
    return true;
  }

  findChange(place: number, event: Happening): Pick<PredictedAlert, "kind" | "reason"> | null {
    const phases = this.phases(place);
    const { mood, since, place: start } = phases.at(-1) ?? { mood: "calm", since: 0, place: -1 };
    const belief = this.belief(place);
    if (mood === belief) return null;
    const isKnown = belief === "failing" || belief === "degraded";
    const isTrouble = mood === "failing" || mood === "degraded";
    const from = isKnown || !isTrouble ? belief : (phases.at(-2)?.mood ?? "calm");
    const kind = kindOf[`${from}>${mood}`];
    assert.ok(kind !== undefined, `${from}>${mood}`);
    const isTick = event.type === "tick";
    const hold = this.holdNow(place, isTick, mood);
    if (mood === "calm") {
      const own = this.holdAt(place, isTick) ?? "";
      const isStopped = ["muted", "deactivated", "probe-suspect"].includes(own);
      return isStopped ? null : { kind, reason: "recovered" };
    }
    if (hold !== null) return null;
    if (mood === "no-data") return isTick ? { kind, reason: "no-data" } : null;
    const isOver = this.owes[place] === true && !this.isTimedAt(place);
    const isMute = isTick && !isOver;
    if (kind === "ALERT_DEGRADED_FAILURE") return isMute ? null : { kind, reason: "worsened" };
    if (kind === "ALERT_FAILURE_DEGRADED") return isMute ? null : { kind, reason: "improved" };
    if (!this.isEnough(place, { mood, since, start })) return null;
    if (this.plan.settings.escalationType === "TIME_BASED") {
      return { kind, reason: "time-threshold-reached" };
    }
    return isMute ? null : { kind, reason: "run-threshold-reached" };
  }

  /**
   * Returns the hold that applies to an event. A tick also respects the hold of the last run, so
   * that it sends no alert based on a held run.
   */
  holdNow(place: number, isTick: boolean, mood: Mood): string | null {
    const hold = this.holdAt(place, isTick);
    if (hold !== null || !isTick || mood === "no-data") return hold;
    const last = this.informs.slice(0, place).lastIndexOf(true);
    return last === -1 ? null : this.lastingHoldAt(last, false);
  }

  repeat(place: number, at: number): void {
    const mood = this.phases(place).at(-1)?.mood ?? "calm";
    const isReminded = this.remindAfterMute(place);
    // The belief after this event, including the alerts that the event has produced.
    const belief = this.belief(place + 1);
    if (belief === "calm" || belief !== mood) return;
    const opening = this.log.findLastIndex((entry) => entry.kind.endsWith("RECOVERY")) + 1;
    const trouble = this.log.slice(opening);
    const opened = trouble[0];
    const change = trouble.findLastIndex((entry) => !repeats.has(entry.reason));
    const changed = trouble[change];
    if (opened === undefined || changed === undefined) return;
    const isAcked = this.events.some(
      (event, index) => event.type === "ack" && index > opened.place && index < place,
    );
    if (isAcked || this.holdNow(place, true, mood) !== null) return;
    if (this.flapping(place).isDamped) return;
    const { amount, interval } = this.plan.settings.reminders;
    const sent = trouble.slice(change).filter((entry) => entry.isReminder);
    const last = (sent.at(-1) ?? changed).atMs;
    const isLeft = amount === 100_000 || sent.length < amount;
    if (!isReminded && isLeft && at >= last + interval * minute) {
      this.emit(place, remainKind(mood), "reminder-due", sent.length + 1);
    }
    const later = trouble.filter((entry) => entry.reason === "escalation-stage-due").length;
    const reached = this.sentWithAlert + later;
    const due = this.plan.stages.filter((stage) => at >= opened.atMs + stage.afterMinutes * minute);
    for (let stage = reached; stage < due.length; stage += 1) {
      this.emit(place, changed.kind, "escalation-stage-due");
    }
  }

  emit(
    place: number,
    kind: PredictedAlert["kind"],
    reason: PredictedAlert["reason"],
    reminderSequence = 0,
  ): void {
    const closed = this.log.filter((entry) => entry.kind.endsWith("RECOVERY")).length;
    const opening = this.log.findLastIndex((entry) => entry.kind.endsWith("RECOVERY")) + 1;
    const stages = this.log.slice(opening).filter((one) => one.reason === "escalation-stage-due");
    const last = this.informs.slice(0, place + 1).lastIndexOf(true);
    const run = this.events[last];
    this.log.push({
      place,
      kind,
      reason,
      atMs: this.events[place]?.at ?? 0,
      resultId: run?.type === "run" ? run.id : null,
      alertNumber: closed + 1,
      isReminder: reason === "reminder-due" || reason === "mute-ended",
      reminderSequence,
      isFlapping: reason === "flapping-began",
      escalationStage:
        this.sentWithAlert + stages.length + (reason === "escalation-stage-due" ? 1 : 0),
    });
  }
}
