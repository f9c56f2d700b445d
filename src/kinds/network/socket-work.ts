import type { OnStep, RunStep } from "../../contract/result.ts";
import type { Reach, ReachRules } from "./reach.ts";
import type { NameResolver } from "./resolve.ts";

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

/** Resources that the code of a kind receives in the thread. */
export interface SocketTools {
  readonly resolver: NameResolver;
  /** Decides whether an address may be connected to. */
  readonly reach: Reach;
  /** Name servers to query, as in `ThreadStart`. */
  readonly nameServers?: readonly string[] | null;
  /** Present only if someone follows the progress of the call. */
  readonly onStep?: OnStep;
}

/**
 * The function that a module for the thread exports as `serve`. It does not reject for network
 * errors.
 */
export type Serve<Call, Answer> = (call: Call, tools: SocketTools) => Promise<Answer>;

export interface CallMessage {
  readonly id: number;
  readonly module: string;
  readonly content: unknown;
  readonly isWatched?: true;
}

/** `failure` is set if an unexpected exception occurred. */
export interface AnswerMessage {
  readonly id: number;
  readonly content: unknown;
  readonly failure?: string;
}

/** A progress step of a call; its reply follows later. */
export interface StepMessage {
  readonly id: number;
  readonly step: RunStep;
}

/** Data that the thread is started with. */
export interface ThreadStart {
  readonly reach: ReachRules;
  /** Addresses of DNS servers, with a port unless it is 53; `null` for those of the system. */
  readonly nameServers: readonly string[] | null;
}
