import { parseOrder, type SignedOrder } from "../contract/order.ts";
import type { SignedResult, TrialEvent } from "../contract/result.ts";
import { BoundedMap } from "../platform/bounded-map.ts";
import { type Bus, ReturnedMessageError } from "../platform/bus.ts";
import type { Log } from "../platform/log.ts";
import { Progress } from "../platform/progress.ts";

/** The part of a bus that a probe's worker uses. */
export type WorkerBus = Pick<Bus, "publish" | "consumeEach">;

export const linkSubjects = { orders: "orders", results: "results", trialEvents: "news" } as const;

interface LinkBusOptions {
  readonly addResults: (results: readonly SignedResult[]) => void;
  readonly sendTrialEvents: (events: readonly TrialEvent[]) => void;
  readonly nowMs: () => number;
  readonly log: Log;
}

/** How long a run id is remembered after the run's deadline; an order may arrive twice. */
const rememberedMs = 60_000;
const maxRemembered = 100_000;

/** Presents the connection to the server as a bus, so the worker is transport-independent. */
export class LinkBus implements WorkerBus {
  readonly #options: LinkBusOptions;
  /** When each known run id may be forgotten. */
  readonly #known = new BoundedMap<string, number>(maxRemembered);
  #handle: ((order: SignedOrder) => Promise<void>) | null = null;

  constructor(options: LinkBusOptions) {
    this.#options = options;
  }

  /** Starts the runs of run orders. Ignores an order that was received before. */
  takeOrders(values: readonly unknown[]): void {
    for (const value of values) this.takeOrder(value).catch(() => {});
  }

  /** Runs an order; resolves when its result is stored. Rejects if another probe must run it. */
  async takeOrder(value: unknown): Promise<void> {
    this.#forgetOld();
    const order = parseOrder(value);
    if (order === null) this.#options.log.warn("received an invalid order");
    if (order === null || this.#known.has(order.runId)) return;
    if (this.#handle === null) throw new ReturnedMessageError();
    this.#known.set(order.runId, order.deadlineAtMs + rememberedMs);
    await this.#handle(order).catch((error) => {
      this.#options.log.error({ err: error, runId: order.runId }, "order failed");
    });
  }

  readonly publish: WorkerBus["publish"] = async (subject, messages) => {
    if (subject === linkSubjects.results) {
      this.#options.addResults(messages as readonly unknown[] as readonly SignedResult[]);
    } else this.#options.sendTrialEvents(messages as readonly unknown[] as readonly TrialEvent[]);
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
      if (untilMs >= nowMs) return;
      this.#known.delete(runId);
    }
  }
}
