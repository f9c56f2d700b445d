import type { Order } from "../contract/order.ts";
import { maxSteps, type RunNews, type TellStep } from "../contract/progress.ts";
import type { Outcome, Result } from "../contract/result.ts";
import type { Bus, Consumer } from "../platform/bus.ts";
import type { Log } from "../platform/log.ts";

export interface ProbeWorkerOptions {
  readonly bus: Bus;
  readonly log: Log;
  readonly probeId: string;
  /** Never rejects for what the network does. */
  readonly run: (order: Order, tell?: TellStep) => Promise<Outcome>;
  readonly orderSubject: string;
  readonly resultSubject: string;
  /** Where it says that a run starts which somebody waits for, and which steps are done. */
  readonly newsSubject: string;
  readonly nowMs: () => number;
}

/** Above this a probe reports that it is overloaded, instead of falling behind silently. */
const maxOpenRuns = 30_000;
const orderBatch = 1_000;
const resultBatch = 500;
const gatherMs = 20;
/** How long a stop waits for runs whose prober was closed; normally they end at once. */
const stopPatienceMs = 2_000;

/** Collects results for a moment, so that they are sent and recorded in batches. */
class ResultGatherer {
  readonly #options: ProbeWorkerOptions;
  #gathered: Result[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ProbeWorkerOptions) {
    this.#options = options;
  }

  add(result: Result): void {
    this.#gathered.push(result);
    if (this.#gathered.length >= resultBatch) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), gatherMs);
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const results = this.#gathered;
    this.#gathered = [];
    if (results.length > 0) await this.#options.bus.publish(this.#options.resultSubject, results);
  }
}

/** Tells the steps of one run in their order, and not without end. */
function createTelling({ bus, newsSubject }: ProbeWorkerOptions, runId: string) {
  const beganMs = performance.now();
  let told = 0;
  let last: Promise<void> = Promise.resolve();
  const publish = (news: RunNews) => {
    last = last.then(() => bus.publish(newsSubject, [news]));
    return last;
  };
  const tell: TellStep = (progress) => {
    told += 1;
    if (told > maxSteps) return;
    const elapsedMs = Math.round((performance.now() - beganMs) * 10) / 10;
    publish({ runId, elapsedMs, progress }).catch(() => {});
  };
  return { publish, tell, settle: () => last.catch(() => {}) };
}

export interface ProbeWorker {
  readonly openRuns: () => number;
  /** Takes no more orders, and waits for the open runs for the time given. */
  readonly drain: (patienceMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Takes orders, runs them within their deadline, publishes what was found. */
export function startProbeWorker(options: ProbeWorkerOptions): ProbeWorker {
  const { bus, log, probeId, run, nowMs } = options;
  const results = new ResultGatherer(options);
  let openRuns = 0;
  let onIdle = () => {};

  const report = (order: Order, startedAtMs: number, outcome: Outcome) => {
    const { runId, checkId, kind, location, attempt, dueAtMs, request } = order;
    const stoppedAtMs = nowMs();
    const result = { runId, checkId, kind, location, attempt, dueAtMs, request, startedAtMs };
    results.add({ ...result, stoppedAtMs, probeId, outcome });
  };

  const runOrder = async (order: Order) => {
    const startedAtMs = nowMs();
    if (startedAtMs > order.deadlineAtMs) {
      const message = "The order reached the probe after its deadline.";
      return report(order, startedAtMs, { kind: "too-late", message });
    }
    if (openRuns >= maxOpenRuns) {
      const message = `The probe is overloaded: ${maxOpenRuns} runs are open.`;
      return report(order, startedAtMs, { kind: "overloaded", message });
    }
    openRuns += 1;
    const telling = order.isTrial ? createTelling(options, order.runId) : undefined;
    if (telling) await telling.publish({ runId: order.runId, probeId, startedAtMs });
    try {
      const outcome = await (telling ? run(order, telling.tell) : run(order));
      await telling?.settle();
      report(order, startedAtMs, outcome);
    } catch (error) {
      log.error({ err: error, checkId: order.checkId }, "a prober failed");
      report(order, startedAtMs, { kind: "interrupted", message: "The probe failed." });
    } finally {
      openRuns -= 1;
      if (openRuns === 0) onIdle();
    }
  };

  const consumer: Consumer = bus.consume<Order>(options.orderSubject, {
    maxBatch: orderBatch,
    handle: async (orders) => {
      for (const order of orders) void runOrder(order);
    },
  });
  const drain = async (patienceMs: number) => {
    await consumer.stop();
    if (openRuns > 0 && patienceMs > 0) {
      await new Promise<void>((resume) => {
        const timer = setTimeout(resume, patienceMs);
        onIdle = () => {
          clearTimeout(timer);
          resume();
        };
      });
    }
    await results.flush();
  };
  return { openRuns: () => openRuns, drain, stop: () => drain(stopPatienceMs) };
}
