import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, test } from "node:test";
import type { Worker } from "node:worker_threads";
import { type EchoRequest, type EchoRun, startIcmpEngine } from "./index.ts";
import { startWorkerThread } from "./worker-link.ts";

const probe = await startIcmpEngine({});
after(() => probe.close());
const isNative = (mode: string) => mode === "datagram" || mode === "raw";
const skip = isNative(probe.modes.IPv4.mode)
  ? false
  : `SKIPPED LOUDLY: no ICMP socket may be opened here\n${probe.modes.IPv4.reason}`;
const skip6 = isNative(probe.modes.IPv6.mode) ? skip : "SKIPPED LOUDLY: this machine has no IPv6";

const request: EchoRequest = {
  address: "127.0.0.1",
  family: "IPv4",
  pingCount: 5,
  spacingMs: 2,
  timeoutMs: 1000,
  payloadBytes: 56,
};
const endless: EchoRequest = { ...request, pingCount: 50, spacingMs: 60_000 };

function expectAllAnswered(run: EchoRun | undefined, count: number): void {
  assert.ok(run?.kind === "measured", JSON.stringify(run));
  assert.equal(run.statistics.packetsReceived, count);
  assert.equal(run.statistics.packetLossPercent, 0);
  for (const packet of run.packets) {
    assert.ok(packet.rttMs !== null && packet.rttMs >= 0 && packet.rttMs < request.timeoutMs);
    assert.equal(packet.error, null);
  }
}

test("loopback replies, with sequence numbers, timestamps and time to live", { skip }, async () => {
  const before = Date.now();
  const run = await probe.run(request);
  expectAllAnswered(run, 5);
  assert.ok(run.kind === "measured");
  assert.deepEqual(
    run.packets.map(({ sequence, ttl, type, code }) => [sequence, ttl, type, code]),
    [0, 1, 2, 3, 4].map((sequence) => [sequence, 64, 0, 0]),
  );
  assert.ok(run.packets.every(({ sentAt }) => sentAt > before - 50 && sentAt < Date.now() + 50));
});

test("any address of 127.0.0.0/8 replies", { skip }, async () => {
  const addresses = ["127.0.0.2", "127.1.2.3", "127.255.255.254"];
  const runs = await Promise.all(addresses.map((address) => probe.run({ ...request, address })));
  for (const run of runs) expectAllAnswered(run, 5);
});

test("the IPv6 loopback replies", { skip: skip6 }, async () => {
  const run = await probe.run({ ...request, address: "::1", family: "IPv6" });
  expectAllAnswered(run, 5);
  assert.equal(run.kind === "measured" && run.packets[0]?.type, 129);
});

test("runs of up to 64 packets are supported", { skip }, async () => {
  expectAllAnswered(await probe.run({ ...request, pingCount: 64, spacingMs: 0 }), 64);
});

test("two thousand runs at once lose nothing", { skip }, async () => {
  const runs = await Promise.all(
    Array.from({ length: 2000 }, (_, index) =>
      probe.run({ ...request, address: `127.9.${index >> 8}.${index & 255}` }),
    ),
  );
  for (const run of runs) expectAllAnswered(run, 5);
  const { foreign, wrongSource, duplicate, localDrops } = probe.counters();
  assert.deepEqual(
    { wrongSource, duplicate, localDrops },
    { wrongSource: 0, duplicate: 0, localDrops: 0 },
  );
  assert.ok(foreign >= 0);
});

test("an address of the wrong family or no address at all is data", { skip }, async () => {
  for (const address of ["::1", "localhost", "-c", "127.1", ""]) {
    assert.equal((await probe.run({ ...request, address })).kind, "cannot-check");
  }
});

test("numbers out of bounds are the caller's bug", async () => {
  for (const bad of [{ pingCount: 0 }, { pingCount: 65 }, { pingCount: 1.5 }, { spacingMs: -1 }]) {
    await assert.rejects(probe.run({ ...request, ...bad }), RangeError);
  }
  for (const bad of [{ timeoutMs: 0 }, { timeoutMs: Number.NaN }, { payloadBytes: -1 }]) {
    await assert.rejects(probe.run({ ...request, ...bad }), RangeError);
  }
});

test("runs beyond the limit fail at once as overloaded", { skip }, async () => {
  const engine = await startIcmpEngine({ slotCounts: { smallRuns: 2, largeRuns: 1 } });
  const open = [1, 2, 3].map(() => engine.run(endless));
  const refused = await engine.run(request);
  assert.equal(refused.kind, "overloaded");
  await engine.close();
  const kinds = (await Promise.all(open)).map((run) => run.kind);
  assert.ok(kinds.every((kind) => kind === "interrupted" || kind === "overloaded"));
});

test("closing interrupts open runs and leaves no descriptor behind", {
  skip,
}, async () => {
  const countFds = () => readdirSync("/proc/self/fd").length;
  const warmUp = await startIcmpEngine({});
  await warmUp.close();
  const before = countFds();
  const engine = await startIcmpEngine({});
  assert.ok(countFds() > before);
  const open = engine.run(endless);
  await engine.close();
  assert.equal((await open).kind, "interrupted");
  assert.equal((await engine.run(request)).kind, "interrupted");
  assert.ok(countFds() <= before, `${countFds()} descriptors after, ${before} before`);
});

test("when the worker dies, its runs are interrupted and a new worker takes over", {
  skip,
}, async () => {
  const workers: Worker[] = [];
  const lines: string[] = [];
  const restarted = Promise.withResolvers<void>();
  const engine = await startIcmpEngine({
    log: (line) => lines.push(line),
    startWorker: (start) => {
      const worker = startWorkerThread(start);
      workers.push(worker);
      if (workers.length === 2) restarted.resolve();
      return worker;
    },
  });
  const open = engine.run(endless);
  expectAllAnswered(await engine.run(request), 5);
  const counted = engine.counters().packetsSent;
  await workers[0]?.terminate();
  assert.equal((await open).kind, "interrupted");
  assert.ok(lines.some((line) => line.includes("the worker ended")));
  // The restart timer does not keep a process alive, so this timer does.
  const alive = setInterval(() => {}, 1000);
  await restarted.promise;
  let run = await engine.run(request);
  while (run.kind === "interrupted") {
    await new Promise((resolve) => setImmediate(resolve));
    run = await engine.run(request);
  }
  clearInterval(alive);
  expectAllAnswered(run, 5);
  assert.ok(engine.counters().packetsSent > counted);
  await engine.close();
});

test("closing while a new worker is still testing itself ends that worker too", {
  skip,
}, async () => {
  const workers: Worker[] = [];
  const restarted = Promise.withResolvers<void>();
  const engine = await startIcmpEngine({
    startWorker: (start) => {
      const worker = startWorkerThread(start);
      workers.push(worker);
      if (workers.length === 2) restarted.resolve();
      return worker;
    },
  });
  const alive = setInterval(() => {}, 1000);
  await workers[0]?.terminate();
  await restarted.promise;
  await engine.close();
  clearInterval(alive);
  assert.equal(workers[1]?.threadId, -1);
});

test("an engine whose worker cannot start falls back to ping or reports why not", async () => {
  const engine = await startIcmpEngine({
    pingProgram: "/nonexistent/ping",
    startWorker: (start) => {
      const worker = startWorkerThread(start);
      void worker.terminate();
      return worker;
    },
  });
  const run = await engine.run(request);
  assert.ok(run.kind === "cannot-check");
  assert.match(run.reason, /did not start/);
  await engine.close();
});
