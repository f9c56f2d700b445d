import type { Order } from "../contract/order.ts";
import type { TellStep } from "../contract/progress.ts";
import type { Outcome } from "../contract/result.ts";
import type { Reach } from "./network/reach.ts";
import type { NameResolver } from "./network/resolve.ts";
import type { SocketThread } from "./network/socket-thread.ts";
import type { KindTexts } from "./texts.ts";

/** What probers of all kinds share in one process. */
export interface ProberTools {
  readonly resolver: NameResolver;
  /** Asked about each address before it is connected to. */
  readonly reach: Reach;
  /** Where the kinds that use sockets do their work; it has a resolver and a guard of its own. */
  readonly socketThread: SocketThread;
  readonly log: (line: string) => void;
}

/** Runs orders of one kind. It never throws for what the network does: trouble is data. */
export interface Prober {
  /** The variables of the request have been filled in. */
  run(order: Order, tell?: TellStep): Promise<Outcome>;
  /** The same as its kind has. */
  readonly texts: KindTexts;
  /** Whether the measurement shows no trouble at all, not even some that is within limits. */
  isFlawless(measurement: unknown): boolean;
  /** Whether a host answers at all; for probes that ask whether their own network works. */
  isReachable?(host: string): Promise<boolean>;
  /** Whether anything can be checked here. */
  canRun(): boolean;
  /** What cannot be checked here, why, and what to type. */
  listLimitations(): readonly string[];
  /** Ends the runs that are under way; each still reports how. */
  close(): Promise<void>;
}

export type StartProber = (tools: ProberTools) => Promise<Prober>;
