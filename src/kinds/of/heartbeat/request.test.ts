import assert from "node:assert/strict";
import { test } from "node:test";
import { findFaults, mergeSettings, showSettings, toRequest } from "./request.ts";

const token = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
const stored = mergeSettings(null, {
  heartbeat: { period: 1, periodUnit: "hours", grace: 10, graceUnit: "minutes", pingToken: token },
});

const faultsOf = (heartbeat: Parameters<typeof mergeSettings>[1]["heartbeat"] = {}) =>
  findFaults(mergeSettings(stored, { heartbeat })).map(({ key }) => key);

test("a new check has a generated token, and the usual grace period", () => {
  const { heartbeat } = mergeSettings(null, { heartbeat: { period: 1 } });
  const { pingToken, ...rest } = heartbeat;
  assert.match(pingToken, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.deepEqual(rest, {
    ...{ period: 1, periodUnit: "days", grace: 5, graceUnit: "minutes" },
    ...{ cron: null, timezone: "UTC" },
  });
  const other = mergeSettings(null, { heartbeat: { period: 1 } });
  assert.notEqual(other.heartbeat.pingToken, pingToken);
});

test("an update keeps what it omits, and a check keeps its token", () => {
  assert.deepEqual(mergeSettings(stored, {}), stored);
  assert.deepEqual(mergeSettings(stored, { heartbeat: {} }), stored);
  // Some clients send an empty string or null for a token that they do not know.
  for (const pingToken of ["", null]) {
    assert.deepEqual(mergeSettings(stored, { heartbeat: { pingToken } }), stored);
  }
  const upper = mergeSettings(stored, { heartbeat: { pingToken: token.toUpperCase() } });
  assert.equal(upper.heartbeat.pingToken, token);
  const zoned = mergeSettings(stored, { heartbeat: { timezone: "Europe/Berlin" } });
  assert.equal(zoned.heartbeat.timezone, "Europe/Berlin");
  assert.equal(mergeSettings(zoned, { heartbeat: { timezone: null } }).heartbeat.timezone, "UTC");
});

test("a cron expression replaces the period, and null removes it", () => {
  const byCron = mergeSettings(null, { heartbeat: { cron: "0 3 * * *" } });
  assert.deepEqual(findFaults(byCron), []);
  assert.deepEqual([byCron.heartbeat.period, byCron.heartbeat.periodUnit], [1, "days"]);
  const changed = mergeSettings(stored, { heartbeat: { cron: "0 3 * * *" } });
  assert.equal(changed.heartbeat.period, 1);
  assert.deepEqual(mergeSettings(changed, { heartbeat: { cron: null } }), stored);
});

test("a schedule without a period or an expression is rejected", () => {
  const faults = findFaults(mergeSettings(null, { heartbeat: {} }));
  assert.deepEqual(faults, [
    { key: "heartbeat.period", rule: "must be from 30 seconds to 365 days" },
  ]);
});

test("periods and grace periods are limited in every unit", () => {
  assert.deepEqual(faultsOf({ period: 30, periodUnit: "seconds" }), []);
  assert.deepEqual(faultsOf({ period: 29, periodUnit: "seconds" }), ["heartbeat.period"]);
  assert.deepEqual(faultsOf({ period: 0.5, periodUnit: "minutes" }), []);
  assert.deepEqual(faultsOf({ period: 365, periodUnit: "days" }), []);
  assert.deepEqual(faultsOf({ period: 8_761, periodUnit: "hours" }), ["heartbeat.period"]);
  assert.deepEqual(faultsOf({ grace: 0 }), []);
  assert.deepEqual(faultsOf({ grace: 365, graceUnit: "days" }), []);
  assert.deepEqual(faultsOf({ grace: 366, graceUnit: "days" }), ["heartbeat.grace"]);
});

test("an expression is checked in its time zone, if that is known", () => {
  assert.deepEqual(faultsOf({ cron: "*/5 * * * *", timezone: "Asia/Kolkata" }), []);
  assert.deepEqual(faultsOf({ cron: "61 * * * *" }), ["heartbeat.cron"]);
  assert.deepEqual(faultsOf({ cron: "* * * * * *" }), ["heartbeat.cron"]);
  assert.deepEqual(faultsOf({ cron: "0 0 30 2 *" }), ["heartbeat.cron"]);
  assert.deepEqual(faultsOf({ timezone: "Mars/Phobos" }), ["heartbeat.timezone"]);
  assert.deepEqual(faultsOf({ cron: "nonsense", timezone: "x" }), ["heartbeat.timezone"]);
});

test("the ping URL is below the public URL, whatever that ends with", () => {
  const expected = `https://status.example.com/ping/${token}`;
  for (const publicUrl of ["https://status.example.com", "https://status.example.com//"]) {
    const shown = showSettings(stored, { publicUrl });
    assert.deepEqual(shown, { heartbeat: { ...stored.heartbeat, pingUrl: expected } });
  }
});

test("a run has its schedule in words, and not the token", () => {
  const { schedule } = toRequest(stored);
  assert.match(schedule, /1 h|hour/);
  assert.ok(!JSON.stringify(toRequest(stored)).includes(token));
});
