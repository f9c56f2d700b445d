/** Batches the messages of one event loop turn into one post. */
export class Outbox<Message> {
  readonly #post: (batch: readonly Message[]) => void;
  #batch: Message[] = [];

  constructor(post: (batch: readonly Message[]) => void) {
    this.#post = post;
  }

  add(message: Message): void {
    this.#batch.push(message);
    if (this.#batch.length === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#post(batch);
  }
}
