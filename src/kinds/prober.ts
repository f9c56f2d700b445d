import type { Order } from "../contract/order.ts";
import type { OnStep, Outcome } from "../contract/result.ts";
import type { AssetRun, AssetSink } from "./assets.ts";
import type { CaptureAnswer, CaptureCall } from "./kernel/packet-capture.ts";
import type { Reach } from "./network/reach.ts";
import type { NameResolver } from "./network/resolve.ts";
import type { SocketThread } from "./network/socket-thread.ts";
import type { ScriptRunner } from "./scripts/script-run.ts";
import type { KindTexts } from "./secrets.ts";

/** Where the code that clients uploaded is. */
export interface CodeSource {
  /** Returns why it cannot be loaded, as a sentence, or the code. */
  load(run: AssetRun, key: string): Promise<Buffer | { readonly reason: string }>;
}

/** Resources that the probers of all kinds share in one process. */
export interface ProberTools {
  readonly resolver: NameResolver;
  /** Decides whether an address may be connected to. */
  readonly reach: Reach;
  /** Thread in which socket-based kinds run. It has its own resolver and address guard. */
  readonly socketThread: SocketThread;
  /** Runs the scripts of all script kinds. */
  readonly scripts: ScriptRunner;
  /** Takes the files of runs, such as screenshots. */
  readonly assets: AssetSink;
  /** Has the code that checks run. Absent if no kind needs it. */
  readonly code?: CodeSource;
  readonly log: (line: string) => void;
}

/** Runs orders of one kind. Network errors are returned as outcomes, never thrown. */
export interface Prober {
  /** The variables of the request are already filled in, unless `fillsVariables` says otherwise. */
  run(order: Order, onStep?: OnStep): Promise<Outcome>;
  /** The same object as in its kind. */
  readonly texts: KindTexts;
  /** Whether the prober fills in the variables of this request itself. By default it does not. */
  fillsVariables?(request: unknown): boolean;
  /** Returns the part of a long request that results repeat. By default all of it. */
  shortenRequest?(request: unknown): unknown;
  /** Whether the measurement shows no problem at all, not even one within the limits. */
  isFlawless(measurement: unknown): boolean;
  /** Whether a host responds; used by probes to check their own network. */
  isReachable?(host: string): Promise<boolean>;
  /** Whether this prober can run on this machine. */
  canRun(): boolean;
  /** What cannot be checked on this machine, why, and the command that fixes it. */
  listLimitations(): readonly string[];
  /** Ends the runs in progress; each still reports an outcome. */
  close(): Promise<void>;
}

export type StartProber = (tools: ProberTools) => Promise<Prober>;

const captureModule = new URL("./kernel/packet-capture.ts", import.meta.url);
const noCapture = {
  kind: "cannot-check",
  message: "This probe cannot capture packets: CAP_NET_RAW is missing, or too many captures run.",
} as const;

/**
 * Returns a function that runs an order while its packets are captured, and stores them as a file
 * of the run.
 */
export function createCaptures({ socketThread, assets, log }: ProberTools) {
  const captures = socketThread.open<CaptureCall, CaptureAnswer>(captureModule);
  return async (order: Order, run: () => Promise<Outcome>): Promise<Outcome> => {
    const { runId: id, checkId, accountId = "", capture: target } = order;
    const comment = `Headers of a repeat of the run ${id}, which failed.`;
    const isOpen = target !== undefined && (await captures.call({ id, target, comment }));
    if (isOpen !== true) return noCapture;
    const outcome = await run();
    const content = await captures.call({ id });
    if (content instanceof Uint8Array) {
      const contentType = "application/x-pcapng";
      const file = { type: "pcap", name: "packets.pcapng", contentType, content } as const;
      await assets
        .save({ accountId, checkId, runId: id }, [file])
        .catch((error) => log(`packets of a run could not be stored: ${error}`));
    }
    return outcome;
  };
}
