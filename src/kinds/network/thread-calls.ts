import { type MessagePort, parentPort, Worker } from "node:worker_threads";

/**
 * Work in a thread of its own, so that its timestamps do not wait for the main thread. Calls and
 * answers travel in batches: one message for all that are made in one turn of the event loop.
 */
export interface ThreadCalls<Call, Answer> {
  /** Null: the thread ended before it answered. */
  call(call: Call): Promise<Answer | null>;
  /** Ends the thread; calls under way get null. */
  close(): Promise<void>;
}

interface Numbered<Content> {
  readonly id: number;
  readonly content: Content;
}

/** Gathers what is posted in one turn of the event loop. */
class Outbox<Content> {
  readonly #post: (batch: readonly Numbered<Content>[]) => void;
  #batch: Numbered<Content>[] = [];

  constructor(post: (batch: readonly Numbered<Content>[]) => void) {
    this.#post = post;
  }

  add(message: Numbered<Content>): void {
    this.#batch.push(message);
    if (this.#batch.length === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#post(batch);
  }
}

export interface ThreadOptions {
  readonly name: string;
  /** A module that calls `serveCalls`. */
  readonly module: URL;
  readonly log: (line: string) => void;
}

/** The thread starts with the first call, and again with the next one after it died. */
export function createThreadCalls<Call, Answer>(options: ThreadOptions): ThreadCalls<Call, Answer> {
  const open = new Map<number, (answer: Answer | null) => void>();
  let worker: Worker | null = null;
  let isClosed = false;
  let lastId = 0;

  const settle = (id: number, answer: Answer | null) => {
    const resolve = open.get(id);
    open.delete(id);
    if (open.size === 0) worker?.unref();
    resolve?.(answer);
  };
  const start = () => {
    const started = new Worker(options.module, {
      name: options.name,
      execArgv: ["--disable-warning=ExperimentalWarning"],
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    started.on("message", (batch: readonly Numbered<Answer>[]) => {
      for (const { id, content } of batch) settle(id, content);
    });
    started.on("error", (error) => {
      options.log(`The ${options.name} thread failed: ${String(error)}`);
    });
    started.on("exit", () => {
      if (worker === started) worker = null;
      for (const id of [...open.keys()]) settle(id, null);
    });
    return started;
  };
  const outbox = new Outbox<Call>((batch) => {
    if (isClosed) return;
    worker ??= start();
    if (open.size > 0) worker.ref();
    worker.postMessage(batch);
  });
  return {
    call: (content) => {
      if (isClosed) return Promise.resolve(null);
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        open.set(id, resolve);
        outbox.add({ id, content });
      });
    },
    close: async () => {
      isClosed = true;
      await worker?.terminate();
      for (const id of [...open.keys()]) settle(id, null);
    },
  };
}

/** The thread's half: answers each call when its work is done. The handler never rejects. */
export function serveCalls<Call, Answer>(handle: (call: Call) => Promise<Answer>): void {
  const port = parentPort;
  if (port === null) throw new Error("serveCalls runs in a worker thread only.");
  const outbox = new Outbox<Answer>((batch) => (port as MessagePort).postMessage(batch));
  port.on("message", (batch: readonly Numbered<Call>[]) => {
    for (const { id, content } of batch) {
      void handle(content).then((answer) => outbox.add({ id, content: answer }));
    }
  });
}
