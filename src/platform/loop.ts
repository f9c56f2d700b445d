import type { Log } from "./log.ts";
import { Progress, type ProgressOptions, type ProgressState } from "./progress.ts";

export interface Loop {
  /** Waits for the turn under way and starts no other. */
  readonly stop: () => Promise<void>;
  /** For work that comes in turns: whether it gets on. */
  readonly progress?: () => ProgressState;
}

export interface LoopOptions extends ProgressOptions {
  readonly everyMs: number;
  readonly log: Log;
  readonly turn: () => Promise<void>;
}

/** While turns fail, the pauses double up to this. */
const maxBackoffMs = 5_000;
/** A turn that failed is not put off until the next day of a slow loop. */
const maxRetryMs = 60_000;
/** What fails for hours is logged now and then, not at every turn. */
const logEveryMs = 60_000;

function findPauseMs(everyMs: number, failuresInARow: number): number {
  if (failuresInARow === 0) return everyMs;
  const backoffMs = everyMs * 2 ** (failuresInARow - 1);
  return Math.min(backoffMs, Math.max(everyMs, maxBackoffMs), maxRetryMs);
}

/** Background work: one turn at a time, and a turn that fails is logged and tried again. */
export function startLoop({ everyMs, log, turn, ...options }: LoopOptions): Loop {
  const { name, nowMs = Date.now } = options;
  const progress = new Progress(options);
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> = Promise.resolve();
  let loggedAtMs: number | null = null;

  const noteFailure = (error: unknown) => {
    progress.fail();
    if (loggedAtMs !== null && nowMs() - loggedAtMs < logEveryMs) return;
    loggedAtMs = nowMs();
    const failures = progress.failuresInARow;
    const what = "a background turn failed and will be tried again";
    log.warn({ err: error, loop: name, failures }, what);
  };
  const noteSuccess = () => {
    if (loggedAtMs !== null) log.info({ loop: name }, "a background loop gets on again");
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
    if (!isStopped) timer = setTimeout(begin, findPauseMs(everyMs, progress.failuresInARow));
  };
  const begin = () => {
    current = runTurn();
  };

  timer = setTimeout(begin, everyMs);
  return {
    progress: () => progress.state(),
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
