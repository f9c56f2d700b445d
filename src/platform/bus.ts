import type { Log } from "./log.ts";
import { Progress, type ProgressState } from "./progress.ts";

export interface Consumer {
  /** Waits for the batch in hand; whatever is queued stays queued. */
  readonly stop: () => Promise<void>;
  readonly progress: () => ProgressState;
}

export interface ConsumeOptions<Message> {
  /** What the consumer does, for those who look whether it gets on; the subject by default. */
  readonly name?: string;
  readonly maxBatch: number;
  /** Resolving acknowledges the batch; a batch that fails is handed over again. */
  readonly handle: (batch: readonly Message[]) => Promise<void>;
}

/** How orders reach probes and results come back. Delivery is at least once. */
export interface Bus {
  /** Waits while the subject is full: publishers are slowed down, and nothing is lost. */
  readonly publish: <Message>(subject: string, messages: readonly Message[]) => Promise<void>;
  readonly consume: <Message>(subject: string, options: ConsumeOptions<Message>) => Consumer;
  readonly depth: (subject: string) => number;
}

const maxQueued = 100_000;
const retryMs = 500;

/** A subject of the in-process bus: a queue with waiting publishers and one or more consumers. */
class Subject {
  messages: unknown[] = [];
  readonly #waitingForSpace: (() => void)[] = [];
  readonly #waitingForMessages: (() => void)[] = [];

  async put(messages: readonly unknown[]): Promise<void> {
    while (this.messages.length >= maxQueued) {
      await new Promise<void>((resume) => this.#waitingForSpace.push(resume));
    }
    for (const message of messages) this.messages.push(message);
    this.wake();
  }

  take(count: number): unknown[] {
    const taken = this.messages.splice(0, count);
    for (const resume of this.#waitingForSpace.splice(0)) resume();
    return taken;
  }

  giveBack(messages: readonly unknown[]): void {
    this.messages = [...messages, ...this.messages];
    this.wake();
  }

  waitForMessages(): Promise<void> {
    return new Promise((resume) => this.#waitingForMessages.push(resume));
  }

  wake(): void {
    for (const resume of this.#waitingForMessages.splice(0)) resume();
  }
}

/** For one process. Its twin over NATS JetStream keeps the same promises across many. */
export function createInProcessBus(log: Log): Bus {
  const subjects = new Map<string, Subject>();
  const subjectNamed = (name: string): Subject => {
    const subject = subjects.get(name) ?? new Subject();
    subjects.set(name, subject);
    return subject;
  };

  return {
    publish: (name, messages) => subjectNamed(name).put(messages),
    depth: (name) => subjectNamed(name).messages.length,
    consume: <Message>(name: string, options: ConsumeOptions<Message>) => {
      const { maxBatch, handle } = options;
      const subject = subjectNamed(name);
      const progress = new Progress({ name: options.name ?? name });
      let isStopped = false;
      const run = async () => {
        while (!isStopped) {
          if (subject.messages.length === 0) {
            await subject.waitForMessages();
            continue;
          }
          const batch = subject.take(maxBatch);
          progress.begin();
          try {
            await handle(batch as Message[]);
            progress.succeed();
          } catch (error) {
            progress.fail();
            log.warn({ err: error, subject: name }, "a batch failed and will be handed over again");
            subject.giveBack(batch);
            await new Promise((resume) => setTimeout(resume, retryMs));
          }
        }
      };
      const done = run();
      return {
        progress: () => progress.state(),
        stop: async () => {
          isStopped = true;
          subject.wake();
          await done;
        },
      };
    },
  };
}
