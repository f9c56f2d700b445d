import { once } from "node:events";
import { createServer, type Server } from "node:net";
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

/** Decides by cores, and by half of the memory. A configured number takes precedence. */
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

/** Number of slots of a machine. Each has a user, and several servers may run on one machine. */
export const machineSlots = 180;

/**
 * Claims slots that no other process has claimed. A claim is a name in the kernel, which ends with
 * this process. If all are taken, scripts share users and so the limit of processes.
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
      // Another server uses the slot.
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

/** Slots of running scripts. A slot number belongs to one script at a time. */
export class SlotPool {
  readonly #free: number[];
  readonly #taken = new Map<number, number>();
  readonly #shares: number;

  constructor({ shares }: Pick<Capacity, "shares">, slots: readonly number[]) {
    this.#free = [...slots];
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

/** A bounded queue in which keys take turns, whatever each has waiting. */
export class FairQueue<Item> {
  readonly #maxSize: number;
  /** In the order of their turns; each has at least one item. */
  readonly #lists = new Map<string, Item[]>();
  #size = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Returns the item that there is no room for: the newest of the key with the most items, which
   * may be the new one; `null` if there is room.
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

  /** Returns what `next` would return. */
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
