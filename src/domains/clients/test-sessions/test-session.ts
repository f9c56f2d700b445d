/** Test sessions: checks that a client runs once, with results as they happen. */

export const resultStatuses = ["RUNNING", "PASSED", "FAILED", "CANCELLED"] as const;
export type TestStatus = (typeof resultStatuses)[number];

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
}

/** Longer than the runs of the largest session may take. */
export const sessionTimeoutMs = 1_800_000;

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
