import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../config.ts";
import { createReach, resolveOwnHosts } from "../platform/net/reach.ts";
import { listOwnHosts } from "./probe.ts";

const settings = {
  DATABASE_URL: "postgres://u:p@127.0.0.1:6432/app",
  NATS_URL: "nats://u:p@127.0.0.1:4300,nats://[::1]:4301,nats://192.0.2.9",
  METRICS_PORT: "9100",
  HOST: "0.0.0.0",
  SMTP_URL: "smtp://10.1.2.3",
  SMS_GATEWAY_URL: "https://[fd00::1]/send",
  AI_BASE_URL: "http://127.0.0.1:11434/v1",
};

async function createRules(more: Readonly<Record<string, string>> = {}) {
  const hosts = listOwnHosts(parseConfig({ ...settings, ...more }));
  return createReach({ allow: [], deny: [], own: await resolveOwnHosts(hosts) });
}

const denied: readonly [string, number, RegExp][] = [
  ["127.0.0.1", 6432, /is the database of this service/],
  ["127.0.0.1", 4300, /is NATS of this service/],
  ["::1", 4300, /is NATS/],
  ["127.5.5.5", 4301, /is NATS/],
  ["192.0.2.9", 4222, /is NATS/],
  ["127.0.0.1", 9100, /is the metrics port/],
  ["10.1.2.3", 587, /is the mail server/],
  ["fd00::1", 443, /is the SMS gateway/],
  ["127.0.0.1", 11_434, /is the model server/],
];

test("checks cannot reach addresses used by the service itself", async () => {
  const { findDenial } = await createRules();
  for (const [address, port, expected] of denied) {
    assert.match(findDenial(address, port) ?? "", expected, `${address} ${port}`);
    assert.equal(findDenial(address, null), null, "a ping has no port");
  }
});

test("other ports of the same machines, and the service's own web port, may be monitored", async () => {
  const { findDenial } = await createRules({ PORT: "3000" });
  const open: readonly [string, number][] = [
    ["127.0.0.1", 3000],
    ["127.0.0.1", 8080],
    ["10.1.2.3", 25],
    ["192.0.2.9", 8222],
    ["192.0.2.10", 4222],
  ];
  for (const [address, port] of open) {
    assert.equal(findDenial(address, port), null, `${address} ${port}`);
  }
});

test("a publicly reachable mail server or model may be monitored", async () => {
  const { findDenial } = await createRules({
    SMTP_URL: "smtps://8.8.8.8",
    AI_BASE_URL: "https://8.8.4.4/v1",
  });
  assert.equal(findDenial("8.8.8.8", 465), null);
  assert.equal(findDenial("8.8.4.4", 443), null);
});

test("a service without other hosts denies nothing", () => {
  assert.deepEqual(listOwnHosts(parseConfig({})), []);
});

test("addresses follow DNS changes, and stay while a name cannot be resolved", async () => {
  const host = { name: "NATS of this service", port: 4222, isPublicExempt: false };
  const [here] = await resolveOwnHosts([{ ...host, host: "localhost" }]);
  assert.ok(here?.addresses.some((address) => ["127.0.0.1", "::1"].includes(address)));
  const gone = { ...host, host: "nats.example" };
  const before = [{ ...gone, addresses: ["10.0.0.7"] }];
  const fail = () => Promise.reject(new Error("nobody answers"));
  const [kept] = await resolveOwnHosts([gone], before, fail);
  assert.deepEqual(kept?.addresses, ["10.0.0.7"]);
  const rules = createReach({ allow: [], deny: [], own: before });
  assert.notEqual(rules.findDenial("10.0.0.7", 4222), null);
  rules.setOwn([{ ...gone, addresses: ["10.0.0.8"] }]);
  assert.equal(rules.findDenial("10.0.0.7", 4222), null);
  assert.notEqual(rules.findDenial("10.0.0.8", 4222), null);
});
