import assert from "node:assert/strict";
import { test } from "node:test";
import { deadlineMs, findFaults, isIcmpRequest, mergeSettings, toRequest } from "./request.ts";

const assertion = {
  source: "LATENCY",
  property: "avg",
  comparison: "LESS_THAN",
  target: "200",
} as const;

test("omitted fields have their default, and null restores the default", () => {
  const created = mergeSettings(null, { request: { hostname: "router.example.com" } });
  assert.deepEqual(created, {
    degradedPacketLossThreshold: 10,
    maxPacketLossThreshold: 20,
    request: { hostname: "router.example.com", ipFamily: "IPv4", pingCount: 10, assertions: [] },
  });
  const changed = mergeSettings(created, {
    maxPacketLossThreshold: 0,
    request: { ipFamily: "IPv6", pingCount: 50, assertions: [{ ...assertion }] },
  });
  assert.equal(changed.maxPacketLossThreshold, 0);
  assert.deepEqual(changed.request, {
    hostname: "router.example.com",
    ipFamily: "IPv6",
    pingCount: 50,
    assertions: [assertion],
  });
  const restored = mergeSettings(changed, { request: { ipFamily: null, pingCount: null } });
  assert.deepEqual([restored.request.ipFamily, restored.request.pingCount], ["IPv4", 10]);
  assert.deepEqual(restored.request.assertions, [assertion]);
  assert.deepEqual(mergeSettings(changed, {}), changed);
});

test("a fault names the field and the rule", () => {
  const settings = mergeSettings(null, { request: { hostname: "192.0.2.1" } });
  assert.deepEqual(findFaults(settings), []);
  const keysOf = (request: Partial<typeof settings.request>) =>
    findFaults({ ...settings, request: { ...settings.request, ...request } }).map(({ key }) => key);
  assert.deepEqual(keysOf({ hostname: "" }), ["request.hostname"]);
  assert.deepEqual(keysOf({ hostname: "https://example.com" }), ["request.hostname"]);
  assert.deepEqual(keysOf({ ipFamily: "IPv6" }), ["request.ipFamily"]);
  const broken = { ...assertion, property: "p95" };
  assert.deepEqual(keysOf({ assertions: [assertion, broken] }), ["request.assertions.1.property"]);
});

test("a run may take as long as its packets need", () => {
  const one = mergeSettings(null, { request: { hostname: "192.0.2.1", pingCount: 1 } });
  const fifty = mergeSettings(one, { request: { pingCount: 50 } });
  assert.equal(deadlineMs(one), 15_000);
  assert.equal(deadlineMs(fifty) - deadlineMs(one), 49 * 500);
});

test("a probe rejects invalid requests", () => {
  const settings = mergeSettings(null, { request: { hostname: "192.0.2.1" } });
  const request = toRequest(settings);
  assert.deepEqual(request, { hostname: "192.0.2.1", ipFamily: "IPv4", pingCount: 10 });
  assert.ok(isIcmpRequest(request));
  for (const wrong of [
    null,
    "192.0.2.1",
    {},
    { ...request, hostname: 1 },
    { ...request, ipFamily: "IPv5" },
    { ...request, pingCount: 0 },
    { ...request, pingCount: 51 },
    { ...request, pingCount: 1.5 },
  ]) {
    assert.ok(!isIcmpRequest(wrong), JSON.stringify(wrong));
  }
});
