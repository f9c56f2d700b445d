import { randomUUIDv7 } from "node:crypto";
import { type AuditActor, type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { holdChecks, listAccountCheckIds } from "../../../checks/checks/index.ts";
import { defaultType } from "../../../kinds/index.ts";
import { inTransaction } from "../../../platform/database.ts";
import { invalid, KnownError, notFound } from "../../../platform/errors.ts";
import { listAttempts, type ResultRow } from "../../results/index.ts";
import type { ScheduleContext } from "../context.ts";
import { createOrder, sendOrders } from "../orders.ts";
import { chooseLocations, runNumberOf } from "../schedule.ts";
import { type CheckSession, findSession, insertSessions } from "../schedule-store.ts";
import type { Watched } from "../watch-list.ts";

export const sessionStatuses = [
  "STARTED",
  "PROGRESS",
  "PASSED",
  "DEGRADED",
  "FAILED",
  "TIMED_OUT",
] as const;
type SessionStatus = (typeof sessionStatuses)[number];

export interface SessionReport {
  readonly session: CheckSession;
  readonly name: string;
  readonly checkType: string;
  readonly status: SessionStatus;
  readonly results: readonly ResultRow[];
  readonly elapsedMs: number;
}

interface SessionResult {
  readonly location: string;
  readonly verdict: number;
  readonly is_final: boolean;
}

const names: readonly SessionStatus[] = ["TIMED_OUT", "PASSED", "DEGRADED", "FAILED"];

/**
 * Returns the status of a session. A session ends when every location has a final result, after
 * which there is no retry. The worst result then decides the status.
 */
function decideSessionStatus(
  locations: readonly string[],
  results: readonly SessionResult[],
  isExpired: boolean,
): SessionStatus {
  const finals = results.filter((result) => result.is_final);
  const isOver = locations.every((location) =>
    finals.some((result) => result.location === location),
  );
  // With a single location, the session consists of one run. A retry of this run may use a
  // different location, so a final result from any location ends the session.
  const isRunOver = locations.length === 1 && finals.length > 0;
  if (isOver || isRunOver) {
    const worst = Math.max(...finals.map((result) => result.verdict));
    return names[worst] ?? "TIMED_OUT";
  }
  if (isExpired) return "TIMED_OUT";
  return results.length === 0 ? "STARTED" : "PROGRESS";
}

/**
 * Returns whether a check has all tags of at least one list: `[[a, b], [c]]` means (a and b) or c.
 */
function matchesTags(tags: readonly string[], lists: readonly (readonly string[])[]): boolean {
  return lists.some((list) => list.every((tag) => tags.includes(tag)));
}

interface TriggerTarget {
  readonly checkId?: readonly string[] | undefined;
  readonly matchTags?: readonly (readonly string[])[] | undefined;
}

const maxTriggered = 100;
/** Maximum duration of a session. No run takes longer, including its retries. */
const sessionTimeoutMs = 900_000;
const lookEveryMs = 200;

/** Finds the account's checks that a probe can run, optionally filtered by ids and tags. */
export async function findTargets(
  context: ScheduleContext,
  caller: Pick<Caller, "accountId">,
  target: TriggerTarget,
): Promise<Watched[]> {
  const { checkId, matchTags } = target;
  const ids = await listAccountCheckIds(context.db, caller.accountId, checkId ?? null);
  const found = await context.watchList.find(ids);
  const watched = ids
    .flatMap((id) => found.get(id) ?? [])
    // Excludes kinds that no probe runs, such as heartbeats.
    .filter(({ kind }) => kind.isOrdered);
  if (matchTags === undefined) return watched;
  return watched.filter(({ settings }) => matchesTags(settings.tags, matchTags));
}

/**
 * Reloads the checks from the database. A client that changes a check and then triggers a run
 * expects the change to apply, even if the change notification has not arrived yet.
 */
async function readAgain(
  { watchList, accountVariables, accountCertificates }: ScheduleContext,
  targets: readonly Watched[],
): Promise<Watched[]> {
  const ids = targets.map(({ checkId }) => checkId);
  for (const { checkId, accountId } of targets) {
    watchList.forget(checkId);
    accountVariables.forget(accountId);
    accountCertificates.forget(accountId);
  }
  return [...(await watchList.find(ids)).values()];
}

/** Runs checks immediately, including checks that are not due and checks that are deactivated. */
export async function triggerChecks(
  context: ScheduleContext,
  caller: AuditActor,
  target: TriggerTarget,
): Promise<SessionReport[]> {
  if (target.checkId === undefined && target.matchTags === undefined) {
    throw invalid("target", "must contain checkId or matchTags");
  }
  const targets = await findTargets(context, caller, target);
  if (targets.length === 0) throw notFound();
  if (targets.length > maxTriggered) {
    throw invalid("target", `matches ${targets.length} checks; the limit is ${maxTriggered}`);
  }
  const now = context.clock.now();
  const dueAtMs = now.getTime();
  const planned = (await readAgain(context, targets)).map((watched) => {
    const { checkId, plan, places, settings } = watched;
    const runNumber = runNumberOf(plan, dueAtMs);
    const { runParallel } = settings;
    const locations = chooseLocations({ checkId, runNumber, locations: places, runParallel });
    const orders = locations.map((location) =>
      createOrder(watched, { location, dueAtMs, attempt: 1, startAtMs: dueAtMs }),
    );
    const session = { id: randomUUIDv7(), checkId, locations, startedAt: now };
    return { session, orders, name: settings.name, checkType: watched.kind.type };
  });
  const started = await inTransaction(context.db, async (db) => {
    const ids = planned.map(({ session }) => session.checkId);
    const held = await holdChecks(db, caller.accountId, ids);
    const started = planned.filter(({ session }) => held.has(session.checkId));
    if (started.length === 0) throw notFound();
    await insertSessions(
      db,
      caller.accountId,
      started.map(({ session }) => session),
    );
    const targetId = started[0]?.session.id ?? "";
    const changes = { checks: started.map(({ session }) => session.checkId) };
    const action = "check-session.triggered";
    await writeAuditEntry(db, caller, { action, targetId, changes, at: now });
    return started;
  });
  await sendOrders(
    context,
    started.flatMap(({ orders }) => orders),
    dueAtMs,
  );
  return started.map(({ session, name, checkType }) => ({
    session,
    name,
    checkType,
    status: "STARTED" as const,
    results: [],
    elapsedMs: 0,
  }));
}

export async function getSession(
  context: ScheduleContext,
  caller: Caller,
  id: string,
): Promise<SessionReport> {
  const session = await findSession(context.db, caller.accountId, id);
  if (session === null) throw notFound();
  const { checkId, locations, startedAt } = session;
  const watched = (await context.watchList.find([checkId])).get(checkId);
  const results = await listAttempts(context.db, checkId, [startedAt.getTime()]);
  const elapsedMs = context.clock.now().getTime() - startedAt.getTime();
  const status = decideSessionStatus(locations, results, elapsedMs > sessionTimeoutMs);
  const name = watched?.settings.name ?? "";
  const checkType = watched?.kind.type ?? defaultType;
  return { session, name, checkType, status, results, elapsedMs };
}

/**
 * Waits until the session ends, and returns its report. After a timeout, throws a 408 error, which
 * tells the client to retry.
 */
export async function awaitSession(
  context: ScheduleContext,
  caller: Caller,
  request: { readonly id: string; readonly maxWaitSeconds: number },
): Promise<SessionReport> {
  const looks = Math.ceil((request.maxWaitSeconds * 1_000) / lookEveryMs);
  for (let look = 0; look <= looks; look += 1) {
    const report = await getSession(context, caller, request.id);
    if (report.status !== "STARTED" && report.status !== "PROGRESS") return report;
    await new Promise((resume) => setTimeout(resume, lookEveryMs));
  }
  throw new KnownError("requestTimeout", {
    message: "The session is still running. Retry the request.",
  });
}
