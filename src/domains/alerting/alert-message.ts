import { formatRunUrl } from "../../platform/app-urls.ts";
import type { AlertMessage } from "../alert-channels/index.ts";
import {
  findNamedResults,
  findNewestFinal,
  type ResultRow,
  readRun,
  verdictNames,
} from "../results/index.ts";
import type { Watched } from "../schedule/index.ts";
import { createAcknowledgeUrl } from "./acknowledgements/token.ts";
import type { Alert } from "./alert-decision.ts";
import { findExplainingVerdict, type RunFacts, writeAlertMessage } from "./alert-text.ts";
import type { DeciderContext } from "./context.ts";

/** An alert that is about to be sent. */
export interface OutgoingAlert {
  readonly id: string;
  readonly watched: Watched;
  readonly alert: Alert;
  /** Channels added by the escalation stages reached so far. */
  readonly reachedChannelIds: readonly number[];
}

export type UnaddressedMessage = Omit<AlertMessage, "idempotencyKey">;

export interface AlertMessages {
  readonly get: (outgoing: OutgoingAlert) => UnaddressedMessage;
}

/** Returns the URL of an alert in the application. */
export const writeAlertUrl = (base: string, alertId: string) => `${base}/alerts/${alertId}`;

function toRunFacts({ kind }: Watched, row: ResultRow): RunFacts {
  const { outcome } = readRun(kind, row);
  return {
    resultId: row.id,
    verdict: verdictNames[row.verdict] ?? "unknown",
    // Heartbeat runs are reported by the job itself, so they have no location.
    location: kind.isOrdered ? row.location : null,
    responseTimeMs: row.response_ms,
    facts: kind.listFacts(outcome.kind === "measured" ? outcome.measurement : null),
    reasons: row.reasons ?? [],
  };
}

/** Finds the run that explains each alert, if it is still stored. */
async function mapRunFacts(
  { db }: Pick<DeciderContext, "db">,
  alerts: readonly OutgoingAlert[],
): Promise<Map<string, RunFacts>> {
  const named = alerts.flatMap(({ watched: { checkId }, alert: { resultId } }) =>
    resultId === null ? [] : [{ checkId, resultId }],
  );
  const rows = new Map((await findNamedResults(db, named)).map((row) => [row.id, row]));
  const facts = new Map<string, RunFacts>();
  for (const { id, watched, alert } of alerts) {
    const newest = rows.get(alert.resultId ?? "");
    if (newest === undefined) continue;
    const verdict = findExplainingVerdict(alert.kind);
    // With parallel locations the newest run may have passed; then find a run that explains the
    // alert.
    const isExplained = verdict === null || verdictNames[newest.verdict] !== "passing";
    const span = { fromMs: alert.startedAtMs, toMs: alert.atMs + 1 };
    const row = isExplained
      ? newest
      : ((await findNewestFinal(db, watched.checkId, { ...span, verdict })) ?? newest);
    facts.set(id, toRunFacts(watched, row));
  }
  return facts;
}

function composeMessage(
  context: DeciderContext,
  { id, watched, alert }: OutgoingAlert,
  run: RunFacts | null,
): UnaddressedMessage {
  const { checkId, kind, settings } = watched;
  const base = context.publicUrl();
  const isTrouble = alert.kind !== "ALERT_RECOVERY" && alert.kind !== "ALERT_DEGRADED_RECOVERY";
  const about = { checkId, alertNumber: alert.alertNumber };
  const resultId = run?.resultId ?? alert.resultId;
  return writeAlertMessage(
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
}

/** Composes the message of each alert lazily, on first use. */
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
