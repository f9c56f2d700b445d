import { randomUUIDv7 } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { mergeCheckSettings } from "../../src/checks/checks/check-settings.ts";
import { kinds } from "../../src/kinds/index.ts";
import {
  clientOptions,
  type DatabasePool,
  openDatabase,
} from "../../src/platform/database-pool.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../src/platform/log.ts";
import { migrate } from "../../src/platform/migrations.ts";
import { hourMs, keptDays } from "../../src/runs/statistics/window.ts";
import { type Dashboard, defaultSettings } from "../../src/screens/dashboards/dashboard.ts";
import { generateResults, generateRollups } from "../analytics/generate.ts";
import { write } from "../support.ts";

export interface FixtureOptions {
  readonly checkCount: number;
  readonly days: number;
  readonly nowMs: number;
}

export interface Fixture extends DatabasePool {
  readonly dataDir: string;
  readonly dashboard: Dashboard;
  readonly checkIds: readonly string[];
  readonly nowMs: number;
  /** Stops the database but keeps its files. */
  readonly pause: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Creates checks of one account, each with a state, and a dashboard of all of them. */
async function addChecks(pool: pg.Pool, { checkCount, nowMs }: FixtureOptions) {
  const accountId = randomUUIDv7();
  const at = new Date(nowMs);
  await pool.query("insert into accounts (id, name, created_at) values ($1, 'Bench', $2)", [
    accountId,
    at,
  ]);
  const checkIds = Array.from({ length: checkCount }, () => randomUUIDv7());
  const checks = checkIds.map((id, index) => ({
    id,
    // Once a day, so that the benchmark measures dashboards, not runs.
    settings: mergeCheckSettings(kinds.ICMP, null, {
      name: `host ${index}`,
      frequency: 1_440,
      tags: ["bench", `tag-${index % 7}`],
      request: { hostname: "127.0.0.1" },
    }),
  }));
  await pool.query(
    `insert into checks (id, account_id, kind, name, tags, settings, private_settings, status,
      created_at)
    select id, $2, 'ICMP', settings->>'name',
      array(select jsonb_array_elements_text(settings->'tags')), settings, '{}', 'passing', $3
    from jsonb_to_recordset($1::jsonb) as one (id uuid, settings jsonb)`,
    [JSON.stringify(checks), accountId, at],
  );
  await pool.query(
    `insert into check_states (check_id, status, since, last_due_at, last_result_id, last_location,
      consecutive_failures, locations, created_at, updated_at)
    select id, 'passing', $1, $1, id, 'eu-west-1', 0,
      '{"eu-west-1": {"verdict": "passing", "resultId": "", "atMs": 0},
        "us-east-1": {"verdict": "passing", "resultId": "", "atMs": 0}}', $1, $1 from checks`,
    [at],
  );
  const dashboardId = "benchwll";
  const settings = { ...defaultSettings, header: "Bench", checksPerPage: 20 };
  await pool.query(
    `insert into dashboards (account_id, dashboard_id, settings, css_warnings, created_at)
      values ($1, $2, $3, '[]', $4)`,
    [accountId, dashboardId, settings, at],
  );
  await pool.query("insert into page_names values ($1, 'id', $2, 'dashboard', $1)", [
    dashboardId,
    accountId,
  ]);
  const dashboard = { id: 1, dashboardId, accountId, settings, cssWarnings: [], version: 1 };
  return { checkIds, dashboard: { ...dashboard, createdAt: at, updatedAt: null } };
}

/**
 * Creates a database with the given number of days of one run per minute: roll-ups of all days as
 * far as the product retains them, and single results of the last hour, which is not rolled up yet.
 */
export async function createFixture(options: FixtureOptions): Promise<Fixture> {
  const { checkCount, days, nowMs } = options;
  const folder = mkdtempSync(join(tmpdir(), "vedette-bench-"));
  const dataDir = join(folder, "data");
  const log = createLog("silent");
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log,
    onRestart: () => {},
    onAbandoned: (error) => {
      throw error;
    },
  });
  await migrate(postgres.connection);
  write(`Generating ${days} days of history of ${checkCount} checks …`);
  // A separate pool, because the product's statement timeout is too short for this.
  const pool = new pg.Pool(clientOptions(postgres.connection));
  const { checkIds, dashboard } = await addChecks(pool, options);
  const lastRolledMs = Math.floor(nowMs / hourMs) * hourMs - 2 * hourMs;
  const history = { pool, checkIds, nowMs };
  await generateRollups(history, days, lastRolledMs, Math.min(days, keptDays.hourly));
  const results = await generateResults(history, lastRolledMs + hourMs, 2);
  await pool.query("vacuum analyze checks, check_states");
  await pool.end();
  write(`  … and ${results} single results of the last hour.`);
  const database = openDatabase(postgres.connection, log);
  let isPaused = false;
  const pause = async () => {
    if (isPaused) return;
    isPaused = true;
    await database.close();
    await postgres.stop();
  };
  const stop = async () => {
    await pause();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...database, dataDir, dashboard, checkIds, nowMs, pause, stop };
}
