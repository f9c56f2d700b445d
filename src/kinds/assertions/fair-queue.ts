/** A queue that serves its owners in turns: one job of each waiting owner per round. */
export class FairQueue<Job> {
  readonly #maxPerOwner: number;
  /** Ordered by whose turn is next. */
  readonly #waiting = new Map<string, Job[]>();

  constructor(maxPerOwner: number) {
    this.#maxPerOwner = maxPerOwner;
  }

  /** Returns false if the owner has too many waiting jobs. Other owners are not affected. */
  add(owner: string, job: Job): boolean {
    const jobs = this.#waiting.get(owner);
    if (jobs === undefined) this.#waiting.set(owner, [job]);
    else if (jobs.length >= this.#maxPerOwner) return false;
    else jobs.push(job);
    return true;
  }

  take(): Job | undefined {
    const [turn] = this.#waiting;
    if (turn === undefined) return undefined;
    const [owner, jobs] = turn;
    const job = jobs.shift();
    this.#waiting.delete(owner);
    // Re-inserting the owner moves it to the end of the round.
    if (jobs.length > 0) this.#waiting.set(owner, jobs);
    return job;
  }
}
