import { createOrderedIds } from "../../platform/ordered-id.ts";
import {
  type AlertChannel,
  type AlertMessage,
  type ChannelType,
  channelKinds,
  listChannelsByIds,
  listChannelsOfCheck,
  unsealChannel,
} from "../alert-channels/index.ts";
import {
  findFinalResults,
  findNewestFinal,
  type ResultRow,
  readRun,
  verdictNames,
  type Watched,
} from "../runs/index.ts";
import { createAcknowledgeUrl } from "./acknowledgements/token.ts";
import type { Alert } from "./alert-decision.ts";
import { findExplainingVerdict, isWanted, type RunFacts, writeAlertMessage } from "./alert-text.ts";
import type { AlertingContext } from "./context.ts";
import type { NewDelivery } from "./delivery-store.ts";

/** An alert that was decided on and is to be told. */
export interface Told {
  readonly id: string;
  readonly watched: Watched;
  readonly alert: Alert;
  /** Whom the stages reached have added to the check's own channels. */
  readonly reachedChannelIds: readonly number[];
}

/** A failure and its recovery may be decided in the same millisecond, and go out in order. */
const createDeliveryId = createOrderedIds();

/** Each asks the database a few questions; so many at once leave it room for everybody else. */
const addressedAtOnce = 4;

async function findRun(context: AlertingContext, told: Told): Promise<ResultRow | null> {
  const { alert, watched } = told;
  if (alert.resultId === null) return null;
  const [newest] = await findFinalResults(context.db, watched.checkId, [alert.resultId]);
  const wanted = findExplainingVerdict(alert.kind);
  if (wanted === null || newest === undefined) return newest ?? null;
  if (verdictNames[newest.verdict] !== "passing") return newest;
  // With several locations in parallel the newest run may have passed: another one explains.
  const span = { fromMs: alert.startedAtMs, toMs: alert.atMs + 1, verdict: wanted };
  return (await findNewestFinal(context.db, watched.checkId, span)) ?? newest;
}

async function findRunFacts(context: AlertingContext, told: Told): Promise<RunFacts | null> {
  const row = await findRun(context, told);
  if (row === null) return null;
  const { kind } = told.watched;
  const { outcome } = readRun(kind, row);
  return {
    resultId: row.id,
    verdict: verdictNames[row.verdict] ?? "unknown",
    location: row.location,
    responseTimeMs: row.avg_ms,
    facts: kind.listFacts(outcome.kind === "measured" ? outcome.measurement : null),
    reasons: row.reasons ?? [],
  };
}

/**
 * The channels of a stage when it is reached. Else the check's own, its group's, and those of the
 * stages reached until now: whoever was called in hears how it goes on.
 */
async function findChannels(context: AlertingContext, told: Told): Promise<AlertChannel[]> {
  const { watched, alert, reachedChannelIds } = told;
  const { accountId, checkId, settings } = watched;
  const of = { checkId, groupId: settings.groupId };
  const own =
    alert.onlyChannelIds === null ? await listChannelsOfCheck(context.db, accountId, of) : [];
  const ownIds = new Set(own.map((channel) => channel.id));
  const more = (alert.onlyChannelIds ?? reachedChannelIds).filter((id) => !ownIds.has(id));
  const channels = [...own, ...(await listChannelsByIds(context.db, accountId, more))];
  return channels.filter((channel) => isWanted(alert.kind, channel));
}

/** In which words an alert is told, to whomever it is told. */
export async function composeMessage(
  context: AlertingContext,
  told: Told,
): Promise<Omit<AlertMessage, "idempotencyKey">> {
  const { watched, alert } = told;
  const { checkId, kind, settings } = watched;
  const base = context.publicUrl();
  const isTrouble = alert.kind !== "ALERT_RECOVERY" && alert.kind !== "ALERT_DEGRADED_RECOVERY";
  const about = { checkId, alertNumber: alert.alertNumber };
  const run = await findRunFacts(context, told);
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
      resultUrl: resultId === null ? null : `${base}/v1/check-results/${checkId}/${resultId}`,
      acknowledgeUrl: isTrouble ? createAcknowledgeUrl(context, base, about) : null,
    },
  );
}

type Addressed = Omit<NewDelivery, "id" | "message"> & {
  readonly message: Omit<AlertMessage, "idempotencyKey">;
};

/** Who hears of an alert: one delivery per channel. */
async function addressAlert(context: AlertingContext, told: Told): Promise<Addressed[]> {
  const channels = await findChannels(context, told);
  if (channels.length === 0) return [];
  const { watched, id: alertId } = told;
  const { checkId, accountId } = watched;
  const message = await composeMessage(context, told);
  return channels.map((channel) => {
    const kind = channelKinds[channel.type as ChannelType];
    const { config, problem = null } = unsealChannel(context, channel);
    return {
      accountId,
      alertId,
      checkId,
      alertChannelId: channel.id,
      channelType: channel.type,
      recipient: problem === null ? kind.describeRecipient(config as never) : "unreadable",
      message,
    };
  });
}

export async function addressAlerts(
  context: AlertingContext,
  told: readonly Told[],
): Promise<NewDelivery[]> {
  const lists: Addressed[][] = [];
  for (let from = 0; from < told.length; from += addressedAtOnce) {
    const some = told.slice(from, from + addressedAtOnce);
    lists.push(...(await Promise.all(some.map((one) => addressAlert(context, one)))));
  }
  // In the order of the alerts, whichever was addressed first: messages go out by their ids.
  return lists.flat().map((one) => {
    const id = createDeliveryId();
    return { ...one, id, message: { ...one.message, idempotencyKey: id } };
  });
}
