import type { Order } from "../contract/order.ts";
import {
  copySignature,
  maxSteps,
  type NoData,
  type OnStep,
  type Outcome,
  type Result,
  type RunDone,
  type RunProgress,
  type RunStarted,
  type TrialEvent,
} from "../contract/result.ts";
import type { Consumer } from "../platform/bus.ts";
import type { Log } from "../platform/log.ts";
import type { WorkerBus } from "./link-bus.ts";

export interface ProbeWorkerOptions {
  readonly bus: WorkerBus;
  readonly log: Log;
  readonly probeId: string;
  /**
   * Runs the check of a run order. A failure of the network is returned as an outcome, not as a
   * rejection.
   */
  readonly run: (order: Order, onStep?: OnStep) => Promise<Outcome>;
  /** Returns the form of the request that results contain; by default the whole request. */
  readonly shortenRequest?: (order: Order) => unknown;
  readonly orderSubject: string;
  readonly resultSubject: string;
  /** Returns the subject on which a server receives the events of its trial runs. */
  readonly trialSubjectOf: (serverId: string) => string;
  readonly nowMs: () => number;
}

/** Maximum number of open runs. Further run orders receive an "overloaded" result. */
const maxOpenRuns = 30_000;
/**
 * Number of run orders that are accepted above `maxOpenRuns`, so that they receive an "overloaded"
 * result.
 */
const spareOrders = 1_000;
const resultBatch = 500;
const gatherMs = 20;
/**
 * How long `stop` waits for runs. The prober has been closed by then, so runs normally end at once.
 */
const stopTimeoutMs = 2_000;

interface Batch {
  readonly results: Result[];
  readonly published: PromiseWithResolvers<void>;
}

/** Collects results for a short time, so that they are sent and recorded together. */
class ResultGatherer {
  readonly #options: ProbeWorkerOptions;
  #batch: Batch | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ProbeWorkerOptions) {
    this.#options = options;
  }

  /** Adds a result to the batch; resolves when the bus has accepted the batch. */
  add(result: Result): Promise<void> {
    this.#batch ??= { results: [], published: Promise.withResolvers<void>() };
    const { results, published } = this.#batch;
    results.push(result);
    if (results.length >= resultBatch) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), gatherMs);
    return published.promise;
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch;
    this.#batch = null;
    if (batch === null) return;
    const { bus, resultSubject } = this.#options;
    await bus
      .publish(resultSubject, batch.results)
      .then(batch.published.resolve, batch.published.reject);
  }
}

type Trial = Order & { readonly tellServer: string };
type TrialUpdate =
  | Pick<RunStarted, "probeId" | "startedAtMs">
  | Pick<RunProgress, "elapsedMs" | "progress">
  | Pick<RunDone, "result">;

function isTrial(order: Order): order is Trial {
  return order.isTrial === true && order.tellServer !== undefined;
}

/** Creates a publisher for the steps of one run. Steps are published in order, up to a limit. */
function createStepPublisher({ bus, trialSubjectOf }: ProbeWorkerOptions, trial: Trial) {
  const { runId, tellServer, tag } = trial;
  const about = { runId, tellServer, ...(tag !== undefined && { tag }) };
  const subject = trialSubjectOf(tellServer);
  const beganMs = performance.now();
  let stepCount = 0;
  let last: Promise<void> = Promise.resolve();
  const publish = (update: TrialUpdate) => {
    last = last.then(() => bus.publish<TrialEvent>(subject, [{ ...about, ...update }]));
    return last;
  };
  const onStep: OnStep = (progress) => {
    stepCount += 1;
    if (stepCount > maxSteps) return;
    const elapsedMs = Math.round((performance.now() - beganMs) * 10) / 10;
    publish({ elapsedMs, progress }).catch(() => {});
  };
  return { publish, onStep, settle: () => last.catch(() => {}) };
}

interface ProbeWorker {
  readonly openRuns: () => number;
  /** Stops accepting run orders, and waits until all open runs have ended or until the timeout. */
  readonly drain: (timeoutMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Consumes run orders, executes them and publishes the results. */
export function startProbeWorker(options: ProbeWorkerOptions): ProbeWorker {
  const { bus, log, probeId, run, nowMs } = options;
  const results = new ResultGatherer(options);
  let openRuns = 0;
  let onIdle = () => {};

  const report = (order: Order, startedAtMs: number, outcome: Outcome) => {
    const { runId, checkId, kind, location, attempt, dueAtMs } = order;
    const { shortenRequest = () => order.request } = options;
    const request = shortenRequest(order);
    const stoppedAtMs = nowMs();
    const result = { runId, checkId, kind, location, attempt, dueAtMs, request, startedAtMs };
    const whole = { ...result, stoppedAtMs, probeId, outcome, ...copySignature(order) };
    if (isTrial(order)) return createStepPublisher(options, order).publish({ result: whole });
    return results.add(whole);
  };

  const decideRejection = (order: Order, startedAtMs: number): NoData | null => {
    if (startedAtMs > order.deadlineAtMs) {
      return { kind: "too-late", message: "The order reached the probe after its deadline." };
    }
    if (openRuns < maxOpenRuns) return null;
    const message = `The probe is overloaded: ${maxOpenRuns} runs are open.`;
    return { kind: "overloaded", message };
  };

  const runOrder = async (order: Order, startedAtMs: number): Promise<Outcome> => {
    const publisher = isTrial(order) ? createStepPublisher(options, order) : undefined;
    try {
      if (publisher) await publisher.publish({ probeId, startedAtMs });
      const outcome = await (publisher ? run(order, publisher.onStep) : run(order));
      await publisher?.settle();
      return outcome;
    } catch (error) {
      log.error({ err: error, checkId: order.checkId }, "a prober failed");
      return { kind: "interrupted", message: "The probe failed." };
    }
  };

  // An order is acknowledged when its result is published. If the process dies earlier, the order
  // is redelivered.
  const consumer: Consumer = bus.consumeEach<Order>(options.orderSubject, {
    maxOpen: maxOpenRuns + spareOrders,
    handle: async (order) => {
      const startedAtMs = nowMs();
      const rejection = decideRejection(order, startedAtMs);
      if (rejection !== null) return report(order, startedAtMs, rejection);
      openRuns += 1;
      const published = report(order, startedAtMs, await runOrder(order, startedAtMs));
      openRuns -= 1;
      if (openRuns === 0) onIdle();
      return published;
    },
  });
  const drain = async (timeoutMs: number) => {
    // The stop is not awaited, because it waits for the last run, which may exceed the timeout.
    consumer.stop().catch((error) => log.warn({ err: error }, "failed to return orders"));
    if (openRuns > 0 && timeoutMs > 0) {
      await new Promise<void>((resume) => {
        const timer = setTimeout(resume, timeoutMs);
        onIdle = () => {
          clearTimeout(timer);
          resume();
        };
      });
    }
    await results.flush();
  };
  return { openRuns: () => openRuns, drain, stop: () => drain(stopTimeoutMs) };
}
