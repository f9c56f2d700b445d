import { describeOverload, overloadAdvice } from "../access/servers/index.ts";
import type { ProgressState } from "../platform/progress.ts";
import type { ScheduleContext } from "../runs/scheduling/index.ts";

/** Default timeout of the database query. It lets `/readyz` respond within a second. */
const defaultTimeoutMs = 800;

interface ReadinessOptions {
  /** Sends a query to the database; resolves when the database responds. */
  readonly queryDatabase: () => Promise<unknown>;
  /** Returns the reason why the database rejects writes, or `null` if it accepts them. */
  readonly findWriteFault?: () => string | null;
  /** Returns a description of damaged data in the database, or `null` if there is none. */
  readonly findDamage?: () => string | null;
  /**
   * Describes the share of skipped runs, with instructions; `null` if the server is not overloaded.
   */
  readonly findOverload?: () => string | null;
  /** How long to wait for the response of the database. */
  readonly timeoutMs?: number;
}

interface Readiness {
  readonly isReady: boolean;
  /** Human-readable problems. A server with a minor problem is still ready. */
  readonly problems: readonly string[];
}

function describeStuck({ name, stuckSinceMs }: ProgressState): string {
  const since = new Date(stuckSinceMs ?? 0).toISOString();
  return `the loop "${name}" has made no progress since ${since}`;
}

/**
 * Decides whether the server is ready: it is not stopping, the database responds and accepts
 * writes, and no essential loop is stuck.
 */
export class ReadinessWatch {
  readonly #options: ReadinessOptions;
  #listProgress: () => readonly ProgressState[] = () => [];
  #isStopping = false;
  /** Query in progress. Concurrent callers share it, so that only one query runs at a time. */
  #querying: Promise<boolean> | null = null;

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

  async check(): Promise<Readiness> {
    if (this.#isStopping) return { isReady: false, problems: ["the server is stopping"] };
    const problems: string[] = [];
    if (!(await this.doesDatabaseAnswer())) problems.push("the database does not respond");
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
    const { queryDatabase, timeoutMs = defaultTimeoutMs } = this.#options;
    this.#querying ??= queryDatabase()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#querying = null;
      });
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), timeoutMs);
    const answer = await Promise.race([this.#querying, late.promise]);
    clearTimeout(timer);
    return answer;
  }
}

/**
 * Describes the share of skipped runs, with instructions; `null` if the server is not overloaded.
 */
export function explainOverload({
  load,
  clock,
}: Pick<ScheduleContext, "load" | "clock">): string | null {
  const overload = describeOverload(load.overloadShare(clock.nowMs()));
  return overload === null
    ? null
    : `${overload}. ${overloadAdvice} See Overload in docs/operate.md.`;
}
