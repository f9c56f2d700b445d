import { randomUUIDv7 } from "node:crypto";
import { Registry } from "prom-client";
import { systemClock } from "../../../src/platform/clock.ts";
import type { Database } from "../../../src/platform/database.ts";
import { openDatabase } from "../../../src/platform/database-pool.ts";
import type { Log } from "../../../src/platform/log.ts";
import { SeenCertificates } from "../../../src/runs/recording/certificate-store.ts";
import {
  createRecordingMetrics,
  type RecorderContext,
} from "../../../src/runs/recording/context.ts";
import { recordResults } from "../../../src/runs/recording/recorder.ts";
import { createPartition } from "../../../src/runs/results/result-write-store.ts";
import { WatchList } from "../../../src/runs/scheduling/watch-list.ts";
import type { TestApp } from "../apps/app.ts";
import { captureLog } from "../apps/log.ts";
import { createChance, measureRtts } from "./analytics.ts";
import { makeResult } from "./runs.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Creates the context of a separate recorder on the server's database. */
function createContext(db: Database, log: Log): RecorderContext {
  return {
    db,
    clock: systemClock,
    log,
    watchList: new WatchList(db, "home", () => false),
    recordingMetrics: createRecordingMetrics(new Registry()),
    seenCertificates: new SeenCertificates(),
    recorded: { add: () => {} },
  };
}

export interface CheckHistory {
  readonly checkId: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const locations = ["eu-west-1", "us-east-1", "ap-northeast-1"];

/**
 * Adds a deactivated ping check with 20 hours of runs from three parallel locations. One location
 * lost some packets for an hour and all packets for twenty minutes.
 */
export async function addCheckWithPast(
  app: TestApp,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<CheckHistory> {
  const { log } = captureLog();
  const { db, close } = openDatabase({ connectionString: app.databaseUrl }, log);
  try {
    const made = await app.call("POST", "/v1/checks/icmp", {
      body: {
        name: "db-1.fra",
        request: { hostname: "192.0.2.1" },
        activated: false,
        frequency: 5,
        locations,
        runParallel: true,
        tags: ["edge"],
        ...settings,
      },
    });
    if (made.status !== 201) throw new Error(`no check was created: ${made.text}`);
    const checkId: string = made.body.id;
    const context = createContext(db, log);
    const watched = (await context.watchList.find([checkId])).get(checkId);
    if (watched === undefined) throw new Error("the check does not exist");
    const chance = createChance(5);
    const toMs = Math.floor(Date.now() / (5 * minuteMs)) * 5 * minuteMs;
    const fromMs = toMs - 20 * hourMs;
    const day = Math.floor(fromMs / (24 * hourMs)) * 24 * hourMs;
    await createPartition(db, day);
    for (let dueAtMs = fromMs; dueAtMs < toMs; dueAtMs += 5 * minuteMs) {
      const agoHours = (toMs - dueAtMs) / hourMs;
      const results = watched.places.map((location, place) => {
        const isDown = agoHours < 6 && agoHours > 5.66;
        const isLossy = place === 2 && agoHours < 12 && agoHours > 11;
        const share = isDown ? 1 : isLossy ? 0.4 : 0.002;
        const rtts = Array.from({ length: 10 }, () =>
          chance() < share ? null : (8 + 30 * place) * (1 + 0.4 * chance() ** 4),
        );
        return makeResult(watched, { dueAtMs, location, outcome: measureRtts(rtts) });
      });
      await recordResults(context, results);
    }
    await app.query("update checks set created_at = $2 where id = $1", [checkId, new Date(fromMs)]);
    return { checkId, fromMs, toMs };
  } finally {
    await close();
  }
}

/** Adds an alert with one delivered and one failed notification. */
export async function addAlertWithMessages(
  app: TestApp,
  checkId: string,
  resultId: string | null,
): Promise<string> {
  const alertId = randomUUIDv7();
  const at = new Date(Date.now() - 5.9 * hourMs);
  await app.query(
    `insert into alerts (id, account_id, check_id, alert_number, kind, reason, result_id,
        is_reminder, at, decided_at)
      values ($1, $2, $3, 1, 'ALERT_FAILURE', 'run-threshold-reached', $5, false, $4, $4)`,
    [alertId, app.owner.accountId, checkId, at, resultId],
  );
  for (const [type, recipient, status, reason] of [
    ["EMAIL", "ops@example.com", "SENT", null],
    ["WEBHOOK", "pager", "DEAD", "the receiver answered 500"],
  ]) {
    await app.query(
      `insert into deliveries (id, account_id, alert_id, check_id, channel_type, recipient, message,
          status, attempts, next_attempt_at, status_code, reason, decided_at, sent_at)
        values ($1, $2, $3, $4, $5, $6, '{"kind": "ALERT_FAILURE", "title": "is failing"}', $7, 1,
          $8, null, $9, $8, $10)`,
      [
        randomUUIDv7(),
        app.owner.accountId,
        alertId,
        checkId,
        type,
        recipient,
        status,
        at,
        reason,
        status === "SENT" ? at : null,
      ],
    );
  }
  return alertId;
}
