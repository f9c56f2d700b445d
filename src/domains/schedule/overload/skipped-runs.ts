/** Why a due run was not executed. */
export type SkipReason = "overloaded" | "late";

const bucketMs = 1_000;
const bucketCount = 60;

interface Bucket {
  second: number;
  due: number;
  skipped: number;
}

/**
 * Tracks skipped runs of this process and counts them over the last minute. The recorder stores the
 * resulting gaps with the next run of the check.
 */
export class SkippedRuns {
  readonly #buckets: Bucket[] = Array.from({ length: bucketCount }, () => ({
    second: -1,
    due: 0,
    skipped: 0,
  }));
  /** The newest skipped run of each check. */
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

  /** Whether the run or a later one of the check was skipped, so that it will have no result. */
  isSkipped(checkId: string, dueAtMs: number): boolean {
    const lastMs = this.#lastDueAtMs.get(checkId);
    return lastMs !== undefined && dueAtMs <= lastMs;
  }

  /** Drops a skipped run once later runs count. */
  forgetBefore(checkId: string, dueAtMs: number): void {
    const lastMs = this.#lastDueAtMs.get(checkId);
    if (lastMs !== undefined && lastMs < dueAtMs) this.#lastDueAtMs.delete(checkId);
  }

  forget(checkId: string): void {
    this.#lastDueAtMs.delete(checkId);
  }

  /** Returns the share of the runs due in the last minute that were skipped because of overload. */
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
