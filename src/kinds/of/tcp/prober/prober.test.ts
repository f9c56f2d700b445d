import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { noAssets, noScripts } from "../../../../../test/support/scripts/no-scripts.ts";
import type { Order } from "../../../../contract/order.ts";
import { createReach } from "../../../../platform/net/reach.ts";
import { createNameResolver } from "../../../../platform/net/resolve.ts";
import { createSocketThread } from "../../../wire/network/socket-thread.ts";
import { isTcpMeasurement } from "../measurement.ts";
import type { TcpRequest } from "../request.ts";
import { probeTcp } from "./measure.ts";
import { startTcpProber } from "./prober.ts";

const addresses: Readonly<Record<string, string>> = {
  "here.example": "127.0.0.1",
  "rebound.example": "169.254.169.254",
};
const resolver = createNameResolver({
  readHosts: async () => "",
  dns: {
    resolve4: async (name) => {
      const address = addresses[name];
      if (address === undefined) throw Object.assign(new Error(), { code: "ENOTFOUND" });
      return [{ address, ttl: 60 }];
    },
    resolve6: async () => [],
  },
});
const reach = createReach({ allow: [], deny: ["127.0.0.9"] });

async function startProber(t: TestContext) {
  const log = () => {};
  const socketThread = createSocketThread({ log });
  t.after(() => socketThread.close());
  return startTcpProber({
    resolver,
    reach,
    socketThread,
    scripts: noScripts,
    assets: noAssets,
    log,
  });
}

function makeRequest(port: number, changed: Partial<TcpRequest> = {}): TcpRequest {
  return {
    hostname: "localhost",
    port,
    ipFamily: "IPv4",
    data: "PING",
    answer: "wanted",
    timeoutMs: 30_000,
    ...changed,
  };
}

function makeOrder(port: number): Order {
  return {
    runId: "run",
    checkId: "check",
    kind: "TCP",
    location: "home",
    attempt: 1,
    dueAtMs: 0,
    startAtMs: 0,
    deadlineAtMs: 1,
    request: makeRequest(port),
  };
}

test("a prober connects in the socket thread and returns the result", async (t) => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => socket.end(`${bytes} back`));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const prober = await startProber(t);

  const many = await Promise.all(Array.from({ length: 50 }, () => prober.run(makeOrder(port))));
  for (const outcome of many) {
    assert.ok(outcome.kind === "measured", JSON.stringify(outcome));
    const { measurement } = outcome;
    assert.ok(isTcpMeasurement(measurement), JSON.stringify(measurement));
    assert.equal(measurement.text, "PING back");
    assert.equal(measurement.resolvedIp, "127.0.0.1");
    assert.equal(measurement.sentBytes, 4);
    assert.equal(prober.isFlawless(measurement), true);
  }

  const nonsense = { ...makeOrder(port), request: { hostname: "localhost", port: "x" } };
  assert.equal((await prober.run(nonsense)).kind, "cannot-check");
});

test("a name is resolved and its address is guarded before connecting", async () => {
  const troubleOf = async (changed: Partial<TcpRequest>) => {
    const outcome = await probeTcp(makeRequest(1, changed), { resolver, reach });
    assert.ok(outcome.kind === "unreachable", JSON.stringify(outcome));
    return [outcome.trouble.kind, outcome.trouble.code];
  };
  assert.deepEqual(await troubleOf({ hostname: "gone.example" }), ["unresolved", "ENOTFOUND"]);
  assert.deepEqual(await troubleOf({ hostname: "rebound.example" }), ["denied", "EDENIED"]);
  assert.deepEqual(await troubleOf({ hostname: "127.0.0.9" }), ["denied", "EDENIED"]);
  assert.deepEqual(await troubleOf({ hostname: "here.example" }), ["refused", "ECONNREFUSED"]);
});

test("closing interrupts the runs in progress", async (t) => {
  const connected = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    t.after(() => socket.destroy());
    connected.resolve();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const prober = await startProber(t);
  const run = prober.run(makeOrder((server.address() as AddressInfo).port));
  await connected.promise;
  await prober.close();
  assert.equal((await run).kind, "interrupted");
  assert.equal((await prober.run(makeOrder(1))).kind, "interrupted");
});
