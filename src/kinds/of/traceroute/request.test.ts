import assert from "node:assert/strict";
import { test } from "node:test";
import { traceroute } from "./index.ts";
import { createReverseNames, readHostName } from "./prober/measure.ts";
import { mayOpenRawSockets } from "./prober/permissions.ts";
import { isTracerouteRequest, type TracerouteSettings, toRequest } from "./request.ts";

function merge(before: TracerouteSettings | null, request: object): TracerouteSettings {
  const own = traceroute.mergeSettings(before, { request });
  const limits = { shouldFail: false, degradedResponseTime: null, maxResponseTime: null };
  return { ...limits, ...own } as TracerouteSettings;
}

test("a check has the defaults of existing clients", () => {
  assert.deepEqual(merge(null, { url: "a.test" }).request, {
    url: "a.test",
    protocol: "TCP",
    port: 443,
    ipFamily: "IPv4",
    maxHops: 30,
    maxUnknownHops: 15,
    ptrLookup: true,
    packetSize: null,
    timeout: 10,
    assertions: [],
  });
});

test("the port follows the protocol unless it is given", () => {
  const tcp = merge(null, { url: "a.test", port: 8_443 });
  assert.equal(merge(tcp, { maxHops: 9 }).request.port, 8_443);
  const udp = merge(tcp, { protocol: "UDP" });
  assert.equal(udp.request.port, 33_434);
  assert.equal(merge(tcp, { protocol: "UDP", port: 53 }).request.port, 53);
  const icmp = merge(udp, { protocol: "ICMP", port: 443 });
  assert.equal(icmp.request.port, null, "existing clients send one");
  assert.equal(merge(icmp, { protocol: "TCP", port: null }).request.port, 443);
});

test("faults are reported with their field", () => {
  const keysOf = (request: object) =>
    (traceroute.findFaults?.(merge(null, request)) ?? []).map(({ key }) => key);
  assert.deepEqual(keysOf({ url: "a.test" }), []);
  assert.deepEqual(keysOf({ url: "https://a.test" }), ["request.url"]);
  assert.deepEqual(keysOf({ url: "::1" }), ["request.ipFamily"]);
  assert.deepEqual(keysOf({ url: "a.test", packetSize: 1_400 }), ["request.packetSize"]);
  assert.deepEqual(keysOf({ url: "a.test", packetSize: 1_400, protocol: "UDP" }), []);
  const assertions = [
    { source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "1", property: "" },
  ];
  assert.deepEqual(keysOf({ url: "a.test", assertions }), ["request.assertions.0.property"]);
});

test("a change to TCP drops the packet size", () => {
  const udp = merge(null, { url: "a.test", protocol: "UDP", packetSize: 1_400 });
  assert.equal(merge(udp, { protocol: "TCP" }).request.packetSize, null);
});

test("the target includes the port", () => {
  assert.equal(traceroute.target(merge(null, { url: "a.test" })), "a.test:443");
  const v6 = { url: "2001:db8::1", ipFamily: "IPv6" };
  assert.equal(traceroute.target(merge(null, v6)), "[2001:db8::1]:443");
  assert.equal(traceroute.target(merge(null, { ...v6, protocol: "ICMP" })), "2001:db8::1");
});

test("a probe accepts its own requests only", () => {
  const request = toRequest(merge(null, { url: "a.test" }));
  assert.ok(isTracerouteRequest(request));
  const wrong = [
    { port: 0 },
    { port: null },
    { protocol: "SCTP" },
    { maxHops: 65 },
    { maxUnknownHops: 0 },
    { timeoutMs: 60_000 },
    { packetSize: 100_000 },
    { hostname: 7 },
  ];
  for (const change of wrong) assert.ok(!isTracerouteRequest({ ...request, ...change }));
});

test("code for existing clients has only fields that they know", () => {
  const written = traceroute.writeAsCode?.(merge(null, { url: "a.test" })) as { request: object };
  assert.ok(!("packetSize" in written.request) && "maxHops" in written.request);
});

test("a reverse name is shown only if it is a host name", () => {
  assert.equal(readHostName("Core-1.Example.net."), "core-1.example.net");
  for (const name of [
    "",
    "a b.test",
    "<script>.test",
    "x".repeat(101),
    "a\u202e.test",
    "-a.test",
  ]) {
    assert.equal(readHostName(name), null);
  }
});

test("reverse names are cached, and a failure is no name", async () => {
  const asked: string[] = [];
  let nowMs = 0;
  const names = createReverseNames({
    nowMs: () => nowMs,
    query: async (address) => {
      asked.push(address);
      if (address === "192.0.2.2") throw new Error("ENOTFOUND");
      return ["router.example.net"];
    },
  });
  assert.equal(await names.find("192.0.2.1"), "router.example.net");
  assert.equal(await names.find("192.0.2.1"), "router.example.net");
  assert.equal(await names.find("192.0.2.2"), null);
  assert.equal(await names.find("192.0.2.2"), null);
  assert.deepEqual(asked, ["192.0.2.1", "192.0.2.2"]);
  nowMs += 300_001;
  await names.find("192.0.2.1");
  assert.equal(asked.length, 3);
});

test("open queries for names are bounded", async () => {
  const gate = Promise.withResolvers<readonly string[]>();
  let count = 0;
  const names = createReverseNames({
    query: () => {
      count += 1;
      return gate.promise;
    },
  });
  const all = Array.from({ length: 500 }, (_, index) =>
    names.find(`10.0.${index >> 8}.${index & 255}`),
  );
  assert.equal(count, 64);
  gate.resolve(["a.test"]);
  const found = await Promise.all(all);
  assert.equal(found.filter((name) => name === "a.test").length, 64);
});

test("the right to open raw sockets is read from the status of the process", () => {
  assert.equal(mayOpenRawSockets("Name:\tnode\nCapEff:\t0000000000002000\nSeccomp:\t0\n"), true);
  assert.equal(mayOpenRawSockets("CapEff:\t000001ffffffffff\n"), true);
  assert.equal(mayOpenRawSockets("CapEff:\t0000000000000000\n"), false);
  assert.equal(mayOpenRawSockets(""), null);
});
