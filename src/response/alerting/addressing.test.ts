import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import "../../../test/support/properties.ts";
import { type AlertChannel, alertKinds } from "../../channels/alert-channels/index.ts";
import { followQuietHours } from "./addressing.ts";
import { findExplainingVerdict, headlines, receivesAlert } from "./alert-message.ts";

/** A Monday. */
const at = (time: string) => Date.parse(`2026-11-16T${time}Z`);
const everyDay = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const;

function newChannel(id: number, quietHours: Partial<AlertChannel["quietHours"]> | null = null) {
  const range = { days: everyDay, from: "22:00", to: "06:00" };
  const usual = { timeZone: "UTC", ranges: [range], mode: "HOLD", alertChannelId: null } as const;
  return { id, quietHours: quietHours && { ...usual, ...quietHours } } as unknown as AlertChannel;
}

const reroute = (id: number, alertChannelId: number | null) =>
  newChannel(id, { mode: "REROUTE", alertChannelId });

function follow(channels: readonly AlertChannel[], time: string) {
  const [first] = channels;
  assert.ok(first !== undefined);
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  const { channel, heldUntilMs } = followQuietHours(first, byId, at(time));
  return [channel.id, heldUntilMs === null ? null : new Date(heldUntilMs).toISOString()];
}

test("outside of its quiet hours, a channel sends at once", () => {
  assert.deepEqual(follow([newChannel(1)], "23:00:00"), [1, null]);
  assert.deepEqual(follow([newChannel(1, {})], "21:59:59"), [1, null]);
  assert.deepEqual(follow([newChannel(1, {})], "06:00:00"), [1, null]);
  assert.deepEqual(follow([reroute(1, 2), newChannel(2)], "12:00:00"), [1, null]);
});

test("a channel that holds its alerts sends them at the end of its quiet hours", () => {
  assert.deepEqual(follow([newChannel(1, {})], "22:00:00"), [1, "2026-11-17T06:00:00.000Z"]);
  assert.deepEqual(follow([newChannel(1, {})], "05:59:59"), [1, "2026-11-16T06:00:00.000Z"]);
});

test("an alert follows from channel to channel until one is not quiet, or holds it", () => {
  assert.deepEqual(follow([reroute(1, 2), newChannel(2)], "23:00:00"), [2, null]);
  const three = [reroute(1, 2), reroute(2, 3), newChannel(3)];
  assert.deepEqual(follow(three, "23:00:00"), [3, null]);
  const holding = [reroute(1, 2), newChannel(2, {})];
  assert.deepEqual(follow(holding, "23:00:00"), [2, "2026-11-17T06:00:00.000Z"]);
  const early = { days: everyDay, from: "22:00", to: "22:30" };
  const awake = [reroute(1, 2), newChannel(2, { ranges: [early] })];
  assert.deepEqual(follow(awake, "23:00:00"), [2, null]);
});

test("an alert without a channel to go to is sent as usual", () => {
  assert.deepEqual(follow([reroute(1, null)], "23:00:00"), [1, null]);
  assert.deepEqual(follow([reroute(1, 7)], "23:00:00"), [1, null]);
  assert.deepEqual(follow([reroute(1, 2), reroute(2, 7)], "23:00:00"), [2, null]);
  // Channels that refer to each other: the first that the alert comes back to sends it.
  assert.deepEqual(follow([reroute(1, 1)], "23:00:00"), [1, null]);
  assert.deepEqual(follow([reroute(1, 2), reroute(2, 3), reroute(3, 2)], "23:00:00"), [2, null]);
});

test("whatever channels refer to each other, an alert ends at one of them", () => {
  const channel = fc.record({
    mode: fc.constantFrom("HOLD" as const, "REROUTE" as const),
    alertChannelId: fc.option(fc.nat({ max: 9 }), { nil: null }),
    isQuiet: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(channel, { minLength: 1, maxLength: 10 }), (rows) => {
      const all = rows.map(({ isQuiet, ...one }, id) => newChannel(id, isQuiet ? one : null));
      const [id, heldUntil] = follow(all, "23:00:00");
      const reached = all.find((one) => one.id === id);
      assert.ok(reached !== undefined);
      // Only a channel that holds its alerts delays one.
      assert.equal(heldUntil !== null, reached.quietHours?.mode === "HOLD");
    }),
  );
});

test("a channel receives the kinds of alert that it is set to", () => {
  const none = { sendFailure: false, sendDegraded: false, sendRecovery: false, sslExpiry: false };
  const received = (change: Partial<typeof none>) =>
    alertKinds.filter((kind) => receivesAlert(kind, { ...none, ...change }));
  assert.deepEqual(received({}), []);
  assert.deepEqual(received({ sendFailure: true }), [
    ...["ALERT_FAILURE", "ALERT_FAILURE_REMAIN", "ALERT_FAILURE_DEGRADED"],
    ...["ALERT_DEGRADED_FAILURE", "ALERT_NO_DATA", "ALERT_TEST"],
  ]);
  assert.deepEqual(received({ sendDegraded: true }), ["ALERT_DEGRADED", "ALERT_DEGRADED_REMAIN"]);
  assert.deepEqual(received({ sendRecovery: true }), ["ALERT_RECOVERY"]);
  assert.deepEqual(received({ sendRecovery: true, sendDegraded: true }), [
    ...["ALERT_RECOVERY", "ALERT_DEGRADED", "ALERT_DEGRADED_REMAIN", "ALERT_DEGRADED_RECOVERY"],
  ]);
  assert.deepEqual(received({ sslExpiry: true }), ["ALERT_SSL"]);
  const all = { sendFailure: true, sendDegraded: true, sendRecovery: true, sslExpiry: true };
  assert.deepEqual(received(all), alertKinds);
});

test("an alert is explained by a run with the verdict that it reports", () => {
  const explained = (verdict: string | null) =>
    alertKinds.filter((kind) => findExplainingVerdict(kind) === verdict);
  assert.deepEqual(explained("failing"), [
    ...["ALERT_FAILURE", "ALERT_FAILURE_REMAIN", "ALERT_DEGRADED_FAILURE"],
  ]);
  assert.deepEqual(explained("degraded"), [
    ...["ALERT_FAILURE_DEGRADED", "ALERT_DEGRADED", "ALERT_DEGRADED_REMAIN"],
  ]);
  assert.deepEqual(explained(null), [
    ...["ALERT_RECOVERY", "ALERT_DEGRADED_RECOVERY", "ALERT_NO_DATA", "ALERT_SSL", "ALERT_TEST"],
  ]);
});

test("no two kinds of alert have the same headline", () => {
  const texts = alertKinds.map((kind) => headlines[kind]);
  assert.equal(new Set(texts).size, alertKinds.length);
});
