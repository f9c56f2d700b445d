import {
  type AuditEntry,
  type Caller,
  mayReadAuditLog,
  readAuditLog,
} from "../../access/accounts/index.ts";
import {
  describeOverload,
  findWorstOverload,
  overloadAdvice,
  toSkippedPercent,
} from "../../access/servers/index.ts";
import { mapCheckNames } from "../../checks/checks/index.ts";
import {
  type CheckAlertSummary,
  listOpenAlerts,
  mapAlertSummaries,
} from "../../response/alerting/index.ts";
import { type Incident, listActiveIncidents } from "../../response/incidents/index.ts";
import {
  listMaintenanceOccurrences,
  type MaintenanceOccurrence,
} from "../../response/maintenance/index.ts";
import { listExpiringCertificates } from "../../runs/recording/index.ts";
import {
  type FailingCheck,
  listFailingCauses,
  listFailingChecks,
  listOwnStateChanges,
  type StateChangeRecord,
  type StatesContext,
} from "../../runs/states/index.ts";
import type { TrendReader } from "../../runs/statistics/index.ts";

/** Criteria by which problems can be grouped. */

export const groupings = ["cause", "group", "tag", "location"] as const;
export type Grouping = (typeof groupings)[number];

export interface GroupedCheck {
  readonly checkId: string;
  readonly name: string;
  readonly status: "failing" | "degraded";
  readonly since: Date;
  /** Whether the check has an open alert. */
  readonly isAlerted: boolean;
  readonly isAcknowledged: boolean;
  readonly cause: { readonly key: string; readonly explanation: string | null };
  readonly groupName: string | null;
  readonly tags: readonly string[];
  readonly places: readonly string[];
}

export interface TroubleGroup {
  readonly key: string;
  /** Label; `null` for the group of checks without a value, such as checks without a tag. */
  readonly label: string | null;
  readonly checks: readonly GroupedCheck[];
}

const keysOf: Readonly<Record<Grouping, (check: GroupedCheck) => readonly string[]>> = {
  cause: ({ cause }) => [cause.key],
  group: ({ groupName }) => (groupName === null ? [] : [groupName]),
  tag: ({ tags }) => [...new Set(tags)],
  location: ({ places }) => places,
};

/** Formats "connection-failed ECONNREFUSED" as "Connection failed (ECONNREFUSED)". */
function writeCause(key: string): string {
  const [name = "", ...code] = key.split(" ");
  const words = name.replaceAll("-", " ");
  const suffix = code.length === 0 ? "" : ` (${code.join(" ")})`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${suffix}`;
}

function writeLabel(by: Grouping, key: string, checks: readonly GroupedCheck[]): string {
  if (by !== "cause") return key;
  const [first = null, ...others] = new Set(checks.map(({ cause }) => cause.explanation));
  return first !== null && others.length === 0 ? first : writeCause(key);
}

/**
 * Groups checks, largest group first. A check with several tags is in several groups. Checks
 * without a value form the last group.
 */
export function groupTroubles(checks: readonly GroupedCheck[], by: Grouping): TroubleGroup[] {
  const groups = new Map<string, GroupedCheck[]>();
  const rest: GroupedCheck[] = [];
  for (const check of checks) {
    const keys = keysOf[by](check);
    if (keys.length === 0) rest.push(check);
    for (const key of keys) groups.set(key, [...(groups.get(key) ?? []), check]);
  }
  const named = [...groups].map(([key, members]) => ({
    key,
    label: writeLabel(by, key, members),
    checks: members,
  }));
  const sorted = named.toSorted(
    (one, other) => other.checks.length - one.checks.length || one.label.localeCompare(other.label),
  );
  return rest.length === 0 ? sorted : [...sorted, { key: "", label: null, checks: rest }];
}

export interface Activity {
  readonly type: "state" | "maintenance" | "edit";
  readonly at: Date;
  readonly checkId: string | null;
  /** Name of the check, maintenance window or edited object; `null` if the name is unknown. */
  readonly name: string | null;
  /**
   * New state of the check, `started` or `ended` for maintenance, or the audit action of an edit.
   */
  readonly what: string;
  /** Previous state of the check; `null` for maintenance and edits. */
  readonly before: string | null;
  /** Name of the user or key that made the edit; `null` if the activity is not an edit. */
  readonly actor: string | null;
  /** Number of objects that the edit changed; 1 if the activity is not an edit. */
  readonly count: number;
}

/** Audit actions to omit, such as signing in, because they do not affect other users. */
const unseenActions = /^(?:session|user|agent-action|check-session)\.|^check\.tried$/;

interface ActivitySources {
  readonly states: readonly StateChangeRecord[];
  readonly moments: readonly MaintenanceOccurrence[];
  readonly edits: readonly AuditEntry[];
  readonly names: ReadonlyMap<string, string>;
  readonly span: { readonly fromMs: number; readonly toMs: number };
}

/**
 * Returns whether to list a state change. Changes from unknown to passing are omitted: they follow
 * the first result of a check, or a time without data.
 */
const isRelevant = ({ from, to }: StateChangeRecord) => !(from === "unknown" && to === "passing");

function describeEdit(entry: AuditEntry, names: ActivitySources["names"]): Activity {
  const { action, target, changes, at, actor } = entry;
  const isCheck = target.type === "check";
  // Some edited objects have no name. A dashboard is shown by its header, and an environment
  // variable by its key, which is the target id of the audit entry.
  const key = target.type === "variable" ? target.id : null;
  const noted = [changes.name, changes.header, key].find((one) => typeof one === "string") ?? null;
  return {
    type: "edit",
    at,
    checkId: isCheck && names.has(target.id) ? target.id : null,
    name: names.get(target.id) ?? noted ?? target.name,
    what: action,
    before: null,
    actor: actor.name,
    count: Array.isArray(changes.items) ? changes.items.length : 1,
  };
}

const nobody = { actor: null, count: 1 } as const;

function listMaintenance({ moments, span }: ActivitySources): Activity[] {
  const within = (ms: number) => ms >= span.fromMs && ms < span.toMs;
  return moments.flatMap(({ name, startsAtMs, endsAtMs }) => {
    const about = { type: "maintenance", checkId: null, name, before: null, ...nobody } as const;
    return [
      ...(within(startsAtMs) ? [{ ...about, at: new Date(startsAtMs), what: "started" }] : []),
      ...(within(endsAtMs) ? [{ ...about, at: new Date(endsAtMs), what: "ended" }] : []),
    ];
  });
}

const byNewest = (one: Activity, other: Activity) => other.at.getTime() - one.at.getTime();

/**
 * Shortens the activity to the limit. Edits get half of the entries, and other activity gets the
 * other half. If one of them needs fewer entries, the other gets the rest.
 */
function shareLimit(events: readonly Activity[], edits: readonly Activity[], limit: number) {
  const editCount = Math.min(edits.length, Math.max(Math.floor(limit / 2), limit - events.length));
  const shown = events.toSorted(byNewest).slice(0, limit - editCount);
  return [...shown, ...edits.toSorted(byNewest).slice(0, editCount)].sort(byNewest);
}

/** Merges state changes, maintenance and edits into one list, newest first. */
export function joinActivities(sources: ActivitySources, limit: number): Activity[] {
  const states = sources.states.filter(isRelevant).map(
    (one): Activity => ({
      type: "state",
      at: one.at,
      checkId: one.name === null ? null : one.checkId,
      name: one.name,
      what: one.to,
      before: one.from,
      ...nobody,
    }),
  );
  const edits = sources.edits
    .filter(({ action }) => !unseenActions.test(action))
    .map((entry) => describeEdit(entry, sources.names));
  return shareLimit([...states, ...listMaintenance(sources)], edits, limit);
}

export type OverviewContext = StatesContext;

/** Maximum number of incidents, and of maintenance windows. */
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

/** Runs that are skipped because of overload: their percentage, an explanation, and advice. */
interface Overload {
  readonly skippedPercent: number;
  readonly message: string;
  readonly advice: string;
}

function explainOverload(skippedShare: number): Overload | null {
  const message = describeOverload(skippedShare);
  if (message === null) return null;
  return { skippedPercent: toSkippedPercent(skippedShare), message, advice: overloadAdvice };
}

/** Loads current problems, incidents, maintenance windows and overload. */
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

/** Maximum number of checks to group. */
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

/** Lists the activity since a given time, newest first. */
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

/** Lists checks whose figures got worse, and certificates that expire soon. */
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
