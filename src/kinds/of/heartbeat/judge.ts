import { toShortLine } from "../../../platform/text/clip.ts";
import { formatDuration } from "../../../platform/text/time.ts";
import type { Run } from "../../kit/definition.ts";
import { findSlowness, type Judgement, judgeByReasons } from "../../kit/verdict.ts";
import type { HeartbeatMeasurement } from "./measurement.ts";
import type { HeartbeatRequest, HeartbeatSettings } from "./request.ts";

export type HeartbeatReason =
  | {
      readonly name: "ping-missed";
      readonly silentMs: number | null;
      readonly expectedAt: string;
      readonly schedule: string;
      /** End of a service outage that extended the deadline; `null` if there was none. */
      readonly resumedAt: string | null;
    }
  | { readonly name: "job-not-ended"; readonly startedAt: string; readonly waitedMs: number }
  | { readonly name: "job-failed"; readonly exitCode: number | null; readonly output: string };

type HeartbeatRun = Run<HeartbeatRequest, HeartbeatMeasurement>;

/** Maximum length of the job's output in an alert. */
const maxOutputLength = 200;

/** Judges a ping or its absence. A failing reason takes precedence over a degraded one. */
export function judge(settings: HeartbeatSettings, run: HeartbeatRun): Judgement {
  const { outcome } = run;
  if (outcome.kind !== "measured") {
    return { verdict: "failing", isNetworkError: true, reasons: [] };
  }
  const { measurement } = outcome;
  const failure = findFailure(run, measurement);
  if (failure !== null) return { verdict: "failing", isNetworkError: false, reasons: [failure] };
  const { durationMs } = measurement;
  const { maxResponseTime, degradedResponseTime } = settings;
  const failures = findSlowness("response-time-above-max", durationMs, limitOf(maxResponseTime));
  const limitMs = limitOf(degradedResponseTime);
  const flaws = findSlowness("response-time-above-degraded", durationMs, limitMs);
  return judgeByReasons(failures, flaws);
}

/** Converts the limit 0 to `null`, because some clients send 0 if there is no limit. */
function limitOf(limitMs: number | null): number | null {
  return limitMs === 0 ? null : limitMs;
}

function findFailure(
  { request, startedAtMs }: HeartbeatRun,
  measurement: HeartbeatMeasurement,
): HeartbeatReason | null {
  const { hasFailed, exitCode, sender, unendedMs, expectedMs, lastPingMs } = measurement;
  if (hasFailed) {
    const output = toShortLine(sender?.body ?? "", maxOutputLength);
    return { name: "job-failed", exitCode, output };
  }
  if (sender !== null) return null;
  if (unendedMs !== null) {
    const waitedMs = startedAtMs - unendedMs;
    return { name: "job-not-ended", startedAt: new Date(unendedMs).toISOString(), waitedMs };
  }
  return {
    name: "ping-missed",
    silentMs: lastPingMs === null ? null : startedAtMs - lastPingMs,
    expectedAt: new Date(expectedMs ?? startedAtMs).toISOString(),
    schedule: request.schedule,
    resumedAt: measurement.resumedMs === null ? null : writeIso(measurement.resumedMs),
  };
}

function writeIso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Formats a time like "2026-11-16 03:00 UTC". Seconds are shown only if they are not zero. */
function formatTime(iso: string): string {
  const seconds = iso.slice(17, 19);
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)}${seconds === "00" ? "" : `:${seconds}`} UTC`;
}

export function explain(reason: HeartbeatReason): string {
  switch (reason.name) {
    case "ping-missed": {
      const { silentMs, expectedAt, schedule, resumedAt } = reason;
      const silence = silentMs === null ? "no ping" : `no ping for ${formatDuration(silentMs)}`;
      const more =
        resumedAt === null
          ? ""
          : `; this service could not receive pings until ${formatTime(resumedAt)}`;
      return `${silence}: one was expected by ${formatTime(expectedAt)} (${schedule})${more}`;
    }
    case "job-not-ended": {
      const waited = formatDuration(reason.waitedMs);
      return `the job started at ${formatTime(reason.startedAt)} and did not report its end within ${waited}`;
    }
    default: {
      const { exitCode, output } = reason;
      const failed = exitCode === null ? "a failure" : `exit code ${exitCode}`;
      return `the job reported ${failed}${output === "" ? "" : `: ${output}`}`;
    }
  }
}
