/**
 * Runs deployments in the background, each in one transaction. The progress is stored outside this
 * transaction.
 */
import { randomUUIDv7 } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { type Caller, markAuditEntries } from "../../access/accounts/index.ts";
import { type Database, inTransaction, lockName } from "../../platform/database.ts";
import { isForeignKeyViolation } from "../../platform/database-errors.ts";
import { KnownError, notFound } from "../../platform/errors.ts";
import type { NamedEvent } from "../../platform/http/send.ts";
import { triggerChecks } from "../../runs/scheduling/index.ts";
import { applyPlan, rehearse } from "./apply.ts";
import { describeMeanwhile, findChangedMeanwhile } from "./concurrent-edits.ts";
import type { ProjectsContext } from "./context.ts";
import {
  type Deployment,
  type DeploymentError,
  type DeploymentResult,
  deleteDeploymentsBefore,
  endDeployment,
  findActiveDeployment,
  findDeployment,
  insertDeployment,
  isActive,
  isLocked,
  lockDeployment,
  saveProgress,
  startDeployment,
} from "./deployment-store.ts";
import type { ProjectRequest } from "./desired-state.ts";
import type { PlanEntry } from "./plan.ts";
import { prepare } from "./prepare.ts";
import { toWireDeployment, toWireProject } from "./schema.ts";
import { deleteProject } from "./store.ts";
import { toOldEntry, toWireEntry } from "./wire-diff.ts";

/** Which checks to run after a deployment. */
export interface RunsAfter {
  readonly scope: "changed" | "all";
  /** Maximum number of matching checks. If more checks match, none of them runs. */
  readonly threshold: number;
  /** Minimum interval of a check in minutes. A check with a shorter interval runs soon anyway. */
  readonly minFrequencyMinutes: number;
}

export interface DeploymentOptions {
  /**
   * Token of the plan that the caller has seen, to detect changes since then; `null` skips this
   * test.
   */
  readonly planToken: string | null;
  /** Which checks to run after the deployment; `null` for none. */
  readonly runsAfter: RunsAfter | null;
  /** Whether the client knows all kinds of actions in a plan; see `toOldPlan`. */
  readonly knowsPlans: boolean;
  /** Whether to delete the project itself after its resources. */
  readonly deletesProject: boolean;
}

/** Thrown to end a deployment and roll back its changes. */
class DeploymentStop extends Error {
  readonly end: {
    readonly status: "FAILED" | "CANCELLED";
    readonly error: DeploymentError | null;
    readonly result: DeploymentResult | null;
  };

  constructor(end: DeploymentStop["end"]) {
    super("the deployment was stopped");
    this.end = end;
  }
}

/**
 * Maximum number of checks to run immediately after a deployment, because more would delay
 * scheduled runs. The remaining checks run on schedule.
 */
const maxRunsAfter = 100;

/** Returns the ids of the checks to run, or none if more checks match than `threshold`. */
export function listChecksToRun(
  entries: readonly PlanEntry[],
  { scope, threshold, minFrequencyMinutes }: RunsAfter,
): readonly string[] {
  const changed = ["CREATE", "UPDATE"];
  const actions = scope === "all" ? [...changed, "ADOPT", "UNCHANGED"] : changed;
  const ids = entries
    .filter(({ type, action }) => type === "check" && actions.includes(action))
    .filter(({ after }) => Number(after?.frequency ?? 0) >= minFrequencyMinutes)
    .flatMap(({ physicalId }) => physicalId ?? []);
  return ids.length > threshold ? [] : ids.slice(0, maxRunsAfter);
}

const cancelled = () => new DeploymentStop({ status: "CANCELLED", error: null, result: null });

const interrupted: DeploymentError = {
  code: "INTERRUPTED",
  message: "The server stopped during the deployment. Nothing was changed. Deploy again.",
};

/** How long deployments are stored after their creation. */
const keptMs = 90 * 86_400_000;
/** Maximum time from the start of a deployment until its runner holds the lock. */
const lockDelayMs = 5_000;

function describeFailure(error: unknown): DeploymentError {
  if (isForeignKeyViolation(error)) {
    const reason = "An object of the plan was deleted meanwhile.";
    return { code: "CONFLICT", message: `${reason} Nothing was changed. Deploy again.` };
  }
  if (!(error instanceof KnownError)) {
    return { code: "INTERNAL", message: "Internal Server Error. Nothing was changed." };
  }
  const code = error.errorName === "invalidRequest" ? "INVALID" : error.errorName.toUpperCase();
  return { code, message: error.message };
}

/** Returns a deployment. If its runner no longer exists, the deployment is marked as failed. */
export async function readDeployment(
  { db, clock }: Pick<ProjectsContext, "db" | "clock">,
  { accountId }: Pick<Caller, "accountId">,
  which: { readonly id: string; readonly logicalId: string },
): Promise<Deployment> {
  const found = await findDeployment(db, accountId, which);
  if (found === null) throw notFound();
  const now = clock.now();
  const ageMs = now.getTime() - (found.startedAt ?? found.createdAt).getTime();
  if (!isActive(found) || ageMs < lockDelayMs) return found;
  const hasRunner = await inTransaction(db, (transaction) => isLocked(transaction, found.id));
  if (hasRunner) return found;
  const end = { status: "FAILED" as const, error: interrupted, result: null, at: now };
  await endDeployment(db, accountId, { id: found.id, ...end });
  return (await findDeployment(db, accountId, which)) ?? found;
}

/**
 * Stores the progress on a second connection, because other connections cannot see changes of the
 * open transaction. The deployment does not wait for this write. Otherwise, if deployments used all
 * connections of the pool, each deployment would wait forever for a free connection. A progress
 * value is skipped while an earlier one is being stored.
 */
function createProgressWriter(db: Database, accountId: string, id: string) {
  let isStoring = false;
  return (progress: number): void => {
    if (isStoring) return;
    isStoring = true;
    const done = () => {
      isStoring = false;
    };
    saveProgress(db, accountId, { id, progress }).then(done, done);
  };
}

/** The started deployment, or the active deployment if the project is busy. */
export interface Started {
  readonly isBusy: boolean;
  readonly deployment: Deployment;
}

export class DeploymentRunner {
  private readonly context: ProjectsContext;
  private readonly running = new Set<Promise<void>>();

  constructor(context: ProjectsContext) {
    this.context = context;
  }

  /** Starts a deployment, or returns the active deployment of the project if there is one. */
  async start(
    caller: Caller,
    request: ProjectRequest,
    options: DeploymentOptions,
  ): Promise<Started> {
    const { db, clock } = this.context;
    const { accountId } = caller;
    const { logicalId } = request;
    const active = await findActiveDeployment(db, accountId, logicalId);
    if (active !== null) {
      const deployment = await readDeployment(this.context, caller, active);
      if (isActive(deployment)) return { isBusy: true, deployment };
    }
    const schedules = options.runsAfter !== null;
    await deleteDeploymentsBefore(db, new Date(clock.now().getTime() - keptMs));
    const draft = { id: randomUUIDv7(), logicalId, schedules, at: clock.now() };
    const deployment = await insertDeployment(db, accountId, draft);
    if (deployment === null) {
      const other = await findActiveDeployment(db, accountId, logicalId);
      if (other === null) throw new KnownError("unavailable", { retryAfterSeconds: 1 });
      return { isBusy: true, deployment: other };
    }
    const work = this.run(caller, request, { ...options, id: deployment.id });
    this.running.add(work);
    work.finally(() => this.running.delete(work));
    return { isBusy: false, deployment };
  }

  /** Waits until the deployments that run on this server end. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.running);
  }

  private async run(
    caller: Caller,
    request: ProjectRequest,
    options: DeploymentOptions & { readonly id: string },
  ): Promise<void> {
    const { db, clock, log } = this.context;
    try {
      await startDeployment(db, caller.accountId, options.id);
      const checkIds = await inTransaction(db, (transaction) =>
        this.deploy(transaction, caller, { request, options }),
      );
      await this.runChecks(caller, checkIds);
    } catch (error) {
      const isStop = error instanceof DeploymentStop;
      if (!isStop && !(error instanceof KnownError)) log.error({ err: error }, "deployment failed");
      const fault = isStop ? error : await this.findAllFaults(caller, request, error);
      const failed = { status: "FAILED" as const, error: describeFailure(fault), result: null };
      const end = { id: options.id, at: clock.now(), ...(isStop ? error.end : failed) };
      try {
        await endDeployment(db, caller.accountId, end);
      } catch (reason) {
        // The next read will mark the deployment as failed, because no runner holds its lock.
        log.warn({ err: reason }, "the end of a deployment could not be stored");
      }
    }
  }

  /** Returns an error with the faults of all resources, because a deployment stops at the first. */
  private async findAllFaults(
    caller: Caller,
    request: ProjectRequest,
    first: unknown,
  ): Promise<unknown> {
    if (!(first instanceof KnownError)) return first;
    try {
      await inTransaction(this.context.db, (db) =>
        rehearse({ context: { ...this.context, db }, caller }, request),
      );
    } catch (error) {
      if (error instanceof KnownError) return error;
    }
    return first;
  }

  /** Runs a deployment, and returns the ids of the checks to run afterwards. */
  private async deploy(
    db: Database,
    caller: Caller,
    about: {
      readonly request: ProjectRequest;
      readonly options: DeploymentOptions & { readonly id: string };
    },
  ): Promise<readonly string[]> {
    const { request, options } = about;
    const { context } = this;
    const { accountId } = caller;
    const { id } = options;
    const which = { id, logicalId: request.logicalId };
    await lockDeployment(db, id);
    await lockName(db, `project ${accountId} ${request.logicalId}`);
    const storeProgress = createProgressWriter(context.db, accountId, id);
    const onProgress = async (progress: number) => {
      storeProgress(progress);
      const now = await findDeployment(db, accountId, which);
      if (now === null || now.cancelRequestedAt !== null || !isActive(now)) throw cancelled();
    };
    const tools = { context: { ...context, db }, caller };
    const mark = await markAuditEntries(db);
    const prepared = await prepare(tools, request);
    const show = (entries: readonly PlanEntry[]) => {
      const diff = entries.map((entry) => toWireEntry(entry, "summary"));
      return options.knowsPlans ? diff : diff.map(toOldEntry);
    };
    const rejectStale = (message: string) => {
      const result = { project: null, diff: show(prepared.entries) };
      const error = { code: "PLAN_STALE", message };
      return new DeploymentStop({ status: "FAILED", error, result });
    };
    if (options.planToken !== null && options.planToken !== prepared.planToken) {
      throw rejectStale("The account has changed since the plan was made. Plan again.");
    }
    const { project, entries } = await applyPlan(tools, { request, prepared, onProgress });
    const changed = await findChangedMeanwhile(tools, { mark, entries: prepared.entries });
    if (changed !== null) throw rejectStale(describeMeanwhile(changed));
    if (options.deletesProject) await deleteProject(db, accountId, project.id);
    const result = { project: toWireProject(project), diff: show(entries) };
    const { runsAfter } = options;
    const checkIds = runsAfter === null ? [] : listChecksToRun(entries, runsAfter);
    const end = { id, status: "SUCCEEDED" as const, error: null, result, at: context.clock.now() };
    const isEnded = await endDeployment(db, accountId, { ...end, schedules: checkIds.length > 0 });
    if (!isEnded) throw cancelled();
    return checkIds;
  }

  /** Runs checks after a deployment. The deployment has succeeded even if the checks cannot run. */
  private async runChecks(caller: Caller, checkIds: readonly string[]): Promise<void> {
    if (checkIds.length === 0) return;
    try {
      await triggerChecks(this.context.schedule, caller, { checkId: [...checkIds] });
    } catch (error) {
      if (!(error instanceof KnownError)) this.context.log.warn({ err: error }, "checks not run");
    }
  }
}

const pollMs = 200;
const repeatMs = 5_000;

/** Waits for a duration, or until the client disconnects. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {});
}

/** Yields progress until the deployment ends. */
export async function* watchDeployment(
  context: ProjectsContext,
  caller: Caller,
  {
    signal,
    ...which
  }: {
    readonly id: string;
    readonly logicalId: string;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<NamedEvent> {
  let reported = -1;
  let quietMs = 0;
  while (!signal.aborted) {
    const deployment = await readDeployment(context, caller, which);
    if (!isActive(deployment)) {
      yield ["complete", toWireDeployment(deployment)];
      return;
    }
    if (deployment.progress !== reported || quietMs >= repeatMs) {
      reported = deployment.progress;
      quietMs = 0;
      yield ["progress", { progress: reported }];
    }
    await pause(pollMs, signal);
    quietMs += pollMs;
  }
}

/** Waits until a deployment ends. Throws a 408 error after a timeout. */
export async function awaitDeployment(
  context: ProjectsContext,
  caller: Caller,
  {
    maxWaitSeconds,
    signal,
    ...which
  }: {
    readonly id: string;
    readonly logicalId: string;
    readonly maxWaitSeconds: number;
    readonly signal: AbortSignal;
  },
): Promise<Deployment> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const deployment = await readDeployment(context, caller, which);
    if (!isActive(deployment)) return deployment;
    if (waitedMs >= maxWaitSeconds * 1_000 || signal.aborted) {
      throw new KnownError("requestTimeout", { message: "The deployment is still in progress" });
    }
    await pause(pollMs, signal);
  }
}
