import assert from "node:assert/strict";
import { test } from "node:test";
import type { PingEvent } from "../../kit/pings.ts";
import { explainVerdict } from "../../kit/verdict.ts";
import { heartbeat } from "./index.ts";
import { judge } from "./judge.ts";
import { mergeSettings, toRequest } from "./request.ts";

const own = mergeSettings(null, {
  heartbeat: { cron: "0 3 * * *", timezone: "Europe/Berlin", grace: 30, graceUnit: "minutes" },
});
const limits = { shouldFail: false, degradedResponseTime: null, maxResponseTime: null };
const startedAtMs = Date.parse("2026-11-16T02:30:00Z");
const hourMs = 3_600_000;

const missed: PingEvent = {
  state: "FAILING",
  sender: null,
  hasFailed: false,
  exitCode: null,
  durationMs: null,
  lastPingMs: startedAtMs - 26 * hourMs,
  expectedMs: Date.parse("2026-11-16T02:00:00Z"),
  unendedMs: null,
  resumedMs: null,
};
const sender = { method: "POST", address: "192.0.2.7", userAgent: "", body: "", bodyBytes: 0 };

function say(event: Partial<PingEvent>, more = {}): [string, string] {
  const settings = { ...own, ...limits, ...more };
  const measurement = { ...missed, ...event };
  const outcome = { kind: "measured", measurement } as const;
  const run = { request: toRequest(settings), startedAtMs, outcome };
  const { verdict, reasons } = judge(settings, run);
  return [verdict, explainVerdict(heartbeat, reasons)];
}

test("a missing ping is reported with its expected time and schedule", () => {
  const expected =
    "No ping for 1 d 2 h: one was expected by 2026-11-16 02:00 UTC " +
    "(every day at 03:00 Europe/Berlin, grace 30 min)";
  assert.deepEqual(say({}), ["failing", `${expected}.`]);
  assert.deepEqual(say({ resumedMs: startedAtMs - 60_000 }), [
    "failing",
    `${expected}; this service could not receive pings until 2026-11-16 02:29 UTC.`,
  ]);
});

test("a failed or hanging job is reported, with its output clipped to one line", () => {
  const failed = { hasFailed: true, sender: { ...sender, body: "a\u0000b\n\u202ec" } };
  assert.deepEqual(say({ ...failed, exitCode: 2 }), [
    "failing",
    "The job reported exit code 2: a b c.",
  ]);
  assert.deepEqual(say({ hasFailed: true, sender }), ["failing", "The job reported a failure."]);
  const [, long] = say({ hasFailed: true, sender: { ...sender, body: "x".repeat(10_000) } });
  assert.ok(long.length < 250);
  assert.deepEqual(say({ unendedMs: startedAtMs - 30 * 60_000 }), [
    "failing",
    "The job started at 2026-11-16 02:00 UTC and did not report its end within 30 min.",
  ]);
});

test("a ping passes unless the job exceeds a limit above zero", () => {
  const came = { state: "GRACE", sender, durationMs: 5_000 } as const;
  assert.equal(say(came)[0], "passing");
  assert.equal(say(came, { degradedResponseTime: 0, maxResponseTime: 0 })[0], "passing");
  assert.equal(say(came, { degradedResponseTime: 4_999 })[0], "degraded");
  assert.equal(say(came, { maxResponseTime: 4_999 })[0], "failing");
});
