import type { Order } from "../../../contract/order.ts";
import type { Result } from "../../../contract/result.ts";
import type { RunMetrics } from "../run-metrics.ts";
import { maxOpenRuns, RunWindow } from "./run-window.ts";
import { SkippedRuns, type SkipReason } from "./skipped-runs.ts";

/** Less than this is no overload: a busy second costs a few runs. */
const overloadShare = 0.01;

/**
 * How much work this server has taken on for its own probe. The scheduler opens runs and the
 * recorder closes them; in between lies everything that may be too slow.
 */
export class RunLoad {
  readonly skipped = new SkippedRuns();
  readonly #windows = new Map<string, RunWindow>();
  readonly #metrics: Pick<RunMetrics, "skippedRuns">;
  #onRoom = () => {};

  constructor(metrics: Pick<RunMetrics, "skippedRuns">) {
    this.#metrics = metrics;
  }

  /** Calls back when runs were recorded, so that there may be room for others. */
  onRoom(listener: () => void): void {
    this.#onRoom = listener;
  }

  windowOf(kind: string): RunWindow {
    const known = this.#windows.get(kind);
    if (known !== undefined) return known;
    const created = new RunWindow();
    this.#windows.set(kind, created);
    return created;
  }

  /** Room for runs of this kind, within what the probe takes of all kinds. */
  room(kind: string, nowMs: number): number {
    const window = this.windowOf(kind);
    const own = window.room(nowMs);
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
    if (isClosed) this.#onRoom();
  }

  skip(
    run: { readonly checkId: string; readonly dueAtMs: number; readonly count: number },
    reason: SkipReason,
    nowMs: number,
  ): void {
    this.#metrics.skippedRuns.inc({ reason }, run.count);
    this.skipped.noteSkipped(run, reason, nowMs);
  }

  /** The share of runs that are skipped, from 0 to 1; 0 unless the server is overloaded. */
  overloadShare(nowMs: number): number {
    const share = this.skipped.share(nowMs);
    return share < overloadShare ? 0 : share;
  }
}
