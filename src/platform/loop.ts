import type { Log } from "./log.ts";

export interface Loop {
  /** Waits for the turn under way and starts no other. */
  readonly stop: () => Promise<void>;
}

export interface LoopOptions {
  readonly name: string;
  readonly everyMs: number;
  readonly log: Log;
  readonly turn: () => Promise<void>;
}

/** Background work: one turn at a time, and a turn that fails is logged and tried again. */
export function startLoop({ name, everyMs, log, turn }: LoopOptions): Loop {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> = Promise.resolve();

  const runTurn = async () => {
    try {
      await turn();
    } catch (error) {
      log.warn({ err: error, loop: name }, "a background turn failed and will be tried again");
    }
    if (!isStopped) timer = setTimeout(begin, everyMs);
  };
  const begin = () => {
    current = runTurn();
  };

  timer = setTimeout(begin, everyMs);
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
