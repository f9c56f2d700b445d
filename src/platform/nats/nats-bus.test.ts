/** The bus over a real nats-server: the contract of all buses, then network failures. */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { createConnection } from "node:net";
import { after, before, type TestContext } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, headers } from "@nats-io/transport-node";
import { Registry } from "prom-client";
import { captureLog } from "../../../test/support/apps/log.ts";
import { capacity, testBusContract } from "../../../test/support/bus/bus-contract.ts";
import { test } from "../../../test/support/long-run.ts";
import { findLack } from "../../../test/support/programs/programs.ts";
import { type NatsServer, startNatsServer } from "../../../test/support/servers/nats-server.ts";
import { startSilentLink } from "../../../test/support/servers/silent-proxy.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { MessageTooBigError } from "../bus.ts";
import { createBusMetrics } from "./bus-metrics.ts";
import { parseNatsUrl } from "./nats-address.ts";
import { createNatsBus, type NatsBus } from "./nats-bus.ts";
import { ensureStreams, natsStreams } from "./nats-streams.ts";

const skip = findLack("nats-server");
const { log, text } = captureLog();
/** Small limits: a subject is full early, and a silent consumer loses its message early. */
const streams = natsStreams.map((stream) => ({
  ...stream,
  maxPerSubject: capacity,
  ackWaitMs: 1_000,
}));
const registry = new Registry();
const metrics = createBusMetrics(registry);
let server: NatsServer;
let bus: NatsBus;
let other: NatsBus;

function openBus(url = server.url): NatsBus {
  const parsed = parseNatsUrl(url);
  assert.ok("value" in parsed);
  const address = parsed.value;
  return createNatsBus({ address, log, name: "test", metrics, makesStreams: true, streams });
}

before(async () => {
  if (skip) return;
  server = await startNatsServer();
  bus = openBus();
  other = openBus();
});
after(async () => {
  if (skip) return;
  await Promise.all([bus.loop.stop(), other.loop.stop()]);
  await server.stop();
});

testBusContract(() => ({ bus, other }), skip);

const freshSubject = (family = "results") => `${family}.${randomUUID()}`;
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);
const readCounter = async (name: "redelivered" | "malformed" | "waits", subjects: string) => {
  const { values } = await metrics[name].get();
  return values.find(({ labels }) => labels.subjects === subjects)?.value ?? 0;
};

function collect(t: TestContext, subject: string, from = bus): number[] {
  const taken: number[] = [];
  const consumer = from.consume<number>(subject, {
    maxBatch: 100,
    handle: async (batch) => void taken.push(...batch),
  });
  t.after(consumer.stop);
  return taken;
}

test("a second message with the same id is dropped", { skip }, async () => {
  const subject = freshSubject();
  const idOf = (run: { runId: string }) => run.runId;
  const run = { runId: randomUUID() };
  await bus.publish(subject, [run, { runId: randomUUID() }], { idOf });
  await other.publish(subject, [run], { idOf });
  assert.equal(await bus.depth(subject), 2);
});

test("messages of a dead process are redelivered; those of a slow one are not", {
  skip,
}, async (t) => {
  const held = freshSubject("orders");
  const lost = freshSubject("orders");
  const dying = openBus();
  const { promise: gate, resolve: finish } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const hold = (from: NatsBus, subject: string) =>
    from.consumeEach(subject, {
      maxOpen: 1,
      handle: async (_message, at) => {
        begun.push(at);
        await gate;
      },
    });
  const atWork = hold(bus, held);
  hold(dying, lost);
  await bus.publish(held, [1]);
  await bus.publish(lost, [2]);
  await waitUntil("both are in progress", () => begun.length === 2);
  const before = await readCounter("redelivered", "orders");
  await dying.loop.stop();
  const ofHeld = collect(t, held, other);
  const ofLost = collect(t, lost, other);
  // By now the stream's ack timeout has passed for both.
  await waitUntil("another consumer has it", () => ofLost.length === 1);
  assert.deepEqual(ofHeld, []);
  assert.ok((await readCounter("redelivered", "orders")) > before);
  finish();
  await atWork.stop();
  await waitUntil("it is done", async () => (await bus.depth(held)) === 0);
  assert.deepEqual(ofHeld, []);
});

test("a message that is too large is rejected, and the others are not", { skip }, async (t) => {
  const subject = freshSubject();
  const big = randomBytes(1_500_000).toString("base64");
  const isTooBig = (error: unknown) =>
    error instanceof MessageTooBigError && error.places.join() === "1";
  await assert.rejects(bus.publish<unknown>(subject, [1, big, 2]), isTooBig);
  const taken = collect(t, subject);
  await waitUntil("the others arrived", () => taken.length === 2);
  assert.deepEqual(taken, [1, 2]);
});

test("an invalid message is dropped and counted", { skip }, async (t) => {
  const subject = freshSubject();
  const nc = await connect({ servers: `127.0.0.1:${server.port}` });
  t.after(() => nc.close());
  const before = await readCounter("malformed", "results");
  await nc.request(subject, "{not JSON");
  await nc.request(subject, `${"[".repeat(1_000)}${"]".repeat(1_000)}`);
  const bomb = headers();
  bomb.set("Content-Encoding", "zstd");
  const unpacked = Buffer.alloc(64 * 1_048_576);
  await nc.request(subject, zstdCompressSync(unpacked), { headers: bomb, timeout: 5_000 });
  const taken = collect(t, subject);
  await bus.publish(subject, [1]);
  await waitUntil("only the valid one remains", () => taken.length === 1);
  await waitUntil("all are gone", async () => (await bus.depth(subject)) === 0);
  // Delivery is at least once: a message whose rejection arrives late is counted again.
  const dropped = (await readCounter("malformed", "results")) - before;
  assert.ok(dropped >= 3, `${dropped} dropped`);
});

test("small messages that decompress to large ones are delivered a few at a time", {
  isLong: true,
  skip,
}, async (t) => {
  const subject = freshSubject();
  const nc = await connect({ servers: `127.0.0.1:${server.port}` });
  t.after(() => nc.close());
  const packed = headers();
  packed.set("Content-Encoding", "zstd");
  const large = zstdCompressSync(Buffer.from(JSON.stringify("x".repeat(8_000_000))));
  assert.ok(large.length < 10_000);
  const count = 20;
  for (let sent = 0; sent < count; sent += 1) {
    await nc.request(subject, large, { headers: packed, timeout: 5_000 });
  }
  const batches: number[] = [];
  const consumer = bus.consume<string>(subject, {
    maxBatch: 100,
    handle: async (batch) => void batches.push(batch.length),
  });
  t.after(consumer.stop);
  const sum = () => batches.reduce((total, size) => total + size, 0);
  await waitUntil("all are handled", () => sum() >= count);
  assert.ok(Math.max(...batches) <= 10, `${batches}`);
});

test("streams get their limits, even if they were created with others", { skip }, async (t) => {
  const nc = await connect({ servers: `127.0.0.1:${server.port}` });
  t.after(() => nc.close());
  const jsm = await jetstreamManager(nc);
  await ensureStreams(jsm, natsStreams, 1);
  for (const stream of natsStreams) {
    const { config } = await jsm.streams.info(stream.name);
    assert.equal(config.max_bytes, stream.maxBytes);
    assert.equal(config.max_msgs_per_subject, stream.maxPerSubject);
    assert.equal(config.max_age, stream.maxAgeMs * 1_000_000);
    assert.equal(config.discard, "new");
    assert.equal(config.retention, "workqueue");
    assert.equal(config.storage, stream.family === "results" ? "file" : "memory");
  }
  await ensureStreams(jsm, streams, 1);
});

test("a deleted stream is recreated and reported, and work continues", {
  skip,
}, async (t) => {
  const keeper = openBus();
  t.after(() => keeper.loop.stop());
  await keeper.publish(freshSubject(), [0]);
  assert.deepEqual(keeper.listRecreatedStreams(), [], "created for the first time or found");
  const watch = keeper.startStreamWatch() ?? assert.fail();
  t.after(watch.stop);
  const nc = await connect({ servers: `127.0.0.1:${server.port}` });
  t.after(() => nc.close());
  const { streams: api } = await jetstreamManager(nc);
  for (const { name, family } of natsStreams) {
    const subject = freshSubject(family);
    const taken = collect(t, subject, keeper);
    await keeper.publish(subject, [1]);
    await waitUntil("the consumer works", () => taken.length === 1);
    await api.delete(name);
    // The publisher waits for the stream, and its message is not lost.
    await keeper.publish(subject, [2]);
    await waitUntil("the consumer works again", () => taken.length === 2);
  }
  const names = keeper.listRecreatedStreams().map(({ name }) => name);
  assert.deepEqual(names.sort(), natsStreams.map(({ name }) => name).sort());
  const { values } = await metrics.recreated.get();
  assert.ok(values.every(({ value }) => value >= 1));
  assert.match(text(), /a NATS stream was missing and is recreated/);
});

test("after NATS was killed and restarted, stored messages remain and waiting publishers continue", {
  skip,
}, async (t) => {
  const kept = freshSubject();
  const order = freshSubject("orders");
  await bus.publish(kept, numbers(50));
  const orders = collect(t, order);
  await bus.publish(order, [1]);
  await waitUntil("the consumer works", () => orders.length === 1);
  await server.kill("SIGKILL");
  const late = bus.publish(kept, numbers(50, 50));
  const waiter = new AbortController();
  const abandoned = bus.publish(kept, [1_000], { signal: waiter.signal });
  await waitUntil("it is noticed", () => other.loop.progress().lagMs > 0);
  waiter.abort(new Error("its deadline has passed"));
  await assert.rejects(abandoned, /deadline/);
  await server.start();
  await late;
  await bus.publish(order, [2]);
  const results = collect(t, kept, other);
  await waitUntil("all came", () => results.length === 100 && orders.length === 2);
  assert.deepEqual(results, numbers(100));
  assert.equal(bus.loop.progress().lagMs, 0);
  assert.match(text(), /NATS is unavailable; reconnecting/);
});

test("a silent connection is replaced, and everything arrives once", {
  isLong: true,
  skip,
}, async (t) => {
  const subject = freshSubject();
  const proxy = await startSilentLink(() => createConnection(server.port, "127.0.0.1"));
  t.after(proxy.stop);
  const far = openBus(`nats://127.0.0.1:${proxy.port}`);
  t.after(() => far.loop.stop());
  await far.publish(subject, numbers(10));
  proxy.fallSilent();
  const late = far.publish(subject, numbers(10, 10));
  await waitUntil("the silence is noticed", () => far.loop.progress().lagMs > 0);
  proxy.speakAgain();
  await late;
  const taken = collect(t, subject, far);
  await waitUntil("all came", async () => (await bus.depth(subject)) === 0);
  assert.deepEqual(taken, numbers(20));
});

test("parses NATS addresses and rejects invalid ones", () => {
  assert.deepEqual(parseNatsUrl("nats://a, nats://us%40er:p%3Aw@b:1,tls://[::1]:2"), {
    value: { servers: ["a:4222", "b:1", "[::1]:2"], isTls: true, user: "us@er", password: "p:w" },
  });
  const faulty = ["", "a:4222", "http://a", "nats://", "nats://a/b", "nats://a?x=1", "nats://a,"];
  for (const one of faulty) assert.ok("fault" in parseNatsUrl(one), one);
});
