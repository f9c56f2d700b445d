import { type Database, runSql } from "../../platform/database.ts";
import type { WireDiff } from "./wire-diff.ts";

export const deploymentStatuses = [
  "PENDING",
  "RUNNING",
  "SUCCEEDED",
  "FAILED",
  "CANCELLED",
] as const;
export type DeploymentStatus = (typeof deploymentStatuses)[number];

export interface DeploymentError {
  readonly code: string;
  readonly message: string;
}

/** Project in the form that API responses contain. */
interface ShownProject {
  readonly id: string;
  readonly name: string;
  readonly logicalId: string;
  readonly repoUrl: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface DeploymentResult {
  readonly project: ShownProject | null;
  readonly diff: readonly WireDiff[];
}

export interface Deployment {
  readonly id: string;
  readonly logicalId: string;
  readonly status: DeploymentStatus;
  readonly progress: number;
  readonly error: DeploymentError | null;
  readonly result: DeploymentResult | null;
  /**
   * Whether check runs follow the deployment. While the deployment is active, the value is whether
   * the client requested runs. When the deployment ends, the value becomes whether there are checks
   * to run.
   */
  readonly schedules: boolean;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly cancelRequestedAt: Date | null;
}

const columns = `id, logical_id as "logicalId", status, progress, error, result, schedules,
  created_at as "createdAt", started_at as "startedAt", ended_at as "endedAt",
  cancel_requested_at as "cancelRequestedAt"`;

export const isActive = ({ status }: Pick<Deployment, "status">) =>
  status === "PENDING" || status === "RUNNING";

/** Inserts a deployment. Returns `null` if the project already has an active deployment. */
export async function insertDeployment(
  db: Database,
  accountId: string,
  {
    id,
    logicalId,
    schedules,
    at,
  }: {
    readonly id: string;
    readonly logicalId: string;
    readonly schedules: boolean;
    readonly at: Date;
  },
): Promise<Deployment | null> {
  const text = `insert into deployments
      (id, account_id, logical_id, status, progress, schedules, created_at)
    values ($1, $2, $3, 'PENDING', 0, $4, $5)
    on conflict (account_id, logical_id) where status in ('PENDING', 'RUNNING') do nothing
    returning ${columns}`;
  const [row] = await runSql<Deployment>(db, text, [id, accountId, logicalId, schedules, at]);
  return row ?? null;
}

export async function findDeployment(
  db: Database,
  accountId: string,
  { id, logicalId }: { readonly id: string; readonly logicalId: string },
): Promise<Deployment | null> {
  const text = `select ${columns} from deployments
    where account_id = $1 and logical_id = $2 and id = $3`;
  const [row] = await runSql<Deployment>(db, text, [accountId, logicalId, id]);
  return row ?? null;
}

export async function findActiveDeployment(
  db: Database,
  accountId: string,
  logicalId: string,
): Promise<Deployment | null> {
  const text = `select ${columns} from deployments where account_id = $1 and logical_id = $2
    and status in ('PENDING', 'RUNNING')`;
  const [row] = await runSql<Deployment>(db, text, [accountId, logicalId]);
  return row ?? null;
}

export function listDeployments(
  db: Database,
  accountId: string,
  { logicalId, limit }: { readonly logicalId: string; readonly limit: number },
): Promise<Deployment[]> {
  const text = `select ${columns} from deployments where account_id = $1 and logical_id = $2
    order by created_at desc, id desc limit $3`;
  return runSql<Deployment>(db, text, [accountId, logicalId, limit]);
}

export async function startDeployment(db: Database, accountId: string, id: string): Promise<void> {
  const text = `update deployments set status = 'RUNNING', started_at = now()
    where account_id = $1 and id = $2 and status = 'PENDING'`;
  await runSql(db, text, [accountId, id]);
}

export async function saveProgress(
  db: Database,
  accountId: string,
  { id, progress }: { readonly id: string; readonly progress: number },
): Promise<void> {
  const text = `update deployments set progress = $3
    where account_id = $1 and id = $2 and status = 'RUNNING'`;
  await runSql(db, text, [accountId, id, progress]);
}

/** Ends an active deployment. Returns `false` if the deployment has already ended. */
export async function endDeployment(
  db: Database,
  accountId: string,
  end: {
    readonly id: string;
    readonly status: "SUCCEEDED" | "FAILED" | "CANCELLED";
    readonly error: DeploymentError | null;
    readonly result: DeploymentResult | null;
    /** Whether check runs start after the deployment. */
    readonly schedules?: boolean;
    readonly at: Date;
  },
): Promise<boolean> {
  const text = `update deployments set status = $3, error = $4, result = $5, ended_at = $6,
      schedules = $7,
      progress = case when $3 = 'SUCCEEDED' then 100 else progress end
    where account_id = $1 and id = $2 and status in ('PENDING', 'RUNNING') returning id`;
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value));
  const { id, status, error, result, at, schedules = false } = end;
  const values = [accountId, id, status, json(error), json(result), at, schedules];
  const rows = await runSql(db, text, values);
  return rows.length > 0;
}

/** Stores a cancellation request. Returns `false` if the deployment does not exist. */
export async function requestCancel(
  db: Database,
  accountId: string,
  { id, logicalId, at }: { readonly id: string; readonly logicalId: string; readonly at: Date },
): Promise<boolean> {
  const text = `update deployments set cancel_requested_at = coalesce(cancel_requested_at, $4)
    where account_id = $1 and logical_id = $2 and id = $3 returning id`;
  return (await runSql(db, text, [accountId, logicalId, id, at])).length > 0;
}

export async function deleteDeploymentsBefore(db: Database, before: Date): Promise<void> {
  const text = `delete from deployments where created_at < $1
    and status not in ('PENDING', 'RUNNING')`;
  await runSql(db, text, [before]);
}

/** SQL expression for the key of the advisory lock. The runner of a deployment holds this lock. */
const lockText = "hashtextextended('deployment ' || $1, 0)";

/** Acquires the lock of a deployment and holds it until the transaction ends. */
export async function lockDeployment(db: Database, id: string): Promise<void> {
  await runSql(db, `select pg_advisory_xact_lock(${lockText})`, [id]);
}

/**
 * Returns whether a runner holds the lock of the deployment. Must be called in a short transaction,
 * because a free lock is acquired until the transaction ends.
 */
export async function isLocked(db: Database, id: string): Promise<boolean> {
  const text = `select pg_try_advisory_xact_lock(${lockText}) as free`;
  const [row] = await runSql<{ free: boolean }>(db, text, [id]);
  return row?.free !== true;
}
