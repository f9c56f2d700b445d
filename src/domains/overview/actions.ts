import { type Caller, mayReadAuditLog, readAuditLog } from "../accounts/index.ts";
import { type CheckAlertSummary, listOpenAlerts, mapAlertSummaries } from "../alerting/index.ts";
import { mapCheckNames } from "../checks/index.ts";
import { type Incident, listActiveIncidents } from "../incidents/index.ts";
import { listMaintenanceOccurrences, type MaintenanceOccurrence } from "../maintenance/index.ts";
import { listExpiringCertificates } from "../recording/index.ts";
import {
  describeOverload,
  findWorstOverload,
  overloadAdvice,
  toSkippedPercent,
} from "../servers/index.ts";
import {
  type FailingCheck,
  listFailingCauses,
  listFailingChecks,
  listOwnStateChanges,
  type StatesContext,
} from "../states/index.ts";
import type { TrendReader } from "../statistics/index.ts";
import { type Activity, joinActivities } from "./activity.ts";
import { type Grouping, groupTroubles, type TroubleGroup } from "./trouble-groups.ts";

export type OverviewContext = StatesContext;

/** Maximum length of each list besides the checks. */
const maxListed = 20;
const maxCertificates = 20;
const certificateDays = 30;
const dayMs = 86_400_000;

export interface TroubledCheck extends FailingCheck {
  readonly alerts: CheckAlertSummary | null;
}

export interface Overview {
  readonly asOf: Date;
  readonly counts: Awaited<ReturnType<typeof listFailingChecks>>["counts"];
  readonly checks: readonly TroubledCheck[];
  readonly incidents: readonly Incident[];
  readonly maintenance: readonly MaintenanceOccurrence[];
  readonly overload: Overload | null;
}

/** Runs that no server has capacity for. */
export interface Overload {
  readonly skippedPercent: number;
  readonly message: string;
  readonly advice: string;
}

function explainOverload(skippedShare: number): Overload | null {
  const message = describeOverload(skippedShare);
  if (message === null) return null;
  return { skippedPercent: toSkippedPercent(skippedShare), message, advice: overloadAdvice };
}

/** Loads the current problems. */
export async function readOverview(
  context: OverviewContext,
  caller: Caller,
  query: { readonly limit: number },
): Promise<Overview> {
  const { db, clock } = context;
  const { accountId } = caller;
  const asOf = clock.now();
  const nowMs = asOf.getTime();
  const ongoing = { limit: maxListed, status: "ongoing", from: null, to: null } as const;
  const [{ counts, checks }, incidents, moments, skippedShare] = await Promise.all([
    listFailingChecks(context, accountId, query.limit),
    listActiveIncidents(context, caller, ongoing),
    listMaintenanceOccurrences(db, accountId, { fromMs: nowMs, toMs: nowMs }),
    findWorstOverload(db),
  ]);
  const ids = checks.map(({ id }) => id);
  const alerts = await mapAlertSummaries(context, accountId, ids);
  return {
    asOf,
    counts,
    checks: checks.map((check) => ({ ...check, alerts: alerts.get(check.id) ?? null })),
    incidents,
    maintenance: moments.filter(({ startsAtMs }) => startsAtMs <= nowMs).slice(0, maxListed),
    overload: explainOverload(skippedShare),
  };
}

/** Maximum number of checks that are grouped. */
export const maxGrouped = 1_000;

/** Groups the current problems by cause, group, tag or location. */
export async function listTroubleGroups(
  context: OverviewContext,
  caller: Caller,
  by: Grouping,
): Promise<TroubleGroup[]> {
  const [causes, open] = await Promise.all([
    listFailingCauses(context, caller.accountId, maxGrouped),
    listOpenAlerts(context, caller, { limit: maxGrouped }),
  ]);
  const alerts = new Map(open.map(({ checkId, state }) => [checkId, state]));
  const checks = causes.map(({ id, ...cause }) => {
    const state = alerts.get(id);
    const isAcknowledged = state !== undefined && state.acknowledgedAtMs !== null;
    return { ...cause, checkId: id, isAlerted: state !== undefined, isAcknowledged };
  });
  return groupTroubles(checks, by);
}

/** Lists activity from a given time until now, newest first. */
export async function listActivity(
  context: OverviewContext,
  caller: Caller,
  query: { readonly from: Date; readonly limit: number },
): Promise<Activity[]> {
  const { db, clock } = context;
  const { from, limit } = query;
  const { accountId } = caller;
  const to = new Date(clock.now().getTime() + 1);
  const span = { fromMs: from.getTime(), toMs: to.getTime() };
  const [states, moments, entries] = await Promise.all([
    listOwnStateChanges(context, caller, { checkId: null, from, to, limit }),
    listMaintenanceOccurrences(db, accountId, span),
    mayReadAuditLog(caller) ? readAuditLog(context, caller, { limit: 100 }) : [],
  ]);
  const edits = entries.filter(({ at }) => at >= from);
  const names = await mapCheckNames(
    db,
    accountId,
    edits.filter(({ target }) => target.type === "check").map(({ target }) => target.id),
  );
  return joinActivities({ states, moments, edits, names, span }, limit);
}

/** Lists negative trends: check figures and certificates that expire soon. */
export async function listTrends(context: OverviewContext, reader: TrendReader, caller: Caller) {
  const { db, clock } = context;
  const now = clock.now();
  const before = new Date(now.getTime() + certificateDays * dayMs);
  const [{ trends, asOfMs }, certificates] = await Promise.all([
    reader.read(caller.accountId),
    listExpiringCertificates(db, caller.accountId, { before, limit: maxCertificates }),
  ]);
  return { trends, certificates, now, asOf: new Date(asOfMs) };
}
