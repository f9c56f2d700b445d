import type { RunLoad, SkipReason } from "./run-load.ts";

/** A due run that is waiting for capacity. */
interface PendingRun {
  readonly checkId: string;
  readonly dueAtMs: number;
  /** Latest time at which the run can start and still meet its deadline. */
  readonly latestStartMs: number;
  readonly locations: readonly string[];
}

interface Entry extends PendingRun {
  isGone: boolean;
}

/**
 * Recently skipped runs of a check. `inARow` is the number of runs skipped since the last executed
 * run. `score` is the number of skipped runs, weighted so that recent runs count most.
 */
interface Loss {
  readonly inARow: number;
  readonly score: number;
}

const noLoss: Loss = { inARow: 0, score: 0 };
const decay = 0.9;
/** Scores below this value count as zero. */
const minScore = 0.05;
const tiersPerScore = 8;
const maxTier = 1_000;

/**
 * Due runs that wait for capacity. Only the newest waiting run of each check is kept. Checks with
 * the most skipped runs in the recent past go first, so that all checks lose an equal share of
 * their runs. Among checks with equal losses, the newest due run goes first, so that at least this
 * run is on time.
 */
export class PendingRuns {
  readonly #byCheck = new Map<string, Entry>();
  /** Waiting runs, grouped by the losses of their check. Each group is in due order. */
  readonly #tiers: Entry[][] = [[]];
  readonly #losses = new Map<string, Loss>();

  get size(): number {
    return this.#byCheck.size;
  }

  isPending(checkId: string, dueAtMs: number): boolean {
    return this.#byCheck.get(checkId)?.dueAtMs === dueAtMs;
  }

  /**
   * Adds a run. Returns the older waiting run of the check, which the new run replaces, or `null`.
   */
  add(run: PendingRun): PendingRun | null {
    const older = this.#byCheck.get(run.checkId) ?? null;
    if (older !== null) this.#skip(older);
    const entry = { ...run, isGone: false };
    const { inARow, score } = this.#losses.get(run.checkId) ?? noLoss;
    const tier = Math.min(inARow + Math.floor(score * tiersPerScore), maxTier);
    while (this.#tiers.length <= tier) this.#tiers.push([]);
    this.#tiers[tier]?.push(entry);
    this.#byCheck.set(run.checkId, entry);
    return older;
  }

  /** Removes and returns the next run to order; `null` if no waiting run can meet its deadline. */
  takeNext(nowMs: number): PendingRun | null {
    for (let tier = this.#tiers.length - 1; tier >= 0; tier -= 1) {
      const entries = this.#tiers[tier] ?? [];
      for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
        if (entry.isGone) continue;
        if (entry.latestStartMs < nowMs) {
          // The expired run stays in the list until `takeExpired` reports it.
          entries.push(entry);
          break;
        }
        this.#remove(entry);
        this.#noteMade(entry.checkId);
        return entry;
      }
    }
    return null;
  }

  /** Removes and returns the runs that can no longer meet their deadline. */
  takeExpired(nowMs: number): PendingRun[] {
    const expired: PendingRun[] = [];
    for (const entry of this.#byCheck.values()) {
      if (entry.latestStartMs >= nowMs) continue;
      this.#skip(entry);
      expired.push(entry);
    }
    for (const [tier, entries] of this.#tiers.entries()) {
      this.#tiers[tier] = entries.filter(({ isGone }) => !isGone);
    }
    while (this.#tiers.length > 1 && this.#tiers.at(-1)?.length === 0) this.#tiers.pop();
    return expired;
  }

  /** Removes the data of a check. Must be called when this server no longer schedules the check. */
  forget(checkId: string): void {
    const entry = this.#byCheck.get(checkId);
    if (entry !== undefined) this.#remove(entry);
    this.#losses.delete(checkId);
  }

  #remove(entry: Entry): void {
    entry.isGone = true;
    this.#byCheck.delete(entry.checkId);
  }

  #skip(entry: Entry): void {
    this.#remove(entry);
    const { inARow, score } = this.#losses.get(entry.checkId) ?? noLoss;
    this.#losses.set(entry.checkId, { inARow: inARow + 1, score: score * decay + 1 });
  }

  #noteMade(checkId: string): void {
    const known = this.#losses.get(checkId);
    if (known === undefined) return;
    const score = known.score * decay;
    if (score < minScore) this.#losses.delete(checkId);
    else this.#losses.set(checkId, { inARow: 0, score });
  }
}

interface DueRun {
  readonly checkId: string;
  readonly kind: string;
  readonly dueAtMs: number;
  readonly deadlineAtMs: number;
  readonly locations: readonly string[];
}

const expireEveryMs = 1_000;

/**
 * Holds back due runs while the built-in probe has no capacity. Skips a run without an order if it
 * can no longer meet its deadline, or if a newer run of the check replaces it.
 */
export class RunGate {
  readonly #load: RunLoad;
  readonly #byKind = new Map<string, PendingRuns>();
  #expiredAtMs = 0;
  /** Index of the kind that goes first. Rotates, because all kinds share the probe's capacity. */
  #turn = 0;

  constructor(load: RunLoad) {
    this.#load = load;
  }

  get isWaiting(): boolean {
    return this.#byKind.values().some(({ size }) => size > 0);
  }

  /** Whether the run is still waiting for capacity. If so, no probe has received the run. */
  isPending(kind: string, checkId: string, dueAtMs: number): boolean {
    return this.#byKind.get(kind)?.isPending(checkId, dueAtMs) ?? false;
  }

  offer({ kind, deadlineAtMs, ...run }: DueRun, nowMs: number): void {
    // A run may start only if the average duration of a run remains until its deadline. At most
    // half of the time from the due time to the deadline is required, so a run that is on time is
    // always accepted. Without this limit, no run would be executed after a slow period, and the
    // average could never decrease.
    const { elapsedMs } = this.#load.windowOf(kind);
    const latestStartMs = deadlineAtMs - Math.min(elapsedMs, (deadlineAtMs - run.dueAtMs) / 2);
    const pending = { ...run, latestStartMs };
    // The run is already too late, because the process was paused or the system clock was changed.
    if (latestStartMs < nowMs) {
      this.#skip(pending, "late", nowMs);
      return;
    }
    const replaced = this.#pendingOf(kind).add(pending);
    if (replaced !== null) this.#skip(replaced, "overloaded", nowMs);
  }

  /** Calls `order` for each run that can start now. `order` must pass the run to `RunLoad.open`. */
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
