import { type Database, runSql } from "../../../platform/database.ts";
import {
  type TestEvent,
  type TestResult,
  type TestSession,
  testEventChannel,
} from "./test-session.ts";

const sessionColumns = `id, name, location, invoker, provider, details,
  is_recorded as "isRecorded", started_at as "startedAt"`;
const resultColumns = `id, session_id as "sessionId", check_id as "checkId",
  check_type as "checkType", name, file_path as "filePath", status, is_degraded as "isDegraded",
  error, response_ms as "responseMs", started_at as "startedAt", stopped_at as "stoppedAt",
  document, run_id as "runId"`;

/** Maximum number of sessions that are stored per account. */
const maxKept = 200;

export async function insertTestSession(
  db: Database,
  accountId: string,
  session: TestSession,
): Promise<void> {
  const { id, name, location, invoker, provider, details, isRecorded, startedAt } = session;
  await runSql(
    db,
    `insert into test_sessions (id, account_id, name, location, invoker, provider, details,
      is_recorded, started_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, accountId, name, location, invoker, provider, details, isRecorded, startedAt],
  );
  await runSql(
    db,
    `delete from test_sessions where account_id = $1 and id in (select id from test_sessions
      where account_id = $1 order by started_at desc, id desc offset $2)`,
    [accountId, maxKept],
  );
}

export async function insertTestResults(
  db: Database,
  accountId: string,
  results: readonly TestResult[],
): Promise<void> {
  const rows = results.map(({ id, sessionId, checkId, checkType, name, filePath }, place) => ({
    ...{ id, session_id: sessionId, account_id: accountId, place, check_id: checkId },
    ...{ check_type: checkType, name, file_path: filePath, status: "RUNNING" },
  }));
  await runSql(
    db,
    `insert into test_results (id, session_id, account_id, place, check_id, check_type, name,
      file_path, status) select id, session_id, account_id, place, check_id, check_type, name,
      file_path, status from jsonb_populate_recordset(null::test_results, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}

/** Stores the result of a run, unless the result has been cancelled in the meantime. */
export async function saveTestResult(
  db: Database,
  accountId: string,
  result: TestResult,
): Promise<void> {
  const { id, status, isDegraded, error, responseMs, startedAt, stoppedAt, document } = result;
  await runSql(
    db,
    `update test_results set status = $3, is_degraded = $4, error = $5, response_ms = $6,
      started_at = $7, stopped_at = $8, document = $9, run_id = $10
      where account_id = $1 and id = $2 and status = 'RUNNING'`,
    [
      ...[accountId, id, status, isDegraded, error, responseMs, startedAt, stoppedAt],
      document === null ? null : JSON.stringify(document),
      result.runId,
    ],
  );
}

/** Returns whether a run of a session has no result yet and was not cancelled. */
export async function isRunning(db: Database, accountId: string, id: string): Promise<boolean> {
  const text = "select from test_results where account_id = $1 and id = $2 and status = 'RUNNING'";
  return (await runSql(db, text, [accountId, id])).length > 0;
}

export async function cancelTestResults(
  db: Database,
  accountId: string,
  { sessionId, at }: { readonly sessionId: string; readonly at: Date },
): Promise<void> {
  await runSql(
    db,
    `update test_results set status = 'CANCELLED', stopped_at = $3
      where account_id = $1 and session_id = $2 and status = 'RUNNING'`,
    [accountId, sessionId, at],
  );
}

export async function findTestSession(
  db: Database,
  accountId: string,
  id: string,
): Promise<TestSession | null> {
  const text = `select ${sessionColumns} from test_sessions where account_id = $1 and id = $2`;
  const [row] = await runSql<TestSession>(db, text, [accountId, id]);
  return row ?? null;
}

/**
 * Lists the recorded test sessions, newest first. Returns one more than the limit if another page
 * follows.
 */
export async function listTestSessions(
  db: Database,
  accountId: string,
  { limit, nextId }: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<TestSession[]> {
  const text = `select ${sessionColumns} from test_sessions
    where account_id = $1 and is_recorded and ($2::uuid is null or id <= $2)
    order by id desc limit $3`;
  return runSql(db, text, [accountId, nextId ?? null, limit + 1]);
}

export async function listTestResults(
  db: Database,
  accountId: string,
  sessionIds: readonly string[],
): Promise<TestResult[]> {
  const text = `select ${resultColumns} from test_results
    where account_id = $1 and session_id = any($2::uuid[]) order by session_id, place`;
  return runSql(db, text, [accountId, [...sessionIds]]);
}

export async function findTestResult(
  db: Database,
  accountId: string,
  id: string,
): Promise<TestResult | null> {
  const text = `select ${resultColumns} from test_results where account_id = $1 and id = $2`;
  const [row] = await runSql<TestResult>(db, text, [accountId, id]);
  return row ?? null;
}

/** Sends an event to all servers, because the client may be connected to any of them. */
export async function notifyTestEvent(
  db: Database,
  accountId: string,
  event: TestEvent,
): Promise<void> {
  await runSql(db, "select pg_notify($1, $2)", [
    testEventChannel,
    JSON.stringify({ ...event, accountId }),
  ]);
}
