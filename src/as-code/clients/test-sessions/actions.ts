import { randomUUID, randomUUIDv7 } from "node:crypto";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { getCheck, type UnsavedCheck } from "../../../checks/checks/index.ts";
import type { Run } from "../../../kinds/kit/definition.ts";
import { inTransaction } from "../../../platform/database.ts";
import { KnownError, notFound } from "../../../platform/errors.ts";
import { findTargets, openTrial, type TrialEvent } from "../../../runs/scheduling/index.ts";
import type { SessionLimits, TestSessionsContext } from "../context.ts";
import { announce, describeEnd, describeProgress, started } from "./broker.ts";
import {
  cancelTestResults,
  findTestResult,
  findTestSession,
  insertTestResults,
  insertTestSession,
  isRunning,
  listTestResults,
  listTestSessions,
  saveTestResult,
} from "./store.ts";
import {
  decideTestStatus,
  endStaleResults,
  type TestJob,
  type TestResult,
  type TestSession,
} from "./test-session.ts";

const pollEveryMs = 200;

interface SessionRequest {
  readonly name: string;
  readonly provider: TestSession["provider"];
  readonly location: string | null;
  readonly isRecorded: boolean;
  readonly details: TestSession["details"];
  readonly jobs: readonly TestJob[];
  /** Whether clients receive the output of scripts while the scripts run; `false` by default. */
  readonly streamsLogs?: boolean;
}

/** Maximum number of concurrent runs of one session. */
const atOnce = 5;

export interface PlannedRun {
  readonly job: TestJob;
  readonly sequenceId: string;
  readonly result: TestResult;
}

interface StartedSession {
  readonly caller: Caller;
  /** Location of all runs; if `null`, each check runs at its first location. */
  readonly location: string | null;
  readonly runs: readonly PlannedRun[];
  readonly signal: AbortSignal;
  /** Whether clients receive the output of scripts while the scripts run. */
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

const cancelResult = (result: TestResult, stoppedAt: Date): TestResult => {
  return { ...result, status: "CANCELLED", error: "Cancelled.", stoppedAt };
};

/** Runs a check on a probe, and returns its result. */
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
    if (signal.aborted) return cancelResult(result, context.clock.now());
    throw error;
  }
}

async function runOne(
  context: TestSessionsContext,
  session: StartedSession,
  planned: PlannedRun,
): Promise<void> {
  const { accountId } = session.caller;
  // Another server may have cancelled the session.
  const isLeft = await isRunning(context.db, accountId, planned.result.id);
  const ended = isLeft
    ? await measure(context, session, planned)
    : cancelResult(planned.result, context.clock.now());
  await saveTestResult(context.db, accountId, ended);
  const run = { accountId, job: planned.job, sequenceId: planned.sequenceId };
  await announce(context.db, run, describeEnd(ended, session.location ?? "default"));
}

/** Runs the checks of a session, a few at a time, and reports each result when its run ends. */
async function runSession(context: TestSessionsContext, session: StartedSession): Promise<void> {
  const waiting = [...session.runs];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await runOne(context, session, next);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

function planRun(job: TestJob, sessionId: string): PlannedRun {
  const { name, checkType, checkId, filePath } = job;
  const result: TestResult = {
    ...{ id: randomUUIDv7(), sessionId, checkId, checkType, name, filePath, status: "RUNNING" },
    ...{ isDegraded: false, error: null, responseMs: null, startedAt: null, stoppedAt: null },
    ...{ document: null, runId: null },
  };
  return { job, sequenceId: randomUUID(), result };
}

/** Stores a session and starts its runs, which continue after the response. */
export async function startTestSession(
  context: TestSessionsContext,
  limits: SessionLimits,
  caller: Caller,
  request: SessionRequest,
): Promise<{ readonly session: TestSession; readonly runs: readonly PlannedRun[] }> {
  const { accountId } = caller;
  const { allowed, resetSeconds } = limits.rate.take(accountId);
  if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
  const { name, provider, isRecorded, details, jobs, location } = request;
  const { streamsLogs = false } = request;
  const at = context.clock.now();
  const id = randomUUIDv7();
  const invoker = caller.label;
  const session: TestSession = {
    ...{ id, name, provider, isRecorded, details, invoker, startedAt: at },
    location: location ?? "default",
  };
  const runs = jobs.map((job) => planRun(job, id));
  const controller = limits.slots.take(accountId);
  const release = () => {
    limits.slots.release(controller);
    limits.running.delete(id);
  };
  try {
    await inTransaction(context.db, async (db) => {
      await insertTestSession(db, accountId, session);
      const results = runs.map(({ result }) => result);
      await insertTestResults(db, accountId, results);
      const changes = { name, checks: runs.slice(0, 100).map(({ job }) => job.name) };
      const action = "test-session.started";
      await writeAuditEntry(db, caller, { action, targetId: id, changes, at });
    });
  } catch (error) {
    release();
    throw error;
  }
  limits.running.set(id, controller);
  const started = { caller, location, runs, signal: controller.signal, streamsLogs };
  runSession(context, started)
    .catch((error) => context.log.warn({ err: error }, "a test session failed"))
    .finally(release);
  return { session, runs };
}

/** Returns jobs for the existing checks with the given ids or tags. */
export async function planExisting(
  context: TestSessionsContext,
  caller: Caller,
  target: Parameters<typeof findTargets>[2] & { readonly suiteId: string },
): Promise<TestJob[]> {
  const { suiteId, ...which } = target;
  const found = await findTargets(context, caller, which);
  return found.map(({ checkId, kind, settings }) => ({
    ...{ key: checkId, suiteId, runId: randomUUID(), name: settings.name, checkId },
    ...{ checkType: kind.type, filePath: null, tried: { existing: checkId } },
  }));
}

export interface TestReport {
  readonly session: TestSession;
  readonly results: readonly TestResult[];
}

export async function readTestSession(
  context: TestSessionsContext,
  caller: Caller,
  id: string,
): Promise<TestReport> {
  const session = await findTestSession(context.db, caller.accountId, id);
  if (session === null) throw notFound();
  const results = await listTestResults(context.db, caller.accountId, [id]);
  return { session, results: endStaleResults(session, results, context.clock.nowMs()) };
}

export async function listOwnTestSessions(
  context: TestSessionsContext,
  { accountId }: Caller,
  query: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<TestReport[]> {
  const sessions = await listTestSessions(context.db, accountId, query);
  const ids = sessions.map(({ id }) => id);
  const results = Map.groupBy(
    await listTestResults(context.db, accountId, ids),
    ({ sessionId }) => sessionId,
  );
  const nowMs = context.clock.nowMs();
  return sessions.map((session) => ({
    session,
    results: endStaleResults(session, results.get(session.id) ?? [], nowMs),
  }));
}

/** Waits until the session has ended. Throws a 408 error on timeout. */
export async function awaitTestSession(
  context: TestSessionsContext,
  caller: Caller,
  { id, maxWaitSeconds }: { readonly id: string; readonly maxWaitSeconds: number },
): Promise<TestReport> {
  const polls = Math.ceil((maxWaitSeconds * 1_000) / pollEveryMs);
  for (let poll = 0; poll <= polls; poll += 1) {
    const report = await readTestSession(context, caller, id);
    if (decideTestStatus(report.results) !== "RUNNING") return report;
    await new Promise((resume) => setTimeout(resume, pollEveryMs));
  }
  const message = "The session is still running. Retry the request.";
  throw new KnownError("requestTimeout", { message });
}

/**
 * Cancels a session. Probes finish the runs that they have started, but the results are ignored.
 */
export async function cancelTestSession(
  context: TestSessionsContext,
  limits: SessionLimits,
  caller: Caller,
  sessionId: string,
): Promise<void> {
  await readTestSession(context, caller, sessionId);
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    await cancelTestResults(db, caller.accountId, { sessionId, at });
    const action = "test-session.cancelled";
    await writeAuditEntry(db, caller, { action, targetId: sessionId, at });
  });
  limits.running.get(sessionId)?.abort("cancelled");
}

export async function getTestResult(
  context: TestSessionsContext,
  caller: Caller,
  id: string,
): Promise<TestResult> {
  const result = await findTestResult(context.db, caller.accountId, id);
  if (result === null) throw notFound();
  return result;
}
