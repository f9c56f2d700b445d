import type { Counter } from "prom-client";
import type { Order } from "../../../contract/order.ts";
import type { Result } from "../../../contract/result.ts";
import { maxOpenRuns, RunWindow } from "./run-window.ts";
import { SkippedRuns, type SkipReason } from "./skipped-runs.ts";

interface RunLoadMetrics {
  readonly skippedRuns: Counter;
}

/** A lower share is not an overload: a busy second costs a few runs. */
const overloadShare = 0.01;

/**
 * Tracks the runs in progress for this server's own probe. The scheduler opens runs and the
 * recorder closes them.
 */
export class RunLoad {
  readonly skipped = new SkippedRuns();
  readonly #windows = new Map<string, RunWindow>();
  readonly #metrics: RunLoadMetrics;
  #onCapacity = () => {};

  constructor(metrics: RunLoadMetrics) {
    this.#metrics = metrics;
  }

  /** Registers a listener for recorded runs, after which there may be capacity for others. */
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

  /** Returns the capacity for runs of this kind, within the limit of the probe for all kinds. */
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
