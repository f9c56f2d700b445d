import { Worker } from "node:worker_threads";
import type { OnStep } from "../../../contract/result.ts";
import type { SocketThread, ThreadCalls } from "../../kit/prober.ts";
import type { AnswerMessage, CallMessage, StepMessage, ThreadStart } from "./socket-work.ts";
import { Outbox } from "./socket-work.ts";

interface SocketThreadOptions extends Partial<ThreadStart> {
  readonly log: (line: string) => void;
}

/**
 * Time after which an idle thread ends. This time is longer than the usual interval of checks, so
 * that the thread does not restart for every run.
 */
const maxIdleMs = 120_000;

interface OpenCall {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (bug: Error) => void;
  readonly module: string;
  readonly onStep?: OnStep | undefined;
}

const worker = new URL("./socket-thread-worker.ts", import.meta.url);

/**
 * Creates the handle of the socket thread. A call starts the thread if it is not running. An idle
 * thread ends to release its memory: a server with only ICMP checks, for example, needs the thread
 * only to trace paths.
 */
export function createSocketThread(options: SocketThreadOptions): SocketThread {
  return new SharedThread(options);
}

class SharedThread implements SocketThread {
  readonly #start: ThreadStart;
  readonly #log: (line: string) => void;
  readonly #open = new Map<number, OpenCall>();
  readonly #outbox = new Outbox<CallMessage>((batch) => this.#post(batch));
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;
  #lastId = 0;

  constructor({ log, reach, nameServers }: SocketThreadOptions) {
    this.#log = log;
    this.#start = { reach: reach ?? { allow: [], deny: [] }, nameServers: nameServers ?? null };
  }

  open<Call, Answer>({ href: module }: URL): ThreadCalls<Call, Answer> {
    let isClosed = false;
    return {
      call: (content, onStep) =>
        isClosed
          ? Promise.resolve(null)
          : (this.#call(module, content, onStep) as Promise<Answer | null>),
      close: () => {
        isClosed = true;
        this.#giveUp((call) => call.module === module);
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#thread?.terminate();
    this.#giveUp(() => true);
  }

  #call(module: string, content: unknown, onStep?: OnStep): Promise<unknown> {
    if (this.#isClosed) return Promise.resolve(null);
    clearTimeout(this.#idle);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject, module, onStep });
      this.#outbox.add({ id, module, content, ...(onStep && { isWatched: true }) });
    });
  }

  #post(batch: readonly CallMessage[]): void {
    if (this.#isClosed) return;
    this.#thread ??= this.#startThread();
    if (this.#open.size > 0) this.#thread.ref();
    this.#thread.postMessage(batch);
  }

  #startThread(): Worker {
    const thread = new Worker(worker, {
      name: "sockets",
      workerData: this.#start,
      execArgv: ["--disable-warning=ExperimentalWarning"],
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    thread.on("message", (batch: readonly (AnswerMessage | StepMessage)[]) => {
      for (const message of batch) this.#take(message);
    });
    thread.on("error", (error) => this.#log(`The socket thread failed: ${String(error)}`));
    thread.on("exit", () => {
      if (this.#thread !== thread) return;
      this.#thread = null;
      this.#giveUp(() => true);
    });
    return thread;
  }

  #take(message: AnswerMessage | StepMessage): void {
    if ("step" in message) {
      this.#open.get(message.id)?.onStep?.(message.step);
      return;
    }
    const { id, content, failure } = message;
    // The error may contain values of variables. The caller masks these values before it logs the
    // error.
    if (failure === undefined) this.#end(id)?.resolve(content);
    else this.#end(id)?.reject(new Error(failure));
  }

  #giveUp(isMeant: (call: OpenCall) => boolean): void {
    for (const [id, call] of [...this.#open]) if (isMeant(call)) this.#end(id)?.resolve(null);
  }

  #end(id: number): OpenCall | undefined {
    const call = this.#open.get(id);
    this.#open.delete(id);
    if (this.#open.size === 0) this.#rest();
    return call;
  }

  #rest(): void {
    clearTimeout(this.#idle);
    // The thread is unreferenced while idle, so that it does not keep the process alive.
    this.#thread?.unref();
    this.#idle = setTimeout(() => {
      const thread = this.#thread;
      this.#thread = null;
      void thread?.terminate();
    }, maxIdleMs).unref();
  }
}
