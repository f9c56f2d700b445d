import type { Log } from "./log.ts";
import { Progress, type ProgressOptions, type ProgressState } from "./progress.ts";

export interface Loop {
  /** Starts no further iteration and waits for the current one. */
  readonly stop: () => Promise<void>;
  /** Progress of the loop's work; absent if the loop does not report progress. */
  readonly progress?: () => ProgressState;
}

export interface LoopOptions extends ProgressOptions {
  /** Pause after each iteration, in milliseconds; the maximum for a loop that can be woken. */
  readonly everyMs: number;
  /** Minimum pause after an iteration, even if the loop is woken. By default, it is `everyMs`. */
  readonly restMs?: number;
  /**
   * Called once with `wake`, which ends a pause early. Code that creates work for the loop calls
   * `wake`.
   */
  readonly onWork?: (wake: () => void) => void;
  /** Returns the time in milliseconds until work is due. Called after each iteration. */
  readonly sleepMs?: () => number;
  readonly log: Log;
  readonly turn: () => Promise<void>;
}

/**
 * Limit of the growing pause. The pause of a failing loop starts at `restMs` and doubles with each
 * failure up to this limit. If `restMs` is longer than this limit, the pause does not grow.
 */
const maxBackoffMs = 5_000;
/**
 * Maximum pause after a failed iteration. If `restMs` is longer than this maximum, a failed
 * iteration is still retried after the maximum.
 */
const maxRetryMs = 60_000;
/** Minimum interval between two log lines about the same failing loop. */
const logEveryMs = 60_000;

function findPauseMs(everyMs: number, failuresInARow: number): number {
  if (failuresInARow === 0) return everyMs;
  const backoffMs = everyMs * 2 ** (failuresInARow - 1);
  return Math.min(backoffMs, Math.max(everyMs, maxBackoffMs), maxRetryMs);
}

type Pauses = Pick<LoopOptions, "everyMs" | "restMs" | "sleepMs">;

/** Timer of a loop. Each iteration is followed by a pause, which `wake` can end early. */
class Pacer {
  readonly #pauses: Pauses;
  readonly #begin: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Earliest time of the next iteration, even if the loop is woken. */
  #restUntilMs = 0;
  #isWoken = false;
  #isBusy = false;
  #isStopped = false;

  constructor(pauses: Pauses, begin: () => void) {
    this.#pauses = pauses;
    this.#begin = begin;
    const { everyMs, restMs = everyMs } = pauses;
    this.#beginIn(restMs);
  }

  readonly wake = (): void => {
    if (this.#isBusy) this.#isWoken = true;
    else this.#beginIn(this.#restUntilMs - performance.now());
  };

  pause(failuresInARow: number): void {
    const { everyMs, restMs = everyMs, sleepMs } = this.#pauses;
    this.#isBusy = false;
    const leastMs = findPauseMs(restMs, failuresInARow);
    this.#restUntilMs = performance.now() + leastMs;
    const isFailing = failuresInARow > 0;
    const longestMs = isFailing ? leastMs : Math.min(everyMs, sleepMs?.() ?? everyMs);
    this.#beginIn(this.#isWoken ? leastMs : Math.max(leastMs, longestMs));
    this.#isWoken = false;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #beginIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(
      () => {
        this.#isBusy = true;
        this.#begin();
      },
      // Rounded up: fractions would create timers of many different durations, which slows down all
      // timers.
      Math.max(0, Math.ceil(ms)),
    );
  }
}

/** Runs background work one iteration at a time. A failed iteration is logged and retried. */
export function startLoop({ log, turn, onWork, ...options }: LoopOptions): Loop {
  const { name, nowMs = Date.now } = options;
  const progress = new Progress(options);
  let current: Promise<void> = Promise.resolve();
  let loggedAtMs: number | null = null;

  const noteFailure = (error: unknown) => {
    progress.fail();
    if (loggedAtMs !== null && nowMs() - loggedAtMs < logEveryMs) return;
    loggedAtMs = nowMs();
    const failures = progress.failuresInARow;
    const what = "background loop failed and will retry";
    log.warn({ err: error, loop: name, failures }, what);
  };
  const noteSuccess = () => {
    if (loggedAtMs !== null) log.info({ loop: name }, "background loop recovered");
    loggedAtMs = null;
    progress.succeed();
  };
  const runTurn = async () => {
    progress.begin();
    try {
      await turn();
      noteSuccess();
    } catch (error) {
      noteFailure(error);
    }
    pacer.pause(progress.failuresInARow);
  };
  const pacer = new Pacer(options, () => {
    current = runTurn();
  });
  onWork?.(pacer.wake);
  return {
    progress: () => progress.state(),
    stop: async () => {
      pacer.stop();
      await current;
    },
  };
}

/** Runs all steps one after another, even if a step fails. Throws the errors at the end. */
export async function takeEach(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error) => errors.push(error));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, "several steps of a turn failed");
}
