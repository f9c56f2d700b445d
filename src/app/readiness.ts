import type { ProgressState } from "../platform/progress.ts";

export interface ReadinessOptions {
  /** Resolves when the database answers. */
  readonly askDatabase: () => Promise<unknown>;
  /** What keeps the database from writing, in words; null while it can. */
  readonly findWriteFault?: () => string | null;
  /** What is damaged without keeping the rest from its work, in words; null: nothing. */
  readonly findDamage?: () => string | null;
  /** What this server leaves undone for lack of time, and what to do; null: nothing. */
  readonly findOverload?: () => string | null;
  /** How long the database may take to answer. */
  readonly patienceMs?: number;
}

export interface Readiness {
  readonly isReady: boolean;
  /** What does not get on, in words for people; some of it leaves the server ready. */
  readonly problems: readonly string[];
}

/** `/readyz` answers within a second, whatever the database does. */
const defaultPatienceMs = 800;

function describeStuck({ name, stuckSinceMs }: ProgressState): string {
  const since = new Date(stuckSinceMs ?? 0).toISOString();
  return `the loop "${name}" has not got on since ${since}`;
}

/** Whether this server should get traffic: it is not stopping, its database and loops get on. */
export class ReadinessWatch {
  readonly #options: ReadinessOptions;
  #listProgress: () => readonly ProgressState[] = () => [];
  #isStopping = false;
  /** One question at a time, however many ask. */
  #asking: Promise<boolean> | null = null;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  watch(listProgress: () => readonly ProgressState[]): void {
    this.#listProgress = listProgress;
  }

  listProgress(): readonly ProgressState[] {
    return this.#listProgress();
  }

  noteStop(): void {
    this.#isStopping = true;
  }

  async look(): Promise<Readiness> {
    if (this.#isStopping) return { isReady: false, problems: ["the server is stopping"] };
    const problems: string[] = [];
    if (!(await this.doesDatabaseAnswer())) problems.push("the database does not answer");
    const writeFault = this.#options.findWriteFault?.() ?? null;
    if (writeFault !== null) problems.push(writeFault);
    const stuck = this.#listProgress().filter((one) => one.stuckSinceMs !== null);
    problems.push(...stuck.filter((one) => one.isEssential).map(describeStuck));
    const isReady = problems.length === 0;
    problems.push(...stuck.filter((one) => !one.isEssential).map(describeStuck));
    const damage = this.#options.findDamage?.() ?? null;
    if (damage !== null) problems.push(damage);
    const overload = this.#options.findOverload?.() ?? null;
    if (overload !== null) problems.push(overload);
    return { isReady, problems };
  }

  async doesDatabaseAnswer(): Promise<boolean> {
    const { askDatabase, patienceMs = defaultPatienceMs } = this.#options;
    this.#asking ??= askDatabase()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#asking = null;
      });
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), patienceMs);
    const answer = await Promise.race([this.#asking, late.promise]);
    clearTimeout(timer);
    return answer;
  }
}
