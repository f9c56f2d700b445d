/** Jobs of many owners, taken in turns: one of each owner that waits, then the next of each. */
export class FairQueue<Job> {
  readonly #maxPerOwner: number;
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Job[]>();

  constructor(maxPerOwner: number) {
    this.#maxPerOwner = maxPerOwner;
  }

  /** False: the owner has too many jobs waiting. Others are not affected. */
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
    // Its next turn comes after everybody else's.
    if (jobs.length > 0) this.#waiting.set(owner, jobs);
    return job;
  }
}
