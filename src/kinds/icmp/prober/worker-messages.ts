import type { MessagePort } from "node:worker_threads";
import type { ProcessCookie } from "./packet.ts";
import type { FamilyFinding } from "./self-test.ts";
import type { SlotCounts } from "./slots.ts";

/** Data that the main thread passes to a new worker. */
export interface WorkerStart {
  readonly port: MessagePort;
  /** One word; non-zero means stop. */
  readonly stopFlag: Int32Array<SharedArrayBuffer>;
  readonly cookie: ProcessCookie;
  readonly slotCounts: SlotCounts;
  /** Memory of a worker that died, for reuse. */
  readonly formerArenaAddress: bigint | null;
}

/** Packed orders, or a request to retry the families that did not open. */
export type ToWorker = Uint32Array | { readonly kind: "retry-families" };

export type FromWorker =
  | {
      readonly kind: "families";
      readonly families: readonly FamilyFinding[];
      /** All descriptors that the main thread must close after the worker exits. */
      readonly fds: readonly number[];
      readonly bellFd: number;
      readonly arenaAddress: bigint;
    }
  | {
      readonly kind: "results";
      readonly results: Float64Array;
      readonly counters: Float64Array;
    };
