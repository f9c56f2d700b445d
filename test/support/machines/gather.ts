/** Reads the evidence directly from the database and from the alert receiver. */
import type { Evidence, Verdict } from "./evidence.ts";
import type { Fleet } from "./fleet.ts";
import type { Workload } from "./workload.ts";

const verdicts = ["unknown", "passing", "degraded", "failing"] as const;

interface ResultRow {
  readonly check_id: string;
  readonly id: string;
  readonly location: string;
  readonly attempt: number;
  readonly is_final: boolean;
  readonly verdict: number;
  readonly started_at: Date;
  readonly duration_us: number;
  readonly trouble: { readonly kind: string } | null;
  readonly probe: string;
}

/** Returns the due time of a run in milliseconds, which is the start of the run's id. */
function readDueMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

async function gatherRuns({ query }: Fleet): Promise<Evidence["runs"]> {
  const rows = await query<ResultRow>(
    `select check_id, id, location, attempt, is_final, verdict, started_at, duration_us, trouble,
      coalesce(name, probe_id) as probe
    from results left join result_probes on number = probe_number order by id`,
  );
  return rows.map((row) => ({
    checkId: row.check_id,
    runId: row.id,
    dueAtMs: readDueMs(row.id),
    location: row.location,
    attempt: row.attempt,
    isFinal: row.is_final,
    verdict: verdicts[row.verdict] ?? "unknown",
    startedAtMs: row.started_at.getTime(),
    stoppedAtMs: row.started_at.getTime() + row.duration_us / 1_000,
    probe: row.probe,
    trouble: row.trouble?.kind ?? null,
  }));
}

async function gatherGaps({ query }: Fleet): Promise<Evidence["gaps"]> {
  const rows = await query<{
    check_id: string;
    location: string;
    after_at: Date;
    before_at: Date;
    due_count: number;
  }>("select * from run_gaps");
  return rows.map((row) => ({
    checkId: row.check_id,
    location: row.location === "" ? null : row.location,
    afterMs: row.after_at.getTime(),
    beforeMs: row.before_at.getTime(),
    dueCount: row.due_count,
  }));
}

async function gatherChanges({ query }: Fleet): Promise<Evidence["changes"]> {
  const rows = await query<{ check_id: string; from: Verdict; to: Verdict; at: Date }>(
    `select check_id, from_status as from, to_status as to, at from state_changes order by id`,
  );
  return rows.map(({ check_id: checkId, from, to, at }) => ({
    checkId,
    from,
    to,
    atMs: at.getTime(),
  }));
}

/** Returns the received alerts of checks, without the alerts about outages of a location. */
function listArrivals({ receiver }: Fleet, checkIds: readonly string[]): Evidence["arrivals"] {
  return receiver.requests
    .map(({ body, headers }) => {
      const { alertType = "", checkId = "" } = JSON.parse(body) as Record<string, string>;
      return { key: String(headers["idempotency-key"]), kind: alertType, checkId };
    })
    .filter(({ checkId }) => checkIds.includes(checkId));
}

export interface GatherOptions {
  readonly span: Evidence["span"];
  readonly acknowledged: readonly string[];
}

export async function gatherEvidence(
  fleet: Fleet,
  { checks, channelIds }: Workload,
  { span, acknowledged }: GatherOptions,
): Promise<Evidence> {
  const { query } = fleet;
  const checkIds = checks.map(({ checkId }) => checkId);
  return {
    checks,
    span,
    runs: await gatherRuns(fleet),
    gaps: await gatherGaps(fleet),
    changes: await gatherChanges(fleet),
    alerts: await query(
      `select id, check_id as "checkId", kind, alert_number as "alertNumber" from alerts
        where kind <> 'NO_ALERT' and check_id = any($1) order by id`,
      [checkIds],
    ),
    channelIds,
    deliveries: await query(
      `select message ->> 'idempotencyKey' as key, alert_id as "alertId",
        alert_channel_id as "channelId", status from deliveries
        where check_id = any($1) order by id`,
      [checkIds],
    ),
    arrivals: listArrivals(fleet, checkIds),
    writes: {
      acknowledged,
      stored: (await query<{ key: string }>("select key from variables")).map(({ key }) => key),
    },
    targetChanges: fleet.targets.changes,
  };
}

/** Whether all runs due until `sinceMs` are evaluated, and no run, retry or delivery is pending. */
export async function isSettled(fleet: Fleet, { checks }: Workload, sinceMs: number) {
  const [row] = await fleet.query<{ waiting: number; judged: number }>(
    `select (select count(*)::int from notable_runs)
        + (select count(*)::int from deliveries where status = 'PENDING')
        + (select count(*)::int from pending_retries where start_at < $2) as waiting,
      (select count(*)::int from check_states where check_id = any($1) and last_due_at >= $2)
        as judged`,
    [checks.map(({ checkId }) => checkId), new Date(sinceMs)],
  );
  return row !== undefined && row.waiting === 0 && row.judged === checks.length;
}
