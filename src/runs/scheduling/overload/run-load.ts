import type { Counter } from "prom-client";
import type { Order } from "../../../contract/order.ts";
import type { Result } from "../../../contract/result.ts";

/**
 * Initial and maximum number of open runs of one kind, and maximum number for all kinds together.
 */
export const maxOpenRuns = 30_000;
const minLimit = 10;
/** Extra time that every deadline contains, in addition to the maximum duration of the run. */
const slackMs = 8_000;
/** Tolerated delay of recording a result, and tolerated time by which a run exceeds its timeout. */
const toleratedMs = 2_000;
/** Minimum duration of an overload. Shorter delays are stalls, such as a database checkpoint. */
const sustainedMs = 3_000;
/** Weight of a new result in the moving averages. */
const smoothing = 1 / 32;
/**
 * Runs of a kind count as slow if the share of late results is above `slowShare`, or if the limit
 * was reduced less than `slowForMs` ago.
 */
const slowShare = 0.25;
const slowForMs = 300_000;
/** Factor that makes a reduced limit slightly lower than necessary, so that the backlog drains. */
const drainFactor = 0.9;
const growthFactor = 1.25;
/**
 * Delay of recording below which the server has spare capacity. Directly after a reduction, a low
 * delay proves nothing, because the backlog is still draining.
 */
const calmMs = 500;
const calmGrowthFactor = 2;
const fullShare = 0.9;
/** Time after the deadline of a run at which a missing result counts as lost. */
const lostAfterMs = 60_000;

interface OpenRun {
  readonly deadlineMs: number;
  readonly lostAtMs: number;
  /** Number of open runs when this run started, including this run. */
  readonly openCount: number;
}

interface OrderedRun {
  readonly runId: string;
  readonly startAtMs: number;
  readonly deadlineAtMs: number;
}

interface RecordedRun {
  readonly runId: string;
  readonly startedAtMs: number;
  readonly stoppedAtMs: number;
  /** Whether the probe rejected the run for lack of capacity. */
  readonly isRejected: boolean;
}

/**
 * Limits the open runs of one kind. An open run is ordered but not recorded. The limit is reduced
 * when results wait to be recorded, runs exceed their own timeout, or the probe rejects runs for
 * lack of capacity. Slow targets do not reduce the limit, because an outage of a target is not an
 * overload of the server. By Little's law, if `n` open runs took the time `t`, then `n × t' ÷ t`
 * open runs take the time `t'`.
 */
export class RunWindow {
  readonly #open = new Map<string, OpenRun>();
  #limit = maxOpenRuns;
  /** Share of late results among the most recent ones, as a moving average. */
  #lateShare = 0;
  #lateSinceMs: number | null = null;
  /** Time of the last reduction. Results of runs that started earlier do not change the limit. */
  #reducedAtMs = Number.NEGATIVE_INFINITY;
  #grownAtMs = Number.NEGATIVE_INFINITY;
  /** Moving average of the time from the start of a run until the recording of its result. */
  #elapsedMs = 0;
  #isLimiting = false;

  get openCount(): number {
    return this.#open.size;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Average time from the start of a run of this kind until the recording of its result. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  capacity(nowMs: number): number {
    for (const [runId, { lostAtMs }] of this.#open) {
      if (lostAtMs > nowMs) break;
      this.#open.delete(runId);
    }
    return Math.max(0, this.#limit - this.#open.size);
  }

  /** Whether the run is still open and runs of its kind are slow because of an overload. */
  isDelayed(runId: string, nowMs: number): boolean {
    const isSlow = this.#lateShare > slowShare || nowMs - this.#reducedAtMs < slowForMs;
    return isSlow && this.#open.has(runId);
  }

  /** Records that the limit made due runs wait. */
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

  /** Closes a recorded run and adapts the limit. Returns whether the run was open. */
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
      // The limit may grow again only after a run that started at nearly full capacity with the
      // current limit, so that the effect of each increase is observed.
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

interface RunLoadMetrics {
  readonly skippedRuns: Counter;
}

/**
 * Minimum share of skipped runs that counts as overload, because a busy second may cost a few runs.
 */
const overloadShare = 0.01;

/** Reason why a due run was not executed. */
export type SkipReason = "overloaded" | "late";

const bucketMs = 1_000;
const bucketCount = 60;

interface Bucket {
  second: number;
  due: number;
  skipped: number;
}

/**
 * Tracks the runs that this process skipped, and counts the due and skipped runs of the last
 * minute. The recorder stores the skipped runs as a gap together with the next run of the check.
 */
export class SkippedRuns {
  readonly #buckets: Bucket[] = Array.from({ length: bucketCount }, () => ({
    second: -1,
    due: 0,
    skipped: 0,
  }));
  /** Due time of the newest skipped run of each check. */
  readonly #lastDueAtMs = new Map<string, number>();

  noteDue(count: number, nowMs: number): void {
    this.#bucketOf(nowMs).due += count;
  }

  noteSkipped(
    run: { readonly checkId: string; readonly dueAtMs: number; readonly count: number },
    reason: SkipReason,
    nowMs: number,
  ): void {
    if (reason === "overloaded") this.#bucketOf(nowMs).skipped += run.count;
    const known = this.#lastDueAtMs.get(run.checkId) ?? run.dueAtMs;
    this.#lastDueAtMs.set(run.checkId, Math.max(known, run.dueAtMs));
  }

  /** Whether this run or a later run of the check was skipped, so that no result is expected. */
  isSkipped(checkId: string, dueAtMs: number): boolean {
    const lastMs = this.#lastDueAtMs.get(checkId);
    return lastMs !== undefined && dueAtMs <= lastMs;
  }

  /** Forgets the skipped runs of a check if the newest one was due before the given time. */
  forgetBefore(checkId: string, dueAtMs: number): void {
    const lastMs = this.#lastDueAtMs.get(checkId);
    if (lastMs !== undefined && lastMs < dueAtMs) this.#lastDueAtMs.delete(checkId);
  }

  forget(checkId: string): void {
    this.#lastDueAtMs.delete(checkId);
  }

  /**
   * Returns the share of the runs due in the last minute that were skipped because of an overload.
   */
  share(nowMs: number): number {
    const now = Math.floor(nowMs / bucketMs);
    let due = 0;
    let skipped = 0;
    for (const bucket of this.#buckets) {
      if (bucket.second > now || bucket.second <= now - bucketCount) continue;
      due += bucket.due;
      skipped += bucket.skipped;
    }
    return skipped === 0 ? 0 : Math.min(1, skipped / Math.max(due, skipped));
  }

  #bucketOf(nowMs: number): Bucket {
    const second = Math.floor(nowMs / bucketMs);
    const place = ((second % bucketCount) + bucketCount) % bucketCount;
    const bucket = this.#buckets[place] as Bucket;
    if (bucket.second !== second) {
      bucket.second = second;
      bucket.due = 0;
      bucket.skipped = 0;
    }
    return bucket;
  }
}

/** Tracks the runs of the built-in probe. The scheduler opens a run, and the recorder closes it. */
export class RunLoad {
  readonly skipped = new SkippedRuns();
  readonly #windows = new Map<string, RunWindow>();
  readonly #metrics: RunLoadMetrics;
  #onCapacity = () => {};

  constructor(metrics: RunLoadMetrics) {
    this.#metrics = metrics;
  }

  /**
   * Sets the listener that is called when recorded runs may have left capacity for waiting runs.
   */
  onCapacity(listener: () => void): void {
    this.#onCapacity = listener;
  }

  windowOf(kind: string): RunWindow {
    const known = this.#windows.get(kind);
    if (known !== undefined) return known;
    const created = new RunWindow();
    this.#windows.set(kind, created);
    return created;
  }

  /** Returns how many runs of this kind may start within the limits of the kind and the probe. */
  capacity(kind: string, nowMs: number): number {
    const window = this.windowOf(kind);
    const own = window.capacity(nowMs);
    let open = 0;
    for (const { openCount } of this.#windows.values()) open += openCount;
    return Math.max(0, Math.min(own, maxOpenRuns - open));
  }

  open(order: Order): void {
    this.windowOf(order.kind).open(order);
  }

  close(results: readonly Result[], nowMs: number): void {
    let isClosed = false;
    for (const { runId, kind, startedAtMs, stoppedAtMs, outcome } of results) {
      const isRejected = outcome.kind === "overloaded" || outcome.kind === "too-late";
      const run = { runId, startedAtMs, stoppedAtMs, isRejected };
      if (this.#windows.get(kind)?.close(run, nowMs)) isClosed = true;
    }
    if (isClosed) this.#onCapacity();
  }

  skip(
    run: { readonly checkId: string; readonly dueAtMs: number; readonly count: number },
    reason: SkipReason,
    nowMs: number,
  ): void {
    this.#metrics.skippedRuns.inc({ reason }, run.count);
    this.skipped.noteSkipped(run, reason, nowMs);
  }

  /** Returns the share of skipped runs, from 0 to 1; 0 unless the server is overloaded. */
  overloadShare(nowMs: number): number {
    const share = this.skipped.share(nowMs);
    return share < overloadShare ? 0 : share;
  }
}
