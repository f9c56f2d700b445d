/** How many runs of one kind may be open before any delay was observed. */
export const maxOpenRuns = 30_000;
const minLimit = 10;
/** Every kind's deadline has this much beyond what a run itself may take. */
const slackMs = 8_000;
/** How long results may wait to be recorded, and how far a run may exceed its own limits. */
const toleratedMs = 2_000;
/** A shorter delay is a stall, such as a checkpoint of the database, which passes by itself. */
const sustainedMs = 3_000;
/** How many results the estimates remember, roughly. */
const smoothing = 1 / 32;
/** This share of late results, or a reduced limit of not long ago, means that runs are slow. */
const slowShare = 0.25;
const slowForMs = 300_000;
/** A reduced limit is set a little lower than needed, so that the backlog drains. */
const drainFactor = 0.9;
const growthFactor = 1.25;
/**
 * Where results are recorded sooner than this, and runs end early, there is room to spare. Right
 * after a reduction that is so for a moment only, while what was too much drains.
 */
const calmMs = 500;
const calmGrowthFactor = 2;
const fullShare = 0.9;
/** A result that is missing for this long after its deadline does not come any more. */
const lostAfterMs = 60_000;

interface OpenRun {
  readonly deadlineMs: number;
  readonly lostAtMs: number;
  /** How many runs were open when it began, itself included. */
  readonly openCount: number;
}

export interface OrderedRun {
  readonly runId: string;
  readonly startAtMs: number;
  readonly deadlineAtMs: number;
}

export interface RecordedRun {
  readonly runId: string;
  readonly startedAtMs: number;
  readonly stoppedAtMs: number;
  /** The prober itself reported that it has no room. */
  readonly isRejected: boolean;
}

/**
 * Bounds the runs of one kind that are open: ordered and not recorded. The bound follows the
 * delays that this process causes itself: results that wait to be recorded, and runs that take
 * longer than their own timeouts allow. Slow targets do not count: an outage is no overload. By
 * Little's law, `n` open runs that took `t` could have taken `t'` if `n × t' ÷ t` had been open.
 */
export class RunWindow {
  readonly #open = new Map<string, OpenRun>();
  #limit = maxOpenRuns;
  /** The share of late results among the newest ones. */
  #lateShare = 0;
  #lateSinceMs: number | null = null;
  /** Results of runs that began before the limit was last reduced say nothing about it. */
  #reducedAtMs = Number.NEGATIVE_INFINITY;
  #grownAtMs = Number.NEGATIVE_INFINITY;
  /** Smoothed time from the start of a run to its record. */
  #elapsedMs = 0;
  #isLimiting = false;

  get openCount(): number {
    return this.#open.size;
  }

  get limit(): number {
    return this.#limit;
  }

  /** How long runs of this kind take lately, until they are recorded. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  room(nowMs: number): number {
    for (const [runId, { lostAtMs }] of this.#open) {
      if (lostAtMs > nowMs) break;
      this.#open.delete(runId);
    }
    return Math.max(0, this.#limit - this.#open.size);
  }

  /** Whether a run is still under way that is late because everything is. */
  isDelayed(runId: string, nowMs: number): boolean {
    const isSlow = this.#lateShare > slowShare || nowMs - this.#reducedAtMs < slowForMs;
    return isSlow && this.#open.has(runId);
  }

  /** Due runs had to wait because of the limit. */
  noteWaiting(): void {
    this.#isLimiting = true;
  }

  open({ runId, startAtMs, deadlineAtMs }: OrderedRun): void {
    this.#open.set(runId, {
      deadlineMs: deadlineAtMs - startAtMs,
      lostAtMs: deadlineAtMs + lostAfterMs,
      openCount: this.#open.size + 1,
    });
  }

  /** Returns whether the run was open here. */
  close(run: RecordedRun, nowMs: number): boolean {
    const open = this.#open.get(run.runId);
    if (open === undefined) return false;
    this.#open.delete(run.runId);
    const { startedAtMs, stoppedAtMs, isRejected } = run;
    const elapsedMs = Math.max(0, nowMs - startedAtMs);
    this.#elapsedMs += (elapsedMs - this.#elapsedMs) * smoothing;
    if (startedAtMs < this.#reducedAtMs) return true;
    const tookMs = stoppedAtMs - startedAtMs;
    const ownLimitMs = Math.max(0, open.deadlineMs - slackMs);
    const isLate = nowMs - stoppedAtMs > toleratedMs || tookMs > ownLimitMs + toleratedMs;
    this.#lateShare += (Number(isLate || isRejected) - this.#lateShare) * smoothing;
    if (this.#lateShare <= 0.5) {
      this.#lateSinceMs = null;
      const isQuick = nowMs - stoppedAtMs < calmMs && tookMs < ownLimitMs / 2;
      const isCalm = isQuick && this.#grownAtMs > this.#reducedAtMs;
      const factor = isCalm ? calmGrowthFactor : growthFactor;
      // What follows from one step is observed before the next, by a run that found all room taken.
      const isProof = startedAtMs >= this.#grownAtMs && open.openCount >= this.#limit * fullShare;
      if (this.#isLimiting && isProof && !isLate && !isRejected) this.#grow(factor, nowMs);
      return true;
    }
    this.#lateSinceMs ??= nowMs;
    if (nowMs - this.#lateSinceMs < sustainedMs) return true;
    const allowedMs = Math.min(tookMs, ownLimitMs) + toleratedMs;
    const share = isLate ? Math.min(1, allowedMs / Math.max(1, elapsedMs)) : 1;
    this.#reduce(open.openCount * share * drainFactor, nowMs);
    return true;
  }

  #reduce(limit: number, nowMs: number): void {
    this.#limit = Math.max(minLimit, Math.min(this.#limit, Math.floor(limit)));
    this.#lateShare = 0;
    this.#lateSinceMs = null;
    this.#reducedAtMs = nowMs;
    this.#grownAtMs = nowMs;
  }

  #grow(factor: number, nowMs: number): void {
    this.#limit = Math.min(maxOpenRuns, Math.ceil(this.#limit * factor));
    this.#grownAtMs = nowMs;
    this.#isLimiting = false;
  }
}
