import type { Run } from "../../../kinds/definition.ts";
import { KnownError } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import { getCheck, type UnsavedCheck } from "../../checks/index.ts";
import { openTrial, type TrialEvent } from "../../schedule/index.ts";
import type { TestSessionsContext } from "../context.ts";
import { announce, describeEnd, describeProgress, started } from "./events.ts";
import { saveTestResult } from "./store.ts";
import type { TestJob, TestResult } from "./test-session.ts";

/** Runs of one session at a time. */
const atOnce = 5;

export interface PlannedRun {
  readonly job: TestJob;
  readonly sequenceId: string;
  readonly result: TestResult;
}

export interface StartedSession {
  readonly caller: Caller;
  /** `null` for the first location of each check. */
  readonly location: string | null;
  readonly runs: readonly PlannedRun[];
  readonly signal: AbortSignal;
  /** Whether clients receive what scripts write while they run. */
  readonly streamsLogs: boolean;
}

type ResultEvent = Extract<TrialEvent, { event: "result" }>;

function describeMeasured(before: TestResult, event: ResultEvent): TestResult {
  const { kind, result, judgement, explanation, assertions } = event;
  const { outcome, startedAtMs, stoppedAtMs, request } = result;
  const run: Run = { request, startedAtMs, outcome };
  const isMeasured = outcome.kind === "measured";
  const hasPassed = judgement.verdict === "passing" || judgement.verdict === "degraded";
  return {
    ...before,
    status: hasPassed ? "PASSED" : "FAILED",
    isDegraded: judgement.verdict === "degraded",
    error: hasPassed ? null : explanation,
    responseMs: isMeasured ? kind.figures(outcome.measurement).responseMs : null,
    startedAt: new Date(startedAtMs),
    stoppedAt: new Date(stoppedAtMs),
    document: isMeasured ? { ...kind.document(run), assertions } : null,
    runId: result.runId,
  };
}

async function readTest(
  context: TestSessionsContext,
  caller: Caller,
  tried: Exclude<TestJob["tried"], { fault: string }>,
): Promise<UnsavedCheck> {
  if (!("existing" in tried)) return tried;
  const changed = await getCheck(context, caller, tried.existing);
  return { type: changed.kind, input: {}, changed };
}

/** Follows a run until it ends. */
async function measure(
  context: TestSessionsContext,
  session: StartedSession,
  { job, sequenceId, result }: PlannedRun,
): Promise<TestResult> {
  const { caller, location, signal } = session;
  const fail = (error: string): TestResult => {
    return { ...result, status: "FAILED", error, stoppedAt: context.clock.now() };
  };
  if ("fault" in job.tried) return fail(job.tried.fault);
  try {
    const tried = await readTest(context, caller, job.tried);
    const request = { ...tried, location, isUnaudited: true };
    const { events } = await openTrial(context, caller, request, signal);
    const run = { accountId: caller.accountId, job, sequenceId };
    for await (const event of events) {
      if (event.event === "started") await announce(context.db, run, started);
      if (event.event === "progress" && session.streamsLogs) {
        const logs = describeProgress(event.progress, context.clock.nowMs());
        if (logs !== null) await announce(context.db, run, logs);
      }
      if (event.event === "result") return describeMeasured(result, event);
    }
    return fail("No probe reported a result in time.");
  } catch (error) {
    if (error instanceof KnownError) return fail(error.message);
    if (signal.aborted) return { ...fail("Cancelled."), status: "CANCELLED" };
    throw error;
  }
}

async function runOne(
  context: TestSessionsContext,
  session: StartedSession,
  planned: PlannedRun,
): Promise<void> {
  const { accountId } = session.caller;
  const ended = await measure(context, session, planned);
  await saveTestResult(context.db, accountId, ended);
  const run = { accountId, job: planned.job, sequenceId: planned.sequenceId };
  await announce(context.db, run, describeEnd(ended, session.location ?? "default"));
}

/** Runs the checks of a session, a few at a time, and reports each as it ends. */
export async function runSession(
  context: TestSessionsContext,
  session: StartedSession,
): Promise<void> {
  const waiting = [...session.runs];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await runOne(context, session, next);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
