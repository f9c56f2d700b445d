import type { OnStep, RunStep } from "../../../contract/result.ts";
import type { Reach, ReachRules } from "../../../platform/net/reach.ts";
import type { NameResolver } from "../../../platform/net/resolve.ts";

/** Collects the messages of one event loop turn and posts them together. */
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

/** Resources that a prober's code receives in the socket thread. */
export interface SocketTools {
  readonly resolver: NameResolver;
  /** Address guard, which decides whether the code may connect to an address. */
  readonly reach: Reach;
  /** Addresses of DNS servers to query, in the format of `ThreadStart.nameServers`. */
  readonly nameServers?: readonly string[] | null;
  /** Reports the progress of the call. Present only if the caller requested progress. */
  readonly onStep?: OnStep;
}

/**
 * Type of the `serve` function that a module exports for the socket thread. Network errors never
 * reject the promise.
 */
export type Serve<Call, Answer> = (call: Call, tools: SocketTools) => Promise<Answer>;

export interface CallMessage {
  readonly id: number;
  readonly module: string;
  readonly content: unknown;
  readonly isWatched?: true;
}

/** Reply to a call. `failure` is set if an unexpected exception occurred. */
export interface AnswerMessage {
  readonly id: number;
  readonly content: unknown;
  readonly failure?: string;
}

/** Progress step of a call. The reply follows in a later message. */
export interface StepMessage {
  readonly id: number;
  readonly step: RunStep;
}

/** Data that the socket thread receives at its start. */
export interface ThreadStart {
  readonly reach: ReachRules;
  /**
   * DNS servers to use; `null` to use the servers of the system. An entry is an IP address, with a
   * port unless the port is 53.
   */
  readonly nameServers: readonly string[] | null;
}
