import type { RunStep } from "../../../contract/result.ts";
import type { Database } from "../../../platform/database.ts";
import { formatDateTime } from "../../../platform/dates.ts";
import { clipText } from "../../../platform/text/clip.ts";
import { notifyTestEvent } from "./store.ts";
import type { TestJob, TestResult } from "./test-session.ts";

/** Events of test runs, which clients receive over MQTT while they happen. */

export const topicRoot = (accountId: string): string =>
  `account/${accountId}/ad-hoc-check-results/`;

/** Identifies a run in topics. */
export interface TestRun {
  readonly accountId: string;
  readonly job: TestJob;
  readonly sequenceId: string;
}

export async function announce(
  db: Database,
  { accountId, job, sequenceId }: TestRun,
  [name, payload]: readonly [name: string, payload: unknown],
): Promise<void> {
  const topic = `${topicRoot(accountId)}${job.suiteId}/${sequenceId}/${job.runId}/${name}`;
  await notifyTestEvent(db, accountId, { topic, payload });
}

export const started = ["run-start", {}] as const;

/** A notification of the database has at most 8,000 bytes. */
const maxMessageLength = 1_500;

/** Describes what a script wrote or did, for clients that show it at once; `null` for the rest. */
export function describeProgress(
  { step, text, title, category, error, durationMs }: RunStep,
  nowMs: number,
) {
  const isTest = step === "step" && category === "test";
  if (!isTest && step !== "log") return null;
  const mark = error === null ? "✓" : "✘";
  const message = isTest ? `${mark} ${title} (${Math.round(Number(durationMs))} ms)` : String(text);
  const shown = clipText(message, maxMessageLength);
  return ["stream-logs", { logs: [{ timestamp: nowMs, message: shown }] }] as const;
}

export function describeEnd(result: TestResult, location: string) {
  if (result.document === null && result.error !== null) return ["error", result.error] as const;
  const { id, name, checkType, status, isDegraded, startedAt, stoppedAt, responseMs } = result;
  const hasFailures = status === "FAILED";
  const shown = {
    ...{ name, checkType, hasFailures, hasErrors: false, isDegraded, isCancelled: false },
    startedAt: startedAt && formatDateTime(startedAt),
    stoppedAt: stoppedAt && formatDateTime(stoppedAt),
    responseTime: responseMs,
    runLocation: location,
    assets: { region: location, logPath: id, checkRunDataPath: id },
  };
  return ["result", { resultType: "FINAL", testResultId: id, result: shown }] as const;
}
