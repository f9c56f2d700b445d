import type { AlertMessage, Urgency } from "../../channels/alert-channels/index.ts";
import { mapPlaceNames } from "../../checks/locations/index.ts";
import type { Kind } from "../../kinds/kit/kind.ts";
import type { Fact } from "../../kinds/kit/presentation.ts";
import type { Reason, Verdict } from "../../kinds/kit/verdict.ts";
import { explainVerdict } from "../../kinds/kit/verdict.ts";
import { formatRunUrl } from "../../pages/screens.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { isUuid } from "../../platform/text/patterns.ts";
import { formatDuration } from "../../platform/text/time.ts";
import {
  findNamedResults,
  findNewestFinal,
  mapPathsOfAlerts,
  type ResultRow,
  readRun,
  toWirePathReport,
  verdictNames,
} from "../../runs/results/index.ts";
import type { Watched } from "../../runs/scheduling/index.ts";
import type { Alert } from "./alert-decision.ts";
import type { DeciderContext } from "./context.ts";

export interface Acknowledgeable {
  readonly checkId: string;
  readonly alertNumber: number;
  /** Id of the member for whom the link was created; missing or `null` for a shared link. */
  readonly userId?: string | null;
  /**
   * Id of the newest delivery of the message if the message is about several alerts, of which this
   * is the first; missing or `null` if the message is about one alert.
   */
  readonly newestId?: string | null;
}

/** Marks sealed values that are acknowledge links. Other values are sealed with the same key. */
const purpose = "acknowledge";

/**
 * Creates an acknowledge link. Its encrypted token is valid for one alert of one check, or for all
 * alerts of a message to a member.
 */
export function createAcknowledgeUrl(
  { encryption }: { readonly encryption: Encryption },
  base: string,
  about: Acknowledgeable,
): string {
  const { checkId, alertNumber, userId = null, newestId = null } = about;
  const sealed = encryption.encrypt(
    JSON.stringify([checkId, alertNumber, userId, newestId, purpose]),
  );
  return `${base}/acknowledge/${Buffer.from(sealed, "base64").toString("base64url")}`;
}

export function readAcknowledgeToken(
  { encryption }: { readonly encryption: Encryption },
  token: string,
): Acknowledgeable | null {
  try {
    const text = encryption.decrypt(Buffer.from(token, "base64url").toString("base64"));
    // Links of earlier releases have no purpose.
    const [checkId, alertNumber, userId = null, newestId = null, sealedFor = purpose] =
      JSON.parse(text);
    const isMeant =
      sealedFor === purpose && isUuid(String(checkId)) && Number.isInteger(alertNumber);
    if (!isMeant || ![userId, newestId].every((id) => id === null || isUuid(String(id))))
      return null;
    return { checkId, alertNumber, userId, ...(newestId !== null && { newestId }) };
  } catch {
    return null;
  }
}

/** Marks the message as part of a page, and attributes responses through its links to a member. */
export function addressToMember<
  Message extends Pick<AlertMessage, "acknowledgeUrl"> & { readonly isPage?: boolean },
>(
  tools: { readonly encryption: Encryption },
  message: Message,
  to: Required<Pick<Acknowledgeable, "userId">> & Pick<Acknowledgeable, "newestId">,
): Message {
  const [, base = "", token = ""] =
    /^(.*)\/acknowledge\/([^/]+)$/.exec(message.acknowledgeUrl ?? "") ?? [];
  const about = readAcknowledgeToken(tools, token);
  if (about === null) return { ...message, isPage: true };
  const acknowledgeUrl = createAcknowledgeUrl(tools, base, { ...about, ...to });
  return { ...message, isPage: true, acknowledgeUrl };
}

/**
 * Returns a link that acknowledges all alerts of a message; `null` if none of them can be
 * acknowledged. Each call returns another link.
 */
export function createGroupUrl(
  tools: { readonly encryption: Encryption },
  messages: readonly Pick<AlertMessage, "acknowledgeUrl">[],
  to: Required<Pick<Acknowledgeable, "userId" | "newestId">>,
): string | null {
  const acknowledgeUrl = messages.map((one) => one.acknowledgeUrl).find((url) => url !== null);
  return acknowledgeUrl === undefined
    ? null
    : addressToMember(tools, { acknowledgeUrl }, to).acknowledgeUrl;
}

/** The run that an alert is about. */
interface RunFacts {
  readonly resultId: string;
  readonly verdict: Verdict;
  /** Location where the run was executed; `null` if no probe executed it. */
  readonly location: string | null;
  /** Name of the location for people; the code of the location if omitted. */
  readonly locationName?: string | null;
  readonly responseTimeMs: number | null;
  readonly facts: readonly Fact[];
  readonly reasons: readonly Reason[];
  /** Summary of the traced network path to the target; `null` if no path is known yet. */
  readonly pathSummary?: string | null;
}

interface CheckFacts {
  readonly checkId: string;
  readonly kind: Kind;
  readonly name: string;
  readonly target: string;
  readonly groupName: string | null;
  readonly tags: readonly string[];
}

export const headlines: Readonly<Record<AlertMessage["kind"], string>> = {
  ALERT_FAILURE: "is failing",
  ALERT_FAILURE_REMAIN: "is still failing",
  ALERT_FAILURE_DEGRADED: "has improved to degraded",
  ALERT_RECOVERY: "has recovered",
  ALERT_DEGRADED: "is degraded",
  ALERT_DEGRADED_REMAIN: "is still degraded",
  ALERT_DEGRADED_FAILURE: "was degraded and is now failing",
  ALERT_DEGRADED_RECOVERY: "has recovered from being degraded",
  ALERT_NO_DATA: "has no data",
  ALERT_SSL: "has a certificate that expires",
  ALERT_TEST: "is being tested",
};

/**
 * Returns the verdict that a run must have to explain an alert of this kind; `null` if a run with
 * any verdict can explain the alert.
 */
export function findExplainingVerdict(kind: AlertMessage["kind"]): "failing" | "degraded" | null {
  switch (kind) {
    case "ALERT_FAILURE":
    case "ALERT_FAILURE_REMAIN":
    case "ALERT_DEGRADED_FAILURE":
      return "failing";
    case "ALERT_DEGRADED":
    case "ALERT_DEGRADED_REMAIN":
    case "ALERT_FAILURE_DEGRADED":
      return "degraded";
    default:
      return null;
  }
}

function writeReason(alert: Alert, { kind }: CheckFacts, run: RunFacts | null): string {
  const cause = writeCause(alert, kind, run);
  if (!alert.isFlapping) return cause;
  return `${cause} The state keeps changing; further alerts are held until it is stable.`;
}

function writeCause(alert: Alert, kind: Kind, run: RunFacts | null): string {
  if (alert.kind === "ALERT_NO_DATA") return "No result was received within the configured time.";
  if (run === null) return "The run behind this alert is no longer stored.";
  const isTrouble = findExplainingVerdict(alert.kind) !== null;
  if (isTrouble && run.verdict === "passing") {
    return "The latest run passed, but not every location has recovered.";
  }
  if (run.reasons.length > 0) {
    const why = explainVerdict(kind, run.reasons);
    return isTrouble && run.pathSummary ? `${why} ${run.pathSummary}` : why;
  }
  return "The latest run was within all limits.";
}

/** Returns the duration of the problem if the alert is a recovery; `null` for other alerts. */
function findLastedSeconds({ troubleStartedAtMs, startedAtMs }: Alert): number | null {
  if (troubleStartedAtMs === null) return null;
  return Math.max(0, Math.round((startedAtMs - troubleStartedAtMs) / 1_000));
}

function writeHeadline(alert: Alert, check: CheckFacts, lastedSeconds: number | null): string {
  const headline = `${check.name} ${headlines[alert.kind]}`;
  return lastedSeconds === null
    ? headline
    : `${headline} after ${formatDuration(lastedSeconds * 1_000)}`;
}

export function writeAlertMessage(
  alert: Alert,
  about: { readonly check: CheckFacts; readonly run: RunFacts | null },
  links: Pick<AlertMessage, "alertUrl" | "resultUrl" | "acknowledgeUrl">,
): Omit<AlertMessage, "idempotencyKey"> {
  const { check, run } = about;
  const lastedSeconds = findLastedSeconds(alert);
  return {
    kind: alert.kind,
    title: writeHeadline(alert, check, lastedSeconds),
    reason: writeReason(alert, check, run),
    checkId: check.checkId,
    checkName: check.name,
    checkType: check.kind.type,
    target: check.target,
    groupName: check.groupName,
    tags: check.tags,
    resultId: run?.resultId ?? alert.resultId,
    alertUrl: links.alertUrl ?? null,
    resultUrl: links.resultUrl,
    location: run?.location ?? null,
    locationName: run?.locationName ?? run?.location ?? null,
    responseTimeMs: run?.responseTimeMs ?? null,
    facts: run?.facts ?? check.kind.listFacts(null),
    startedAt: new Date(alert.startedAtMs).toISOString(),
    lastedSeconds,
    isReminder: alert.isReminder,
    reminderSequence: alert.reminderSequence,
    acknowledgeUrl: links.acknowledgeUrl,
  };
}

/** Settings of a channel that decide which kinds of alerts the channel receives. */
export interface AlertFilter {
  readonly sendRecovery: boolean;
  readonly sendFailure: boolean;
  readonly sendDegraded: boolean;
  readonly sslExpiry: boolean;
}

/** Whether the channel receives alerts of this kind. */
export function receivesAlert(kind: AlertMessage["kind"], channel: AlertFilter): boolean {
  switch (kind) {
    case "ALERT_SSL":
      return channel.sslExpiry;
    case "ALERT_RECOVERY":
      return channel.sendRecovery;
    case "ALERT_DEGRADED":
    case "ALERT_DEGRADED_REMAIN":
      return channel.sendDegraded;
    case "ALERT_DEGRADED_RECOVERY":
      return channel.sendDegraded && channel.sendRecovery;
    default:
      return channel.sendFailure;
  }
}

/** An alert that is about to be sent. */
export interface OutgoingAlert {
  readonly id: string;
  readonly watched: Watched;
  readonly alert: Alert;
  /** Ids of the channels added by the escalation stages reached so far. */
  readonly reachedChannelIds: readonly number[];
  /** Urgency from the alert settings; omitted if the kind of the alert decides the urgency. */
  readonly urgency?: Urgency | undefined;
}

export type UnaddressedMessage = Omit<AlertMessage, "idempotencyKey">;

export interface AlertMessages {
  readonly get: (outgoing: OutgoingAlert) => UnaddressedMessage;
}

/** Returns the URL of an alert in the application. */
export const writeAlertUrl = (base: string, alertId: string) => `${base}/alerts/${alertId}`;

/**
 * Returns the summaries of the traced network paths of failing runs, by alert. The first alert
 * often has no summary, because alerts do not wait for the trace.
 */
async function mapPathSummaries(
  { db }: Pick<DeciderContext, "db">,
  outgoing: readonly OutgoingAlert[],
): Promise<Map<string, string>> {
  const failing = outgoing.filter(({ alert }) => findExplainingVerdict(alert.kind) === "failing");
  const reports = await mapPathsOfAlerts(
    db,
    failing.map(({ id, watched: { checkId }, alert }) => {
      return { id, checkId, fromMs: alert.startedAtMs, toMs: alert.atMs + 1 };
    }),
  );
  const traced = [...reports].filter(([, report]) => "path" in report.failing);
  return new Map(traced.map(([id, report]) => [id, toWirePathReport(report).summary]));
}

function toRunFacts({ kind }: Watched, row: ResultRow, pathSummary: string | null): RunFacts {
  const { outcome } = readRun(kind, row);
  return {
    resultId: row.id,
    verdict: verdictNames[row.verdict] ?? "unknown",
    // Runs that other systems report, such as pings of a heartbeat, have no location.
    location: kind.isOrdered ? row.location : null,
    responseTimeMs: row.response_ms,
    facts: kind.listFacts(outcome.kind === "measured" ? outcome.measurement : null),
    reasons: row.reasons ?? [],
    pathSummary,
  };
}

/** Loads the run that explains each alert. Alerts whose run is no longer stored are missing. */
async function mapRunFacts(
  context: Pick<DeciderContext, "db" | "clock">,
  alerts: readonly OutgoingAlert[],
): Promise<Map<string, RunFacts>> {
  const { db } = context;
  const placeNames = new Map<string, ReadonlyMap<string, string>>();
  for (const accountId of new Set(alerts.map(({ watched }) => watched.accountId))) {
    placeNames.set(accountId, await mapPlaceNames(context, accountId));
  }
  const named = alerts.flatMap(({ watched: { checkId }, alert: { resultId } }) =>
    resultId === null ? [] : [{ checkId, resultId }],
  );
  const rows = new Map((await findNamedResults(db, named)).map((row) => [row.id, row]));
  const summaries = await mapPathSummaries(context, alerts);
  const facts = new Map<string, RunFacts>();
  for (const outgoing of alerts) {
    const { id, watched, alert } = outgoing;
    const newest = rows.get(alert.resultId ?? "");
    if (newest === undefined) continue;
    const verdict = findExplainingVerdict(alert.kind);
    // With parallel locations, the newest run may be a passing run, although another location still
    // fails. In this case, find the newest run with the verdict that the alert reports.
    const isExplained = verdict === null || verdictNames[newest.verdict] !== "passing";
    const span = { fromMs: alert.startedAtMs, toMs: alert.atMs + 1 };
    const row = isExplained
      ? newest
      : ((await findNewestFinal(db, watched.checkId, { ...span, verdict })) ?? newest);
    const run = toRunFacts(watched, row, summaries.get(id) ?? null);
    const names = placeNames.get(watched.accountId);
    facts.set(id, { ...run, locationName: names?.get(run.location ?? "") ?? run.location });
  }
  return facts;
}

function composeMessage(
  context: DeciderContext,
  { id, watched, alert, urgency }: OutgoingAlert,
  run: RunFacts | null,
): UnaddressedMessage {
  const { checkId, kind, settings } = watched;
  const base = context.publicUrl();
  const isTrouble = alert.kind !== "ALERT_RECOVERY" && alert.kind !== "ALERT_DEGRADED_RECOVERY";
  const about = { checkId, alertNumber: alert.alertNumber };
  const resultId = run?.resultId ?? alert.resultId;
  const message = writeAlertMessage(
    alert,
    {
      check: {
        checkId,
        name: settings.name,
        kind,
        target: kind.target(settings),
        groupName: watched.groupName,
        tags: settings.tags,
      },
      run,
    },
    {
      alertUrl: writeAlertUrl(base, id),
      resultUrl: resultId === null ? null : formatRunUrl(base, checkId, resultId),
      acknowledgeUrl: isTrouble ? createAcknowledgeUrl(context, base, about) : null,
    },
  );
  return urgency === undefined ? message : { ...message, urgency };
}

/** Returns the messages of alerts. Each message is composed lazily, on first use. */
export async function composeMessages(
  context: DeciderContext,
  alerts: readonly OutgoingAlert[],
): Promise<AlertMessages> {
  const facts = await mapRunFacts(context, alerts);
  const written = new Map<string, UnaddressedMessage>();
  return {
    get: (outgoing) => {
      const { id } = outgoing;
      const message = written.get(id) ?? composeMessage(context, outgoing, facts.get(id) ?? null);
      written.set(id, message);
      return message;
    },
  };
}
