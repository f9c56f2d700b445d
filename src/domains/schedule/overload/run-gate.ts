import { type PendingRun, PendingRuns } from "./pending-runs.ts";
import type { RunLoad } from "./run-load.ts";
import type { SkipReason } from "./skipped-runs.ts";

export interface DueRun {
  readonly checkId: string;
  readonly kind: string;
  readonly dueAtMs: number;
  readonly deadlineAtMs: number;
  readonly locations: readonly string[];
}

const expireEveryMs = 1_000;

/**
 * Holds back due runs while there is no capacity, and drops those that can no longer meet their
 * deadline before any work is done for them.
 */
export class RunGate {
  readonly #load: RunLoad;
  readonly #byKind = new Map<string, PendingRuns>();
  #expiredAtMs = 0;
  /** Kinds take turns to go first, because they share the capacity of the probe. */
  #turn = 0;

  constructor(load: RunLoad) {
    this.#load = load;
  }

  get isWaiting(): boolean {
    return this.#byKind.values().some(({ size }) => size > 0);
  }

  /** Whether the run still waits for capacity, so that no probe has received it. */
  isPending(kind: string, checkId: string, dueAtMs: number): boolean {
    return this.#byKind.get(kind)?.isPending(checkId, dueAtMs) ?? false;
  }

  offer({ kind, deadlineAtMs, ...run }: DueRun, nowMs: number): void {
    // Runs that start on time are always executed: only they can show an improvement.
    const { elapsedMs } = this.#load.windowOf(kind);
    const latestStartMs = deadlineAtMs - Math.min(elapsedMs, (deadlineAtMs - run.dueAtMs) / 2);
    const pending = { ...run, latestStartMs };
    // The run was noticed too late: the process was paused or its clock was set.
    if (latestStartMs < nowMs) {
      this.#skip(pending, "late", nowMs);
      return;
    }
    const replaced = this.#pendingOf(kind).add(pending);
    if (replaced !== null) this.#skip(replaced, "overloaded", nowMs);
  }

  /** Emits the runs that there is capacity for; the callback must open them in the load. */
  admit(nowMs: number, order: (run: PendingRun) => void): void {
    const kinds = [...this.#byKind.entries()];
    this.#turn += 1;
    for (let at = 0; at < kinds.length; at += 1) {
      const [kind, pending] = kinds[(at + this.#turn) % kinds.length] ?? [];
      if (kind === undefined || pending === undefined || pending.size === 0) continue;
      let capacity = this.#load.capacity(kind, nowMs);
      while (capacity > 0) {
        const run = pending.takeNext(nowMs);
        if (run === null) break;
        order(run);
        capacity -= run.locations.length;
      }
      if (pending.size > 0) this.#load.windowOf(kind).noteWaiting();
    }
    this.#dropExpired(nowMs);
  }

  forget(checkId: string): void {
    for (const pending of this.#byKind.values()) pending.forget(checkId);
    this.#load.skipped.forget(checkId);
  }

  #dropExpired(nowMs: number): void {
    if (Math.abs(nowMs - this.#expiredAtMs) < expireEveryMs) return;
    this.#expiredAtMs = nowMs;
    for (const pending of this.#byKind.values()) {
      if (pending.size === 0) continue;
      for (const run of pending.takeExpired(nowMs)) this.#skip(run, "overloaded", nowMs);
    }
  }

  #skip({ checkId, dueAtMs, locations }: PendingRun, reason: SkipReason, nowMs: number): void {
    this.#load.skip({ checkId, dueAtMs, count: locations.length }, reason, nowMs);
  }

  #pendingOf(kind: string): PendingRuns {
    const known = this.#byKind.get(kind);
    if (known !== undefined) return known;
    const created = new PendingRuns();
    this.#byKind.set(kind, created);
    return created;
  }
}
