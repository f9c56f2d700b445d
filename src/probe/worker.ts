import type { Order } from "../contract/order.ts";
import {
  maxSteps,
  type OnStep,
  type RunDone,
  type RunProgress,
  type RunStarted,
  type TrialEvent,
} from "../contract/progress.ts";
import { copySignature, type NoData, type Outcome, type Result } from "../contract/result.ts";
import type { Consumer } from "../platform/bus.ts";
import type { Log } from "../platform/log.ts";
import type { WorkerBus } from "./link-bus.ts";

export interface ProbeWorkerOptions {
  readonly bus: WorkerBus;
  readonly log: Log;
  readonly probeId: string;
  /** Never rejects for what the network does. */
  readonly run: (order: Order, tell?: OnStep) => Promise<Outcome>;
  readonly orderSubject: string;
  readonly resultSubject: string;
  /** Where it tells a server of a run that somebody waits for there. */
  readonly trialSubjectOf: (serverId: string) => string;
  readonly nowMs: () => number;
}

/** Above this a probe reports that it is overloaded, instead of falling behind silently. */
const maxOpenRuns = 30_000;
/** So many more are taken, to be told that it is overloaded. */
const spareOrders = 1_000;
const resultBatch = 500;
const gatherMs = 20;
/** How long a stop waits for runs whose prober was closed; normally they end at once. */
const stopPatienceMs = 2_000;

interface Batch {
  readonly results: Result[];
  readonly published: PromiseWithResolvers<void>;
}

/** Collects results for a moment, so that they are sent and recorded in batches. */
class ResultGatherer {
  readonly #options: ProbeWorkerOptions;
  #batch: Batch | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ProbeWorkerOptions) {
    this.#options = options;
  }

  /** Resolves when the bus has it. */
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
type NewsOfTrial =
  | Pick<RunStarted, "probeId" | "startedAtMs">
  | Pick<RunProgress, "elapsedMs" | "progress">
  | Pick<RunDone, "result">;

function isTrial(order: Order): order is Trial {
  return order.isTrial === true && order.tellServer !== undefined;
}

/** Tells the steps of one run in their order, and not without end. */
function createTelling({ bus, trialSubjectOf }: ProbeWorkerOptions, trial: Trial) {
  const { runId, tellServer, tag } = trial;
  const about = { runId, tellServer, ...(tag !== undefined && { tag }) };
  const subject = trialSubjectOf(tellServer);
  const beganMs = performance.now();
  let told = 0;
  let last: Promise<void> = Promise.resolve();
  const publish = (news: NewsOfTrial) => {
    last = last.then(() => bus.publish<TrialEvent>(subject, [{ ...about, ...news }]));
    return last;
  };
  const tell: OnStep = (progress) => {
    told += 1;
    if (told > maxSteps) return;
    const elapsedMs = Math.round((performance.now() - beganMs) * 10) / 10;
    publish({ elapsedMs, progress }).catch(() => {});
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
    const whole = { ...result, stoppedAtMs, probeId, outcome, ...copySignature(order) };
    if (isTrial(order)) return createTelling(options, order).publish({ result: whole });
    return results.add(whole);
  };

  const decideRefusal = (order: Order, startedAtMs: number): NoData | null => {
    if (startedAtMs > order.deadlineAtMs) {
      return { kind: "too-late", message: "The order reached the probe after its deadline." };
    }
    if (openRuns < maxOpenRuns) return null;
    const message = `The probe is overloaded: ${maxOpenRuns} runs are open.`;
    return { kind: "overloaded", message };
  };

  const runOrder = async (order: Order, startedAtMs: number): Promise<Outcome> => {
    const telling = isTrial(order) ? createTelling(options, order) : undefined;
    try {
      if (telling) await telling.publish({ probeId, startedAtMs });
      const outcome = await (telling ? run(order, telling.tell) : run(order));
      await telling?.settle();
      return outcome;
    } catch (error) {
      log.error({ err: error, checkId: order.checkId }, "a prober failed");
      return { kind: "interrupted", message: "The probe failed." };
    }
  };

  // An order is acknowledged when its result is published: whoever dies before has not had it.
  const consumer: Consumer = bus.consumeEach<Order>(options.orderSubject, {
    maxOpen: maxOpenRuns + spareOrders,
    handle: async (order) => {
      const startedAtMs = nowMs();
      const refusal = decideRefusal(order, startedAtMs);
      if (refusal !== null) return report(order, startedAtMs, refusal);
      openRuns += 1;
      const published = report(order, startedAtMs, await runOrder(order, startedAtMs));
      openRuns -= 1;
      if (openRuns === 0) onIdle();
      return published;
    },
  });
  const drain = async (patienceMs: number) => {
    // It ends with the last run, which may take longer than anybody waits.
    consumer.stop().catch((error) => log.warn({ err: error }, "orders were not given back"));
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
