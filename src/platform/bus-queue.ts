/** Queue of one subject: waiting messages, number in progress, and publishers waiting for space. */
export class Queue {
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
