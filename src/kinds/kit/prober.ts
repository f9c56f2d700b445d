import type { Order } from "../../contract/order.ts";
import type { OnStep, Outcome } from "../../contract/result.ts";
import type { AssetRun, AssetSink } from "../../contract/run-asset.ts";
import type { Reach } from "../../platform/net/reach.ts";
import type { NameResolver } from "../../platform/net/resolve.ts";
import type { ScriptRunner } from "../../sandbox/script-run.ts";
import type { KindTexts } from "./secrets.ts";

/** Loads code that clients have uploaded for their checks. */
export interface CodeSource {
  /**
   * Returns the code with this key. If the code cannot be loaded, returns the reason as a sentence.
   */
  load(run: AssetRun, key: string): Promise<Buffer | { readonly reason: string }>;
}

export interface ThreadCalls<Call, Answer> {
  /**
   * Executes a call in the thread. Resolves to `null` if the thread ended before it replied.
   * Rejects if an unexpected exception occurred.
   */
  call(call: Call, onStep?: OnStep): Promise<Answer | null>;
  /** Resolves calls in progress and all later calls to `null`. */
  close(): void;
}

/**
 * A thread that all socket-based kinds share. The main thread cannot delay measurements in this
 * thread, and sharing one thread saves memory. The calls or replies of one event loop turn are sent
 * as one message.
 */
export interface SocketThread {
  /**
   * Returns functions that call the module with this URL. The module runs in the thread, which
   * imports the module at the first call.
   */
  open<Call, Answer>(module: URL): ThreadCalls<Call, Answer>;
  /** Ends the thread. Calls in progress and all later calls resolve to `null`. */
  close(): Promise<void>;
}

/** Resources that the probers of all kinds share in one process. */
export interface ProberTools {
  readonly resolver: NameResolver;
  /** Address guard, which decides whether a probe may connect to an address. */
  readonly reach: Reach;
  /** Thread for the socket-based kinds. The thread has its own resolver and address guard. */
  readonly socketThread: SocketThread;
  /** Runs the scripts of all kinds that have scripts. */
  readonly scripts: ScriptRunner;
  /** Stores the files of runs, such as screenshots. */
  readonly assets: AssetSink;
  /** Loads the uploaded code that checks run. Absent if no kind needs uploaded code. */
  readonly code?: CodeSource;
  readonly log: (line: string) => void;
}

/** Executes the run orders for one kind of check. Network errors are outcomes, never thrown. */
export interface Prober {
  /**
   * Executes a run order. Its variables are already filled in, unless `fillsVariables` returns
   * true.
   */
  run(order: Order, onStep?: OnStep): Promise<Outcome>;
  /**
   * The `texts` of the kind: functions with which a probe fills in the variables of a request and
   * masks hidden values in the outcome.
   */
  readonly texts: KindTexts;
  /** Returns whether the prober fills in the variables of this request itself. By default false. */
  fillsVariables?(request: unknown): boolean;
  /**
   * Returns the part of a request that is sent back with the result. By default the whole request.
   */
  shortenRequest?(request: unknown): unknown;
  /**
   * Returns `false` if a measurement shows a problem that an outage of the probe's own network
   * could have caused. While that network seems to be down, the probe keeps only measurements for
   * which this function returns `true`, and replaces every other outcome by `cannot-check`.
   */
  isFlawless(measurement: unknown): boolean;
  /** Returns whether a host responds. Probes use this function to check their own network. */
  isReachable?(host: string): Promise<boolean>;
  canRun(): boolean;
  /** Lists what this machine cannot check, each with the reason and the command that fixes it. */
  listLimitations(): readonly string[];
  /** Ends the runs in progress, each with an outcome. */
  close(): Promise<void>;
}

export type StartProber = (tools: ProberTools) => Promise<Prober>;
