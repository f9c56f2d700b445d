import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { availableParallelism, totalmem } from "node:os";
import type { ScriptRequest } from "../script-run.ts";

/** Memory of a script that uses a browser, in multiples of the memory of a plain script. */
export const browserShares = 2;
/** Memory of a suite, which starts several browsers, in multiples of a plain script's memory. */
export const suiteShares = 4;

export function decideShares({ suite }: Pick<ScriptRequest, "suite">, browser: object | null) {
  if (suite !== undefined) return suiteShares;
  return browser === null ? 1 : browserShares;
}

/** Amount of work that a machine can run in parallel. */
export interface Capacity {
  readonly slots: number;
  /**
   * Memory for parallel scripts, counted in shares. One share is the memory of a script without a
   * browser.
   */
  readonly shares: number;
}

/**
 * Derives the capacity from the cores and half of the memory, unless the number of parallel scripts
 * is configured.
 */
export function decideCapacity(
  concurrency: number | null,
  memoryBytes: number,
  machine = { cores: availableParallelism(), memoryBytes: findMemory() },
): Capacity {
  if (concurrency !== null) return { slots: concurrency, shares: Number.POSITIVE_INFINITY };
  const shares = Math.max(1, Math.floor(machine.memoryBytes / 2 / memoryBytes));
  return { slots: Math.min(machine.cores, shares), shares };
}

/**
 * Returns the memory of the machine, or of its container if that is less. A container limit of 0 or
 * a huge number means that there is no limit.
 */
function findMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || totalmem());
}

/**
 * Number of slots of a machine, which all servers on the machine share. If the runner is root, each
 * slot has its own user.
 */
export const machineSlots = 180;

/**
 * Claims slots that no other process has claimed. To claim a slot, this process listens on an
 * abstract socket name, which the kernel releases when the process ends. If too few slots are free,
 * also returns slots that other processes have claimed. The scripts in such a slot run as the same
 * user and share the process limit of this user.
 */
export async function claimSlots(
  count: number,
): Promise<{ readonly slots: readonly number[]; readonly release: () => void }> {
  const claimed: number[] = [];
  const names: Server[] = [];
  for (let slot = 0; slot < machineSlots && claimed.length < count; slot += 1) {
    const server = createServer().unref();
    try {
      await once(server.listen(`\0vedette-script-slot-${slot}`), "listening");
      claimed.push(slot);
      names.push(server);
    } catch {
      // Another process has claimed this slot.
    }
  }
  for (let slot = 0; claimed.length < count; slot += 1) {
    if (!claimed.includes(slot)) claimed.push(slot);
  }
  const release = () => {
    for (const server of names) server.close();
  };
  return { slots: claimed, release };
}

/** Slots of running scripts. A slot number belongs to only one script at a time. */
export class SlotPool {
  readonly #free: number[];
  readonly #taken = new Map<number, number>();
  readonly #shares: number;

  constructor({ shares }: Pick<Capacity, "shares">, slots: readonly number[]) {
    this.#free = [...slots];
    this.#shares = shares;
  }

  /**
   * Returns a free slot; `null` if no slot or not enough memory is free. While no other script is
   * running, every script fits.
   */
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

/** A bounded queue that serves its keys in rotation, regardless of how many items each key has. */
export class FairQueue<Item> {
  readonly #maxSize: number;
  /** Waiting items by key, in the order of the rotation. Each key has at least one item. */
  readonly #lists = new Map<string, Item[]>();
  #size = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds an item. If the queue is full, removes and returns the newest item of the key with the
   * most items, which may be the added item. Returns `null` if nothing was removed.
   */
  add(key: string, item: Item): Item | null {
    const list = this.#lists.get(key) ?? [];
    list.push(item);
    this.#lists.set(key, list);
    this.#size += 1;
    if (this.#size <= this.#maxSize) return null;
    const [longestKey, longest] = [...this.#lists].reduce((one, other) =>
      other[1].length > one[1].length ? other : one,
    );
    const removed = longest.pop() ?? null;
    if (longest.length === 0) this.#lists.delete(longestKey);
    this.#size -= 1;
    return removed;
  }

  /** Returns the item that `next` would return, without removing the item. */
  first(): Item | undefined {
    const [list] = this.#lists.values();
    return list?.[0];
  }

  next(): Item | undefined {
    const [first] = this.#lists;
    if (first === undefined) return undefined;
    const [key, list] = first;
    const item = list.shift();
    this.#lists.delete(key);
    if (list.length > 0) this.#lists.set(key, list);
    this.#size -= 1;
    return item;
  }
}
