import { randomUUIDv7 } from "node:crypto";
import { type CheckInput, mergeCheckSettings } from "../../../src/checks/checks/check-settings.ts";
import { saveCheckStatusesBy } from "../../../src/checks/checks/store.ts";
import type { Result } from "../../../src/contract/result.ts";
import { kinds } from "../../../src/kinds/index.ts";
import { type Database, inTransaction } from "../../../src/platform/database.ts";
import { openDatabase } from "../../../src/platform/database-pool.ts";
import { createPartition, insertNewResults } from "../../../src/runs/results/result-write-store.ts";
import { deriveRunId } from "../../../src/runs/results/run-id.ts";
import { type CheckState, recordDecision } from "../../../src/runs/states/state.ts";
import { insertStateChanges } from "../../../src/runs/states/state-change-store.ts";
import { saveStates } from "../../../src/runs/states/state-store.ts";
import type { TestApp } from "../apps/app.ts";
import { captureLog } from "../apps/log.ts";
import { measureRtts } from "./analytics.ts";

type Status = CheckState["status"];

export interface DashboardCheck {
  readonly name: string;
  readonly status?: Status;
  readonly tags?: readonly string[];
  readonly groupId?: number;
  readonly locations?: readonly string[];
  /** Time since the check entered its current state. */
  readonly forMs?: number;
  readonly activated?: boolean;
}

const defaultLocations = ["eu-west-1", "us-east-1"];

/** Calls `work` in a transaction on a separate connection. */
async function withDatabase<Outcome>(
  app: TestApp,
  work: (db: Database) => Promise<Outcome>,
): Promise<Outcome> {
  const connection = { connectionString: app.databaseUrl };
  const { db, close } = openDatabase(connection, captureLog().log);
  try {
    return await inTransaction(db, work);
  } finally {
    await close();
  }
}

/** Adds checks that run only once a day, so that only the test changes their states. */
export async function addDashboardChecks(
  app: TestApp,
  list: readonly DashboardCheck[],
  accountId: string = app.owner.accountId,
): Promise<string[]> {
  const checks = list.map((one) => {
    const input: CheckInput = {
      name: one.name,
      frequency: 1_440,
      tags: [...(one.tags ?? [])],
      locations: [...(one.locations ?? defaultLocations)] as never,
      groupId: one.groupId ?? null,
      activated: one.activated ?? true,
      request: { hostname: "127.0.0.1" },
    };
    return { id: randomUUIDv7(), settings: mergeCheckSettings(kinds.ICMP, null, input) };
  });
  await app.query(
    `insert into checks (id, account_id, kind, name, tags, group_id, settings, private_settings,
      created_at)
    select id, $2, 'ICMP', settings->>'name',
      array(select jsonb_array_elements_text(settings->'tags')), (settings->>'groupId')::int,
      settings, '{}', $3 from jsonb_to_recordset($1::jsonb) as one (id uuid, settings jsonb)`,
    [JSON.stringify(checks), accountId, app.clock.now()],
  );
  const ids = checks.map(({ id }) => id);
  const given = list.map((one, index) => ({ ...one, id: ids[index] ?? "" }));
  const known = given.filter((one) => one.status !== undefined);
  if (known.length > 0) await writeStates(app, known as GivenState[], accountId);
  return ids;
}

interface GivenState {
  readonly id: string;
  readonly status: Status;
  readonly forMs?: number;
  readonly locations?: readonly string[];
}

/** Writes check states like a recorder whose runs change the states. */
export async function writeStates(
  app: TestApp,
  given: readonly GivenState[],
  accountId: string = app.owner.accountId,
): Promise<void> {
  const now = app.clock.now();
  await withDatabase(app, async (db) => {
    const states = given.map(({ id, status, forMs = 0, locations = defaultLocations }) => {
      const sinceMs = now.getTime() - forMs;
      const [first = ""] = locations;
      const resultId = deriveRunId({ checkId: id, dueAtMs: sinceMs, location: first, attempt: 1 });
      const places = locations.map((location, index) => [
        location,
        { verdict: index === 0 ? status : "passing", resultId, atMs: sinceMs },
      ]);
      const state: CheckState = {
        status,
        sinceMs,
        changedAtMs: sinceMs,
        beforeUnknown: null,
        lastResultId: resultId,
        lastRunLocation: first,
        lastRunAtMs: sinceMs,
        consecutiveFailures: status === "failing" ? 1 : 0,
        locations: Object.fromEntries(places),
      };
      return { checkId: id, state, responseMs: 12, shortestMs: 10, longestMs: 20 };
    });
    await saveStates(db, states, now);
    await insertStateChanges(
      db,
      states.map(({ checkId, state }) => ({
        accountId,
        checkId,
        from: "unknown",
        to: state.status,
        atMs: state.sinceMs,
        resultId: state.lastResultId,
        decision: recordDecision(state, { runParallel: true, reasons: [] }),
      })),
    );
    const statuses = given.map(({ id, status }) => ({ checkId: id, status }));
    await saveCheckStatusesBy(db, statuses);
  });
}

export interface Past {
  readonly checkId: string;
  readonly minutes: number;
  readonly everyMinutes: number;
  readonly rttMs: number;
}

/** Stores passing runs until the current time, alternating between both locations. */
export async function addPastRuns(app: TestApp, pasts: readonly Past[]): Promise<void> {
  const nowMs = app.clock.now().getTime();
  const dayMs = 86_400_000;
  const today = Math.floor(nowMs / dayMs) * dayMs;
  await withDatabase(app, async (db) => {
    for (const day of [today - dayMs, today]) await createPartition(db, day);
    for (const { checkId, minutes, everyMinutes, rttMs } of pasts) {
      const count = Math.floor(minutes / everyMinutes);
      const batch = Array.from({ length: count }, (_, run) => {
        const dueAtMs = nowMs - (run + 1) * everyMinutes * 60_000;
        const location = defaultLocations[run % defaultLocations.length] ?? "";
        const outcome = measureRtts([rttMs, rttMs * 1.01, rttMs * 1.4]);
        const key = { checkId, dueAtMs, location, attempt: 1 };
        const result: Result = {
          ...key,
          kind: "ICMP",
          runId: deriveRunId(key),
          startedAtMs: dueAtMs,
          stoppedAtMs: dueAtMs + 1_000,
          probeId: "probe",
          request: { hostname: "127.0.0.1", ipFamily: "IPv4", pingCount: 3 },
          outcome,
        };
        return { result, verdict: "passing" as const, reasons: [], isFinal: true };
      });
      await insertNewResults(db, batch);
    }
  });
}

export async function addDashboard(
  app: TestApp,
  body: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly dashboardId: string; readonly path: string; readonly rawKey: string }> {
  const answer = await app.call("POST", "/v1/dashboards", {
    body: { header: "Dashboard", isPrivate: false, ...body },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  const { dashboardId, keys } = answer.body;
  return { dashboardId, path: `/dashboards/${dashboardId}`, rawKey: keys[0]?.rawKey ?? "" };
}
