import { availableParallelism, totalmem } from "node:os";
import type { ScriptRequest } from "../script-run.ts";

/** Memory of a script with a browser, as a multiple of that of any other script. */
export const browserShares = 2;
/** A suite has several browsers. */
export const suiteShares = 4;

export function decideShares({ suite }: Pick<ScriptRequest, "suite">, browser: object | null) {
  if (suite !== undefined) return suiteShares;
  return browser === null ? 1 : browserShares;
}

/** How much a machine can run at the same time. */
export interface Capacity {
  readonly slots: number;
  /** Each is the memory of a script without a browser. */
  readonly shares: number;
}

/** Decides by cores, and by half of the memory. An operator's number is not questioned. */
export function decideCapacity(
  concurrency: number | null,
  memoryBytes: number,
  machine = { cores: availableParallelism(), memoryBytes: findMemory() },
): Capacity {
  if (concurrency !== null) return { slots: concurrency, shares: Number.POSITIVE_INFINITY };
  const shares = Math.max(1, Math.floor(machine.memoryBytes / 2 / memoryBytes));
  return { slots: Math.min(machine.cores, shares), shares };
}

/** A container has less than its machine; 0 or a huge number stands for no limit. */
function findMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || totalmem());
}

/** Slots of running scripts. A slot number belongs to one script at a time. */
export class SlotPool {
  readonly #free: number[];
  readonly #taken = new Map<number, number>();
  readonly #shares: number;

  constructor({ slots, shares }: Capacity) {
    // Slot 0 belongs to the test of the isolation.
    this.#free = Array.from({ length: slots }, (_, index) => index + 1);
    this.#shares = shares;
  }

  /** Returns `null` if there is no room now. There is always room for one script alone. */
  take(shares: number): number | null {
    const used = this.#taken.values().reduce((sum, one) => sum + one, 0);
    if (used > 0 && used + shares > this.#shares) return null;
    const slot = this.#free.shift();
    if (slot === undefined) return null;
    this.#taken.set(slot, shares);
    return slot;
  }

  release(slot: number): void {
    this.#taken.delete(slot);
    this.#free.push(slot);
  }
}
