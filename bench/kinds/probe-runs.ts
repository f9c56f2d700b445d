/** Runs checks as a probe does: orders over the bus, the prober in its thread, results. */

import type { Order } from "../../src/contract/order.ts";
import type { Result } from "../../src/contract/result.ts";
import { type CheckType, kinds } from "../../src/kinds/index.ts";
import { probers } from "../../src/kinds/probers.ts";
import { createSocketThread } from "../../src/kinds/wire/network/socket-thread.ts";
import { createInProcessBus } from "../../src/platform/bus.ts";
import { createLog } from "../../src/platform/log.ts";
import { createReach } from "../../src/platform/net/reach.ts";
import { createNameResolver } from "../../src/platform/net/resolve.ts";
import { startProbers } from "../../src/probe/prober-set.ts";
import { startProbeWorker } from "../../src/probe/worker.ts";
import { noAssets, noScripts } from "../../test/support/scripts/no-scripts.ts";

const common = { shouldFail: false, degradedResponseTime: null, maxResponseTime: 10_000 };
const subjects = { orders: "orders", results: "results", news: "news" };

/** Converts settings to a request, which a server does once and not for every run. */
export function toRequest(type: CheckType, request: object): unknown {
  const kind = kinds[type];
  return kind.toRequest({ ...common, ...kind.mergeSettings(null, { request }) });
}

function makeOrder(type: CheckType, request: unknown, at: number): Order {
  const nowMs = Date.now();
  return {
    runId: `run-${at}`,
    checkId: `check-${at}`,
    kind: type,
    location: "home",
    attempt: 1,
    dueAtMs: nowMs,
    startAtMs: nowMs,
    deadlineAtMs: nowMs + 60_000,
    request,
  };
}

export interface ProbeRuns {
  /** Executes one run, which must measure something. The request is one of `toRequest`. */
  run(request: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export async function startProbeRuns(
  type: keyof typeof probers,
  nameServers?: readonly string[],
): Promise<ProbeRuns> {
  const log = createLog("warn");
  const bus = createInProcessBus(log);
  const tell = (line: string) => log.warn(line);
  const socketThread = createSocketThread({ log: tell, ...(nameServers && { nameServers }) });
  const reach = createReach({ allow: [], deny: [] });
  const scripting = { scripts: noScripts, assets: noAssets };
  const tools = { resolver: createNameResolver(), reach, socketThread, ...scripting, log: tell };
  const prober = await startProbers({ [type]: probers[type] }, tools);
  const worker = startProbeWorker({
    bus,
    log,
    probeId: "probe",
    run: (order) => prober.run(order, false),
    orderSubject: subjects.orders,
    resultSubject: subjects.results,
    trialSubjectOf: () => subjects.news,
    nowMs: () => Date.now(),
  });
  const open = new Map<string, (result: Result) => void>();
  const consumer = bus.consume<Result>(subjects.results, {
    maxBatch: 500,
    handle: async (results) => {
      for (const result of results) open.get(result.runId)?.(result);
    },
  });
  let count = 0;
  const run = async (request: unknown) => {
    count += 1;
    const order = makeOrder(type, request, count);
    const { promise, resolve } = Promise.withResolvers<Result>();
    open.set(order.runId, resolve);
    await bus.publish(subjects.orders, [order]);
    const { outcome } = await promise;
    open.delete(order.runId);
    if (outcome.kind !== "measured") throw new Error(JSON.stringify(outcome));
    return outcome.measurement;
  };
  const close = async () => {
    await worker.drain(0);
    await prober.close();
    await socketThread.close();
    await consumer.stop();
  };
  return { run, close };
}
