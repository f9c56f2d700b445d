import { parseOrder, type SignedOrder } from "../contract/order.ts";
import type { TrialEvent } from "../contract/progress.ts";
import type { SignedResult } from "../contract/result.ts";
import { type Bus, ReturnedMessageError } from "../platform/bus.ts";
import type { Log } from "../platform/log.ts";
import { Progress } from "../platform/progress.ts";

/** What a probe's worker needs of a bus. */
export type WorkerBus = Pick<Bus, "publish" | "consumeEach">;

export const linkSubjects = { orders: "orders", results: "results", news: "news" } as const;

export interface LinkBusOptions {
  readonly addResults: (results: readonly SignedResult[]) => void;
  readonly sendNews: (news: readonly TrialEvent[]) => void;
  readonly nowMs: () => number;
  readonly log: Log;
}

/** An order may come a second time while its result is on its way. */
const rememberedMs = 60_000;
const maxRemembered = 100_000;

/** The link to one server as a bus, so that a worker is the same wherever it works. */
export class LinkBus implements WorkerBus {
  readonly #options: LinkBusOptions;
  /** Until when a run need not be made again. */
  readonly #known = new Map<string, number>();
  #handle: ((order: SignedOrder) => Promise<void>) | null = null;

  constructor(options: LinkBusOptions) {
    this.#options = options;
  }

  /** Those that the worker has not had yet. */
  takeOrders(values: readonly unknown[]): void {
    for (const value of values) this.takeOrder(value).catch(() => {});
  }

  /** Resolves when its result is kept; rejects when somebody else should have it. */
  async takeOrder(value: unknown): Promise<void> {
    this.#forgetOld();
    const order = parseOrder(value);
    if (order === null) this.#options.log.warn("an order cannot be understood");
    if (order === null || this.#known.has(order.runId)) return;
    if (this.#handle === null) throw new ReturnedMessageError();
    this.#known.set(order.runId, order.deadlineAtMs + rememberedMs);
    await this.#handle(order).catch((error) => {
      this.#options.log.error({ err: error, runId: order.runId }, "an order failed");
    });
  }

  readonly publish: WorkerBus["publish"] = async (subject, messages) => {
    if (subject === linkSubjects.results) {
      this.#options.addResults(messages as readonly unknown[] as readonly SignedResult[]);
    } else this.#options.sendNews(messages as readonly unknown[] as readonly TrialEvent[]);
  };

  readonly consumeEach: WorkerBus["consumeEach"] = (subject, { handle }) => {
    const progress = new Progress({ name: subject });
    const open = new Set<Promise<void>>();
    this.#handle = async (order) => {
      const handled = handle(order as Parameters<typeof handle>[0], subject);
      open.add(handled);
      await handled.finally(() => open.delete(handled));
    };
    return {
      progress: () => progress.state(),
      stop: async () => {
        this.#handle = null;
        await Promise.allSettled(open);
      },
    };
  };

  #forgetOld(): void {
    const nowMs = this.#options.nowMs();
    for (const [runId, untilMs] of this.#known) {
      if (untilMs < nowMs || this.#known.size > maxRemembered) this.#known.delete(runId);
      else break;
    }
  }
}
