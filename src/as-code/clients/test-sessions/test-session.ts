import type { Type } from "typebox";
import {
  embedSharedFiles,
  parseClientCheck,
  type SharedFiles,
  type UnsavedCheck,
} from "../../../checks/checks/index.ts";
import { KnownError } from "../../../platform/errors.ts";

/** A check that the command line sends for a test, with the ids that identify its run. */
export interface SentJob {
  readonly logicalId: string;
  readonly filePath?: string | null;
  readonly sourceInfo: { readonly checkRunSuiteId: string; readonly checkRunId: string };
  readonly group?: object | null;
  readonly [field: string]: unknown;
}

/** A check to run in a test session. */
export interface TestJob {
  /** Key of the job for clients: the logical id of a sent check, or the id of an existing one. */
  readonly key: string;
  readonly suiteId: string;
  readonly runId: string;
  readonly name: string;
  readonly checkType: string;
  readonly checkId: string | null;
  readonly filePath: string | null;
  readonly tried: UnsavedCheck | { readonly existing: string } | { readonly fault: string };
}

/**
 * Fields of a sent check that refer to other resources. They are removed before the test, because
 * the resources may not exist yet.
 */
const references = ["groupId", "triggerIncident", "alertChannelSubscriptions", "privateLocations"];

type Files = Type.Static<typeof SharedFiles>;

function tryToParse(job: SentJob, files: Files): TestJob["tried"] {
  const { group, ...fields } = job;
  const own = Object.entries(fields).filter(([name]) => !references.includes(name));
  try {
    const check = parseClientCheck(embedSharedFiles(Object.fromEntries(own), files));
    return { ...check, changed: null, ...(group && { group }) };
  } catch (error) {
    if (error instanceof KnownError) return { fault: error.message };
    throw error;
  }
}

function readText(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value.slice(0, 255) : otherwise;
}

/**
 * Converts a sent check to a job. If the check is invalid, the job contains the reason as `fault`.
 * The function does not throw, so that the other checks of the session still run.
 */
export function parseJob(job: SentJob, files: Files): TestJob {
  const { logicalId, filePath = null, sourceInfo } = job;
  return {
    key: logicalId,
    suiteId: sourceInfo.checkRunSuiteId,
    runId: sourceInfo.checkRunId,
    name: readText(job.name, logicalId),
    checkType: readText(job.checkType, "unknown"),
    checkId: null,
    filePath,
    tried: tryToParse(job, files),
  };
}

/** A client starts a *test session* to run checks, and receives each result when the run ends. */

export const resultStatuses = ["RUNNING", "PASSED", "FAILED", "CANCELLED"] as const;
type TestStatus = (typeof resultStatuses)[number];

export interface TestSession {
  readonly id: string;
  readonly name: string;
  readonly location: string;
  readonly invoker: string;
  /** Origin of the session: `CLI` for checks that a client sends, `TRIGGER` for existing checks. */
  readonly provider: "CLI" | "TRIGGER";
  readonly details: Readonly<Record<string, unknown>>;
  readonly isRecorded: boolean;
  readonly startedAt: Date;
}

export interface TestResult {
  readonly id: string;
  readonly sessionId: string;
  readonly checkId: string | null;
  readonly checkType: string;
  readonly name: string;
  readonly filePath: string | null;
  readonly status: TestStatus;
  readonly isDegraded: boolean;
  readonly error: string | null;
  readonly responseMs: number | null;
  readonly startedAt: Date | null;
  readonly stoppedAt: Date | null;
  readonly document: unknown;
  /** Id of the run, under which its files are stored; `null` if no probe has reported a result. */
  readonly runId: string | null;
}

/**
 * Maximum duration of a session in milliseconds, longer than the runs of the largest session can
 * take.
 */
const sessionTimeoutMs = 2_700_000;

/**
 * Marks results as cancelled if their runs have not ended by the session timeout. The server that
 * waited for these runs has stopped, so the results would never be completed.
 */
export function endStaleResults(
  session: Pick<TestSession, "startedAt">,
  results: readonly TestResult[],
  nowMs: number,
): TestResult[] {
  const isStale = nowMs - session.startedAt.getTime() > sessionTimeoutMs;
  return results.map((result) =>
    isStale && result.status === "RUNNING"
      ? { ...result, status: "CANCELLED", error: "The server stopped before the run ended." }
      : result,
  );
}

/**
 * Returns the status of a session: `RUNNING` while any check is running, and afterwards the worst
 * status of the results.
 */
export function decideTestStatus(results: readonly Pick<TestResult, "status">[]): TestStatus {
  const order: readonly TestStatus[] = ["RUNNING", "FAILED", "CANCELLED"];
  return order.find((one) => results.some(({ status }) => status === one)) ?? "PASSED";
}

export function findStoppedAt(results: readonly Pick<TestResult, "stoppedAt">[]): Date | null {
  const times = results.map(({ stoppedAt }) => stoppedAt?.getTime() ?? 0);
  const lastMs = Math.max(0, ...times);
  return lastMs === 0 ? null : new Date(lastMs);
}

/** PostgreSQL notification channel through which every server receives the events of test runs. */
export const testEventChannel = "test_events";

export interface TestEvent {
  readonly topic: string;
  readonly payload: unknown;
}
