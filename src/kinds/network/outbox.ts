/** Gathers what is posted in one turn of the event loop, so that it travels in one message. */
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
