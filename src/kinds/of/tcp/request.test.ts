import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deadlineMs,
  findFaults,
  isTcpRequest,
  mergeSettings,
  type TcpSettings,
  texts,
  toRequest,
  writeEndpoint,
} from "./request.ts";

const assertion = (source: string, comparison = "CONTAINS") =>
  ({ source, property: "", comparison, target: "ok", regex: null }) as const;
const stored = mergeSettings(null, { request: { hostname: "db.example.com", port: 5_432 } });
const settings = (request: object = {}, maxResponseTime: number | null = 5_000): TcpSettings => ({
  ...{ shouldFail: false, degradedResponseTime: 3_000, maxResponseTime },
  ...mergeSettings(stored, { request }),
});

test("a check sends nothing over IPv4 unless it is set, and an update keeps what it omits", () => {
  assert.deepEqual(stored, {
    request: {
      ...{ hostname: "db.example.com", port: 5_432 },
      ...{ data: null, ipFamily: "IPv4", assertions: [] },
    },
  });
  const changed = mergeSettings(stored, { request: { data: "PING", ipFamily: "IPv6" } });
  assert.deepEqual(mergeSettings(changed, {}), changed);
  assert.deepEqual(mergeSettings(changed, { request: { port: 6_379 } }), {
    request: { ...changed.request, port: 6_379 },
  });
  assert.equal(mergeSettings(changed, { request: { data: null } }).request.data, null);
  assert.equal(mergeSettings(changed, { request: { data: "" } }).request.data, "");
});

test("the host must fit its family, and assertions their source", () => {
  const keysOf = (request: object) => findFaults(settings(request)).map(({ key }) => key);
  assert.deepEqual(keysOf({}), []);
  assert.deepEqual(keysOf({ hostname: "2001:db8::1", ipFamily: "IPv6" }), []);
  assert.deepEqual(keysOf({ hostname: "2001:db8::1" }), ["request.ipFamily"]);
  assert.deepEqual(keysOf({ hostname: "https://db.example.com" }), ["request.hostname"]);
  const assertions = [assertion("RESPONSE_DATA"), assertion("RESPONSE_TIME")];
  assert.match(keysOf({ assertions }).join(), /^request\.assertions\.1/);
});

test("a probe waits for an answer only if something depends on it", () => {
  const rows: readonly (readonly [object, string])[] = [
    [{}, "none"],
    [{ data: "" }, "none"],
    [{ data: "PING" }, "wanted"],
    [{ assertions: [assertion("RESPONSE_TIME", "LESS_THAN")] }, "none"],
    [{ assertions: [assertion("RESPONSE_DATA")] }, "wanted"],
    [{ assertions: [assertion("RESPONSE_DATA", "NOT_EMPTY")] }, "wanted"],
    // Silence can be shown only by waiting for it.
    [{ data: "PING", assertions: [assertion("RESPONSE_DATA", "IS_EMPTY")] }, "silence"],
  ];
  for (const [request, expected] of rows) {
    assert.equal(toRequest(settings(request)).answer, expected, JSON.stringify(request));
  }
});

test("the failing limit is the timeout, of at least a second, and the deadline leaves room", () => {
  const rows: readonly (readonly [number | null, number])[] = [
    [5_000, 5_000],
    [1, 1_000],
    [null, 30_000],
    [45_000, 45_000],
  ];
  for (const [maxResponseTime, timeoutMs] of rows) {
    const check = settings({}, maxResponseTime);
    assert.equal(toRequest(check).timeoutMs, timeoutMs);
    assert.ok(deadlineMs(check) >= timeoutMs + 8_000);
  }
  // The name may take longer to resolve than a short timeout.
  assert.equal(deadlineMs(settings({}, 1)), 4_000 + 8_000);
});

test("an address with colons is in brackets", () => {
  assert.equal(writeEndpoint({ hostname: "2001:db8::1", port: 22 }), "[2001:db8::1]:22");
  assert.equal(writeEndpoint({ hostname: "db.example.com", port: 22 }), "db.example.com:22");
});

test("a probe accepts only requests that it can run, whatever version sent them", () => {
  const request = toRequest(settings({ data: "PING" }));
  assert.ok(isTcpRequest(request));
  assert.ok(isTcpRequest({ ...request, addedLater: true }));
  const rejected: readonly unknown[] = [
    null,
    "db.example.com:5432",
    {},
    { ...request, hostname: 5 },
    { ...request, port: 0 },
    { ...request, port: 65_536 },
    { ...request, port: 80.5 },
    { ...request, port: "80" },
    { ...request, ipFamily: "IPv5" },
    { ...request, data: undefined },
    { ...request, answer: "maybe" },
    { ...request, timeoutMs: 999 },
    { ...request, timeoutMs: 300_001 },
    { ...request, timeoutMs: Number.NaN },
  ];
  for (const [index, value] of rejected.entries()) {
    assert.equal(isTcpRequest(value), false, `value ${index}`);
  }
});

test("variables are filled into the host and the data, and hidden in what was received", () => {
  const request = toRequest(settings({ data: "{{TOKEN}}" }));
  const filled = texts.mapRequest(request, (text) => `<${text}>`);
  assert.deepEqual([filled.hostname, filled.data], ["<db.example.com>", "<{{TOKEN}}>"]);
  assert.equal(texts.mapRequest(toRequest(settings()), () => "x").data, null);
  const measurement = { resolvedIp: "192.0.2.1", text: "secret", connectMs: 1 } as never;
  const masked = texts.mapMeasurement(measurement, () => "*");
  assert.deepEqual([masked.resolvedIp, masked.text], ["*", "*"]);
});
