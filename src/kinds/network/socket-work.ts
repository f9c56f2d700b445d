import type { RunStep, TellStep } from "../../contract/progress.ts";
import type { Reach, ReachRules } from "./reach.ts";
import type { NameResolver } from "./resolve.ts";

/** What the code of a kind is given in the thread. */
export interface SocketTools {
  readonly resolver: NameResolver;
  /** Asked about each address before it is connected to. */
  readonly reach: Reach;
  /** There only while somebody watches the call. */
  readonly tell?: TellStep;
}

/** What a module for the thread exports as `serve`. It does not reject for what the network does. */
export type Serve<Call, Answer> = (call: Call, tools: SocketTools) => Promise<Answer>;

export interface CallMessage {
  readonly id: number;
  readonly module: string;
  readonly content: unknown;
  readonly isWatched?: true;
}

/** Without an answer there is a failure: our bug, as text. */
export interface AnswerMessage {
  readonly id: number;
  readonly content: unknown;
  readonly failure?: string;
}

/** A step of a call that somebody watches; its answer is still to come. */
export interface StepMessage {
  readonly id: number;
  readonly told: RunStep;
}

/** What the thread is started with. */
export interface ThreadStart {
  readonly reach: ReachRules;
  /** Addresses of DNS servers, with a port if it is not 53; null: those of the system. */
  readonly nameServers: readonly string[] | null;
}
