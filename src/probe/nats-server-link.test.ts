/** Results that exceed the 1 MB message limit of a real nats-server. */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import { Registry } from "prom-client";
import { captureLog } from "../../test/support/apps/log.ts";
import { findLack } from "../../test/support/programs/programs.ts";
import { startNatsServer } from "../../test/support/servers/nats-server.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import type { Result } from "../contract/result.ts";
import { createBusMetrics } from "../platform/nats/bus-metrics.ts";
import { parseNatsUrl } from "../platform/nats/nats-address.ts";
import { createNatsBus } from "../platform/nats/nats-bus.ts";
import { publishFitting } from "./nats-server-link.ts";

const skip = findLack("nats-server");

function makeResult(attempt: number, bytes: number): Result {
  const found = randomBytes(bytes).toString("base64");
  return {
    ...{ runId: randomUUID(), checkId: randomUUID(), kind: "TCP", location: "office", attempt },
    ...{ dueAtMs: 0, startedAtMs: 1, stoppedAtMs: 2, probeId: "desk", request: {} },
    outcome: { kind: "measured", measurement: { found } },
  };
}

test("a result that is too large is replaced by an error result; the others are sent unchanged", {
  skip,
}, async (t) => {
  const server = await startNatsServer();
  t.after(server.stop);
  const address = parseNatsUrl(server.url);
  assert.ok("value" in address);
  const metrics = createBusMetrics(new Registry());
  const about = { log: captureLog().log, name: "test", metrics, makesStreams: true };
  const bus = createNatsBus({ address: address.value, ...about });
  t.after(bus.loop.stop);
  const received: Result[] = [];
  const consumer = bus.consume<Result>("results.>", {
    maxBatch: 10,
    handle: async (batch) => void received.push(...batch),
  });
  t.after(consumer.stop);
  const sent = [makeResult(1, 10), makeResult(2, 1_500_000), makeResult(3, 10)];
  const idOf = ({ runId }: Result) => runId;
  await publishFitting(sent, (results) => bus.publish("results.office.us", results, { idOf }));
  await waitUntil("all results arrived", () => received.length === 3);
  const [first, tooBig, third] = received.toSorted((a, b) => a.attempt - b.attempt);
  assert.deepEqual([first, third], [sent[0], sent[2]]);
  const message = "The result is too large to send: it exceeds 1047552 bytes.";
  assert.deepEqual(tooBig, { ...sent[1], outcome: { kind: "cannot-check", message } });
});

test("any other error is passed on", async () => {
  const publish = () => Promise.reject(new Error("NATS is unavailable"));
  await assert.rejects(publishFitting([makeResult(1, 10)], publish), /NATS is unavailable/);
});
