import type { SignedOrder } from "../../../contract/order.ts";

interface OpenOrder {
  readonly order: SignedOrder;
  readonly settled: PromiseWithResolvers<void>;
}

/** A result takes a moment after the deadline; then nobody waits for it any longer. */
const graceMs = 5_000;

/** The orders that one probe has been given and not answered yet. */
export class OpenOrders {
  readonly #byRun = new Map<string, OpenOrder>();

  get size(): number {
    return this.#byRun.size;
  }

  find(runId: string): SignedOrder | null {
    return this.#byRun.get(runId)?.order ?? null;
  }

  /** Resolves when it is answered or over, rejects when the probe is gone. */
  add(order: SignedOrder): { readonly isNew: boolean; readonly settled: Promise<void> } {
    const known = this.#byRun.get(order.runId);
    if (known !== undefined) return { isNew: false, settled: known.settled.promise };
    const settled = Promise.withResolvers<void>();
    this.#byRun.set(order.runId, { order, settled });
    return { isNew: true, settled: settled.promise };
  }

  settle(runId: string): void {
    this.#byRun.get(runId)?.settled.resolve();
    this.#byRun.delete(runId);
  }

  /** What nobody answered in time is told as silence, and needs no other probe. */
  settleOverdue(nowMs: number): number {
    let count = 0;
    for (const [runId, { order }] of this.#byRun) {
      if (nowMs <= order.deadlineAtMs + graceMs) continue;
      this.settle(runId);
      count += 1;
    }
    return count;
  }

  giveBack(reason: Error): void {
    for (const { settled } of this.#byRun.values()) settled.reject(reason);
    this.#byRun.clear();
  }
}
