import type { Type } from "typebox";
import { KnownError } from "../../../platform/errors.ts";
import {
  embedSharedFiles,
  parseClientCheck,
  type SharedFiles,
  type UnsavedCheck,
} from "../../checks/index.ts";

/** A check as the command line sends it for a test, with what identifies its run. */
export interface SentJob {
  readonly logicalId: string;
  readonly filePath?: string | null;
  readonly sourceInfo: { readonly checkRunSuiteId: string; readonly checkRunId: string };
  readonly group?: object | null;
  readonly [field: string]: unknown;
}

/** A check to run once; `fault` if it cannot be run. */
export interface TestJob {
  /** Key of the client's maps: the logical id, or the id of an existing check. */
  readonly key: string;
  readonly suiteId: string;
  readonly runId: string;
  readonly name: string;
  readonly checkType: string;
  readonly checkId: string | null;
  readonly filePath: string | null;
  readonly tried: UnsavedCheck | { readonly existing: string } | { readonly fault: string };
}

/** References to resources of the project, which need not exist in the account yet. */
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

/** One faulty check does not prevent the others from running. */
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

/** Test sessions: checks that a client runs once, with results as they happen. */

export const resultStatuses = ["RUNNING", "PASSED", "FAILED", "CANCELLED"] as const;
type TestStatus = (typeof resultStatuses)[number];

export interface TestSession {
  readonly id: string;
  readonly name: string;
  readonly location: string;
  readonly invoker: string;
  /** `CLI` for unsaved checks, `TRIGGER` for existing ones. */
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
  /** Id of the run, which its files are stored under; `null` until it is ordered. */
  readonly runId: string | null;
}

/** Longer than the runs of the largest session may take. */
const sessionTimeoutMs = 2_700_000;

/** Ends results that were still running when their server stopped. */
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

/** A session runs until all results have ended; then the worst one decides. */
export function decideTestStatus(results: readonly Pick<TestResult, "status">[]): TestStatus {
  const order: readonly TestStatus[] = ["RUNNING", "FAILED", "CANCELLED"];
  return order.find((one) => results.some(({ status }) => status === one)) ?? "PASSED";
}

export function findStoppedAt(results: readonly Pick<TestResult, "stoppedAt">[]): Date | null {
  const times = results.map(({ stoppedAt }) => stoppedAt?.getTime() ?? 0);
  const lastMs = Math.max(0, ...times);
  return lastMs === 0 ? null : new Date(lastMs);
}

/** PostgreSQL channel by which servers pass events of test runs to each other. */
export const testEventChannel = "test_events";

export interface TestEvent {
  readonly topic: string;
  readonly payload: unknown;
}
