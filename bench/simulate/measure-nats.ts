import { Registry } from "prom-client";
import type { SignedOrder } from "../../src/contract/order.ts";
import { createLog } from "../../src/platform/log.ts";
import { createBusMetrics } from "../../src/platform/nats/bus-metrics.ts";
import { parseNatsUrl } from "../../src/platform/nats/nats-address.ts";
import { createNatsBus } from "../../src/platform/nats/nats-bus.ts";
import { findLack } from "../../test/support/programs/programs.ts";
import { startNatsServer } from "../../test/support/servers/nats-server.ts";
import { readCpuSeconds } from "../scale/processes.ts";

const portion = 5_000;

/** Sends orders through a real nats-server, persisted and acknowledged batch by batch. */
export async function measureNats(order: SignedOrder, count: number) {
  if (findLack("nats-server") !== false) return null;
  const server = await startNatsServer();
  const parsed = parseNatsUrl(server.url);
  if ("fault" in parsed) throw new Error(parsed.fault);
  const bus = createNatsBus({
    address: parsed.value,
    log: createLog("silent"),
    name: "bench",
    metrics: createBusMetrics(new Registry()),
    makesStreams: true,
  });
  const { promise: allTaken, resolve } = Promise.withResolvers<void>();
  let taken = 0;
  const consumer = bus.consume<SignedOrder>("orders.bench", {
    maxBatch: 500,
    handle: async (batch) => {
      taken += batch.length;
      if (taken >= count) resolve();
    },
  });
  try {
    const brokerBefore = readCpuSeconds([server.pid()]);
    const cpuBefore = process.cpuUsage();
    const startedMs = performance.now();
    for (let from = 0; from < count; from += portion) {
      await bus.publish("orders.bench", new Array<SignedOrder>(portion).fill(order));
    }
    await allTaken;
    const seconds = (performance.now() - startedMs) / 1_000;
    const { user, system } = process.cpuUsage(cpuBefore);
    const brokerSeconds = readCpuSeconds([server.pid()]) - brokerBefore;
    return {
      brokerUsPerMessage: (brokerSeconds * 1e6) / count,
      clientUsPerMessage: (user + system) / count,
      messagesPerSecond: count / seconds,
    };
  } finally {
    await consumer.stop();
    await bus.loop.stop();
    await server.stop();
  }
}
