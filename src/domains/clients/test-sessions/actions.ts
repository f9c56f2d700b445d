import { randomUUID, randomUUIDv7 } from "node:crypto";
import { inTransaction } from "../../../platform/database.ts";
import { KnownError, notFound } from "../../../platform/errors.ts";
import { type Caller, writeAuditEntry } from "../../accounts/index.ts";
import { findTargets } from "../../schedule/index.ts";
import type { SessionLimits, TestSessionsContext } from "../context.ts";
import { type PlannedRun, runSession } from "./runner.ts";
import {
  cancelTestResults,
  findTestResult,
  findTestSession,
  insertTestResults,
  insertTestSession,
  listTestResults,
  listTestSessions,
} from "./store.ts";
import type { TestJob } from "./test-session.ts";
import {
  decideTestStatus,
  endStaleResults,
  type TestResult,
  type TestSession,
} from "./test-session.ts";

const pollEveryMs = 200;

export interface SessionRequest {
  readonly name: string;
  readonly provider: TestSession["provider"];
  readonly location: string | null;
  readonly isRecorded: boolean;
  readonly details: TestSession["details"];
  readonly jobs: readonly TestJob[];
  /** By default false. */
  readonly streamsLogs?: boolean;
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

/** Stores a session and starts its runs; they continue after the response. */
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

/** Returns jobs for the existing checks with these ids or tags. */
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

/** Returns as soon as the session has ended; throws 408 on timeout. */
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

/** Runs that have begun are not interrupted, but their results no longer count. */
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
