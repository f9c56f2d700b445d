import type { Log } from "./log.ts";
import { Progress, type ProgressState } from "./progress.ts";

/** Queue of one subject: waiting messages, number in progress, and publishers waiting for space. */
class Queue {
  readonly subject: string;
  messages: unknown[] = [];
  inHand = 0;
  readonly #maxQueued: number;
  readonly #waitingForSpace: (() => void)[] = [];

  constructor(subject: string, maxQueued: number) {
    this.subject = subject;
    this.#maxQueued = maxQueued;
  }

  get isFull(): boolean {
    return this.size >= this.#maxQueued;
  }

  get size(): number {
    return this.messages.length + this.inHand;
  }

  get isIdle(): boolean {
    return this.size === 0 && this.#waitingForSpace.length === 0;
  }

  waitForSpace(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waitingForSpace.push(resolve);
    const giveUp = () => reject(signal?.reason);
    signal?.addEventListener("abort", giveUp, { once: true });
    return promise.finally(() => signal?.removeEventListener("abort", giveUp));
  }

  take(count: number): unknown[] {
    const taken = this.messages.splice(0, count);
    this.inHand += taken.length;
    return taken;
  }

  acknowledge(count: number): void {
    this.inHand -= count;
    for (const resume of this.#waitingForSpace.splice(0)) resume();
  }

  requeue(messages: readonly unknown[]): void {
    this.inHand -= messages.length;
    this.messages = [...messages, ...this.messages];
  }
}

export interface Consumer {
  /** Stops accepting messages and waits for those in progress. Queued messages stay queued. */
  readonly stop: () => Promise<void>;
  readonly progress: () => ProgressState;
}

export interface ConsumeOptions<Message> {
  /** Name under which the progress of this consumer is reported. By default, it is the subject. */
  readonly name?: string;
  readonly maxBatch: number;
  /**
   * Lets the in-process bus collect larger batches while messages arrive fast. Other buses ignore
   * it.
   */
  readonly gather?: Gathering;
  /**
   * Handles a batch. If it resolves, the batch is acknowledged; if it rejects, the batch is
   * delivered again. `subjects` contains the subject of each message, in the order of the batch.
   */
  readonly handle: (batch: readonly Message[], subjects: readonly string[]) => Promise<void>;
}

/**
 * After a batch of at least `from` messages, the bus waits `ms` milliseconds, so that the next
 * batch is larger. It does not wait after a full batch.
 */
interface Gathering {
  readonly from: number;
  readonly ms: number;
}

export interface ConsumeEachOptions<Message> {
  readonly name?: string;
  /** Maximum number of messages that are handled at the same time. */
  readonly maxOpen: number;
  /**
   * Handles one message. If it resolves, the message is acknowledged; if it rejects, the message is
   * delivered again.
   */
  readonly handle: (message: Message, subject: string) => Promise<void>;
}

export interface PublishOptions<Message> {
  /**
   * Returns the id of a message. A bus with deduplication drops a message whose id it has seen
   * recently.
   */
  readonly idOf?: (message: Message) => string;
  /**
   * If the signal is aborted, messages that the bus has not accepted yet are dropped and `publish`
   * rejects.
   */
  readonly signal?: AbortSignal;
}

/**
 * Carries work to probes and results back to servers, as JSON messages. Messages of one subject are
 * delivered at least once and, except for redeliveries, in order. Each message is delivered to one
 * of the consumers of its subject. A consumer may subscribe to all subjects with a prefix
 * (`results.>`). Two patterns must be equal or must not overlap: `results.a` and `results.>` cannot
 * be used together.
 */
export interface Bus {
  /**
   * Whether the bus is shared with other processes and keeps its messages when this process
   * restarts.
   */
  readonly isDurable: boolean;
  /** Resolves when the bus has accepted all messages; waits while the subject's queue is full. */
  readonly publish: <Message>(
    subject: string,
    messages: readonly Message[],
    options?: PublishOptions<Message>,
  ) => Promise<void>;
  readonly consume: <Message>(subject: string, options: ConsumeOptions<Message>) => Consumer;
  readonly consumeEach: <Message>(
    subject: string,
    options: ConsumeEachOptions<Message>,
  ) => Consumer;
  /**
   * Number of unacknowledged messages of a subject or pattern. Messages that wait and messages in
   * progress both count.
   */
  readonly depth: (subject: string) => Promise<number>;
  /** Number of messages, waiting or in progress, that would be lost if this process ended. */
  readonly volatileDepth: (subject: string) => number;
}

/**
 * Thrown if messages exceed the size limit of the bus. The bus has accepted all other messages of
 * the call.
 */
export class MessageTooBigError extends Error {
  readonly places: readonly number[];
  readonly maxBytes: number;

  constructor(subject: string, places: readonly number[], maxBytes: number) {
    super(`${places.length} messages for ${subject} have more than ${maxBytes} bytes`);
    this.places = places;
    this.maxBytes = maxBytes;
  }
}

/** Thrown by a handler to return a message for another consumer; not counted as a failure. */
export class ReturnedMessageError extends Error {
  constructor() {
    super("The message is returned for another consumer.");
  }
}

/** Number of unacknowledged messages per subject at which publishers have to wait. */
const maxQueued = 100_000;
/** Delay before a failed message is delivered again. */
export const retryMs = 500;

export function doesSubjectMatch(pattern: string, subject: string): boolean {
  return pattern.endsWith(".>") ? subject.startsWith(pattern.slice(0, -1)) : pattern === subject;
}

interface Taken {
  readonly queue: Queue;
  readonly messages: readonly unknown[];
}

/** A consumer waiting for messages. */
interface Waiting {
  readonly pattern: string;
  wake: () => void;
}

class Queues {
  readonly #maxQueued: number;
  readonly #bySubject = new Map<string, Queue>();
  readonly #waiting = new Set<Waiting>();
  /**
   * Number of calls of `take`. The number determines the queue that `take` reads first, so that
   * each queue gets a turn.
   */
  #turn = 0;

  constructor(maxQueued: number) {
    this.#maxQueued = maxQueued;
  }

  list(pattern: string): Queue[] {
    if (!pattern.endsWith(".>")) {
      const queue = this.#bySubject.get(pattern);
      return queue === undefined ? [] : [queue];
    }
    const queues = [...this.#bySubject.values()];
    return queues.filter(({ subject }) => doesSubjectMatch(pattern, subject));
  }

  count(pattern: string): number {
    return this.list(pattern).reduce((total, { size }) => total + size, 0);
  }

  async put(
    subject: string,
    messages: readonly unknown[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    let queue = this.#open(subject);
    while (queue.isFull) {
      await queue.waitForSpace(signal);
      // An idle queue is deleted, so the subject may have a new queue after the wait.
      queue = this.#open(subject);
    }
    for (const message of messages) queue.messages.push(message);
    this.wake(subject);
  }

  #open(subject: string): Queue {
    const queue = this.#bySubject.get(subject) ?? new Queue(subject, this.#maxQueued);
    this.#bySubject.set(subject, queue);
    return queue;
  }

  take(pattern: string, count: number): Taken[] {
    const queues = this.list(pattern).filter(({ messages }) => messages.length > 0);
    const taken: Taken[] = [];
    let left = count;
    this.#turn += 1;
    for (let at = 0; at < queues.length && left > 0; at += 1) {
      const queue = queues[(at + this.#turn) % queues.length];
      if (queue === undefined) continue;
      const messages = queue.take(left);
      left -= messages.length;
      taken.push({ queue, messages });
    }
    return taken;
  }

  acknowledge({ queue, messages }: Taken): void {
    queue.acknowledge(messages.length);
    if (queue.isIdle) this.#bySubject.delete(queue.subject);
  }

  requeue({ queue, messages }: Taken): void {
    queue.requeue(messages);
    this.wake(queue.subject);
  }

  /** Resolves when messages may be available, or when `waiting.wake` is called. */
  wait(waiting: Waiting): Promise<void> {
    if (this.list(waiting.pattern).some(({ messages }) => messages.length > 0)) {
      return Promise.resolve();
    }
    return new Promise((resume) => {
      this.#waiting.add(waiting);
      waiting.wake = () => {
        this.#waiting.delete(waiting);
        resume();
      };
    });
  }

  wake(subject: string): void {
    for (const waiting of [...this.#waiting]) {
      if (doesSubjectMatch(waiting.pattern, subject)) waiting.wake();
    }
  }
}

const again = "failed and will be delivered again";

function startConsumer<Message>(
  queues: Queues,
  pattern: string,
  { name, maxBatch, gather, handle }: ConsumeOptions<Message>,
  log: Log,
): Consumer {
  const progress = new Progress({ name: name ?? pattern });
  const waiting: Waiting = { pattern, wake: () => {} };
  let isStopped = false;
  const handleBatch = async (taken: readonly Taken[]) => {
    const batch = taken.flatMap(({ messages }) => messages) as Message[];
    const subjects = taken.flatMap(({ queue, messages }) => messages.map(() => queue.subject));
    progress.begin();
    try {
      await handle(batch, subjects);
      progress.succeed();
      for (const one of taken) queues.acknowledge(one);
    } catch (error) {
      progress.fail();
      log.warn({ err: error, subject: pattern, messages: batch.length }, `a batch ${again}`);
      for (const one of taken) queues.requeue(one);
      await new Promise((resume) => setTimeout(resume, retryMs));
    }
  };
  const run = async () => {
    while (!isStopped) {
      const taken = queues.take(pattern, maxBatch);
      if (taken.length === 0) {
        await queues.wait(waiting);
        continue;
      }
      await handleBatch(taken);
      const size = taken.reduce((sum, { messages }) => sum + messages.length, 0);
      if (gather === undefined || isStopped || size < gather.from || size >= maxBatch) continue;
      await new Promise((resume) => setTimeout(resume, gather.ms));
    }
  };
  const done = run();
  return {
    progress: () => progress.state(),
    stop: async () => {
      isStopped = true;
      waiting.wake();
      await done;
    },
  };
}

/** Holds failed messages until they are delivered again. */
class Resting {
  readonly #queues: Queues;
  readonly #byTimer = new Map<NodeJS.Timeout, Taken>();
  #isOver = false;

  constructor(queues: Queues) {
    this.#queues = queues;
  }

  add(taken: Taken): void {
    if (this.#isOver) {
      this.#queues.requeue(taken);
      return;
    }
    const timer = setTimeout(() => {
      this.#byTimer.delete(timer);
      this.#queues.requeue(taken);
    }, retryMs);
    this.#byTimer.set(timer, taken);
  }

  end(): void {
    this.#isOver = true;
    for (const [timer, taken] of this.#byTimer) {
      clearTimeout(timer);
      this.#queues.requeue(taken);
    }
    this.#byTimer.clear();
  }
}

function startEachConsumer<Message>(
  queues: Queues,
  pattern: string,
  { name, maxOpen, handle }: ConsumeEachOptions<Message>,
  log: Log,
): Consumer {
  const progress = new Progress({ name: name ?? pattern });
  const waiting: Waiting = { pattern, wake: () => {} };
  const open = new Set<Promise<void>>();
  const resting = new Resting(queues);
  let isStopped = false;
  let onRoom = () => {};
  const handleOne = async (taken: Taken) => {
    try {
      await handle(taken.messages[0] as Message, taken.queue.subject);
      progress.succeed();
      queues.acknowledge(taken);
    } catch (error) {
      if (!(error instanceof ReturnedMessageError)) {
        progress.fail();
        log.warn({ err: error, subject: pattern }, `a message ${again}`);
      }
      resting.add(taken);
    }
  };
  const begin = (taken: Taken) => {
    const handled = handleOne(taken).finally(() => {
      open.delete(handled);
      onRoom();
    });
    open.add(handled);
  };
  const run = async () => {
    while (!isStopped) {
      const room = maxOpen - open.size;
      const taken = room > 0 ? queues.take(pattern, room) : [];
      for (const { queue, messages } of taken) {
        for (const message of messages) begin({ queue, messages: [message] });
      }
      if (taken.length > 0) continue;
      if (room > 0) await queues.wait(waiting);
      else {
        await new Promise<void>((resume) => {
          onRoom = resume;
        });
      }
    }
  };
  const done = run();
  return {
    progress: () => progress.state(),
    stop: async () => {
      isStopped = true;
      resting.end();
      waiting.wake();
      onRoom();
      await done;
      await Promise.all(open);
    },
  };
}

/** Creates a bus within one process, with the same guarantees as the bus over NATS JetStream. */
export function createInProcessBus(log: Log, limits = { maxQueued }): Bus {
  const queues = new Queues(limits.maxQueued);
  return {
    isDurable: false,
    publish: (subject, messages, { signal } = {}) => queues.put(subject, messages, signal),
    consume: (pattern, options) => startConsumer(queues, pattern, options, log),
    consumeEach: (pattern, options) => startEachConsumer(queues, pattern, options, log),
    depth: async (pattern) => queues.count(pattern),
    volatileDepth: (pattern) => queues.count(pattern),
  };
}
