/** A due run that has not been ordered yet. */
export interface PendingRun {
  readonly checkId: string;
  readonly dueAtMs: number;
  /** A run that starts later cannot meet its deadline. */
  readonly latestStartMs: number;
  readonly locations: readonly string[];
}

interface Entry extends PendingRun {
  isGone: boolean;
}

/** Recent losses of a check. Each executed run reduces the weight of earlier losses. */
interface Loss {
  readonly inARow: number;
  readonly score: number;
}

const noLoss: Loss = { inARow: 0, score: 0 };
const decay = 0.9;
/** Lower scores count as zero. */
const minScore = 0.05;
const tiersPerScore = 8;
const maxTier = 1_000;

/**
 * Due runs waiting for capacity, at most one per check: the newest. Checks with the most recent
 * losses go first, so that every check loses the same share of its runs. Among equals the newest
 * due run goes first, so that it is executed on time.
 */
export class PendingRuns {
  readonly #byCheck = new Map<string, Entry>();
  /** Entries by the loss score of their check, in due order. */
  readonly #tiers: Entry[][] = [[]];
  readonly #losses = new Map<string, Loss>();

  get size(): number {
    return this.#byCheck.size;
  }

  isPending(checkId: string, dueAtMs: number): boolean {
    return this.#byCheck.get(checkId)?.dueAtMs === dueAtMs;
  }

  /** Returns the older run of the same check that this one replaces, or `null`. */
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

  /**
   * Removes and returns the run to order next; `null` if no remaining run can meet its deadline.
   */
  takeNext(nowMs: number): PendingRun | null {
    for (let tier = this.#tiers.length - 1; tier >= 0; tier -= 1) {
      const entries = this.#tiers[tier] ?? [];
      for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
        if (entry.isGone) continue;
        if (entry.latestStartMs < nowMs) {
          // Kept for `takeExpired`, which reports it.
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

  /** Must be called when the check is no longer scheduled on this server. */
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
