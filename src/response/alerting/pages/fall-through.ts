/** Decides how an escalation continues after a page or a message failed. */

import { type AlertChannel, mapChannels } from "../../../channels/alert-channels/index.ts";
import { createOrderedIds } from "../../../platform/ordered-id.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { addressToMember } from "../alert-message.ts";
import { findReachableStage, listReachedChannelIds } from "../alert-rules.ts";
import { type AlertState, isAlertCurrent } from "../alert-state.ts";
import type { DelivererContext } from "../context.ts";
import { hasLaterStep, saveAlertState } from "../decider-store.ts";
import type { AlertDelivery } from "../delivery-store.ts";
import { type Escalation, findEscalation } from "../settings/escalations.ts";
import { decideStep } from "./page.ts";
import {
  hasReachedAnybody,
  listOpenCheckIds,
  listOtherTargets,
  lockState,
  markFallenThrough,
  type PendingPage,
} from "./page-store.ts";
import { loadFallback, nameChannel, nameMethod } from "./paged-members.ts";
import { insertPageMessages, type NewPageMessage } from "./storm-store.ts";

const createDeliveryId = createOrderedIds();

/** A page that is being expanded into messages, or that has failed. */
export interface Page {
  /** Context whose `db` is the transaction that expands the page or stores its outcome. */
  readonly context: DelivererContext;
  readonly delivery: AlertDelivery;
  readonly channel: AlertChannel;
  /** Alerts that the page is about; more than one if the page is a digest. */
  readonly alerts: readonly [PendingPage, ...PendingPage[]];
  readonly now: Date;
}

/** A message that failed, and the alerts that the message was about. */
interface Failed extends Omit<Page, "channel" | "alerts"> {
  readonly alerts: readonly PendingPage[];
}

export function createMessage(
  { context, delivery, alerts: [first] }: Pick<Page, "context" | "delivery" | "alerts">,
  to: Omit<NewPageMessage, "id" | "accountId" | "alertId" | "checkId" | "message" | "pageId"> & {
    readonly note?: string;
  },
): NewPageMessage {
  const { note, ...target } = to;
  const id = createDeliveryId();
  const { userId } = to;
  const message =
    userId === null ? delivery.message : addressToMember(context, delivery.message, { userId });
  const reason = note === undefined ? message.reason : `${message.reason} ${note}`;
  return {
    ...target,
    id,
    accountId: delivery.accountId,
    alertId: first.alertId,
    checkId: first.checkId,
    pageId: first.id,
    message: { ...message, reason, idempotencyKey: id },
  };
}

export const exhausted =
  "Nobody acknowledged the alert after the last step of the escalation policy.";

/**
 * Sends a page to the account's fallback channel, or to the owners by email if there is none.
 * Returns a sentence for the history.
 */
export async function sendToFallback(page: Omit<Page, "channel">, reason: string): Promise<string> {
  const { context, delivery, now } = page;
  const { db } = context;
  const { accountId } = delivery;
  const { channel, mails } = await loadFallback(context, accountId);
  const note = reason === exhausted ? exhausted : `Sent here because a page failed: ${reason}`;
  if (channel !== null) {
    const message = createMessage(page, {
      alertChannelId: channel.id,
      channelType: channel.type,
      recipient: nameChannel(context, channel),
      userId: null,
      methodId: "fallback",
      afterMinutes: 0,
      isGrouped: false,
      note,
    });
    await insertPageMessages(db, [message], now);
    return "Sent to the fallback channel.";
  }
  const messages = mails.map(({ reach: { userId, name }, method }) =>
    createMessage(page, {
      alertChannelId: null,
      channelType: "EMAIL",
      recipient: toShortLine(`${name}: ${nameMethod(method)}`, 300),
      userId,
      methodId: "email",
      afterMinutes: 0,
      isGrouped: true,
      note,
    }),
  );
  await insertPageMessages(db, messages, now);
  return "Sent to the owners by email.";
}

/** What happens to an alert after a message about it failed. */
type Sequel =
  /** A later escalation step was sent while the failed message was still being retried. */
  | "later-step-sent"
  /**
   * Another target of this step was reached or may still be reached, so the next step starts at its
   * own time.
   */
  | "other-target-reached"
  | "other-target-waiting"
  | "next-step-started"
  /** No further step exists, and the fallback must not receive the alert. */
  | "nothing"
  | "fallback";

const sequelTexts: Readonly<Record<Exclude<Sequel, "fallback">, string>> = {
  "later-step-sent": "A later step of the escalation had been sent already.",
  "other-target-reached": "Another target of this step was reached.",
  "other-target-waiting": "Another target of this step may still be reached.",
  "next-step-started": "The next escalation stage was started at once.",
  nothing: "The escalation policy has no further step and no fallback.",
};

/** Starts the next escalation stage immediately. Returns false if no later stage has a channel. */
async function startNextStage(
  { context: { db }, delivery: { accountId }, now }: Failed,
  about: { readonly checkId: string; readonly state: AlertState; readonly reason: string },
  { stages }: Escalation,
): Promise<boolean> {
  const { checkId, state, reason } = about;
  const existing = await mapChannels(db, [...new Set(stages.flatMap((one) => one.channelIds))]);
  const stage = findReachableStage(stages, state.escalationStage, existing);
  if (stage === null) return false;
  const { alertNumber } = state;
  const hurry = { alertNumber, stage, reason };
  await saveAlertState(db, accountId, { checkId, state: { ...state, hurry }, now });
  return true;
}

/**
 * Decides what happens to one alert after a message about it failed. If several targets of an
 * escalation step fail at the same time, the lock on the alert state ensures that one decision is
 * made after the other. The last decision therefore sees that all other targets failed.
 */
async function continueAlert(
  failed: Failed,
  alert: PendingPage,
  { reason, isChannel }: { readonly reason: string; readonly isChannel: boolean },
): Promise<Sequel> {
  const { db } = failed.context;
  const { accountId } = failed.delivery;
  const { checkId, alertNumber, alertId, channelId } = alert;
  const end = isChannel ? "nothing" : "fallback";
  const state = alert.kind === "ALERT_SSL" ? null : await lockState(db, accountId, checkId);
  if (state === null || state.alertNumber !== alertNumber || !isAlertCurrent(state)) return end;
  if (await hasLaterStep(db, accountId, alert)) return "later-step-sent";
  const escalation = await findEscalation(db, accountId, checkId);
  const channelIds = listReachedChannelIds(escalation.stages, state.escalationStage);
  if (channelId !== null && channelIds.includes(channelId)) {
    const exceptIds = failed.alerts.map(({ id }) => id);
    const others = await listOtherTargets(db, { alertId, exceptIds, channelIds });
    const step = decideStep(others);
    if (step !== "failed") return `other-target-${step}`;
  } else if (isChannel) {
    return "nothing";
  }
  if (await startNextStage(failed, { checkId, state, reason }, escalation)) {
    return "next-step-started";
  }
  // The escalation policy does not apply to a page that a person requested.
  const policy = channelId === null ? null : escalation.policy;
  if (isChannel || policy === null || policy.fallbackChannelId !== null) return end;
  return (await hasReachedAnybody(db, accountId, alert)) ? "nothing" : "fallback";
}

/**
 * Decides what happens to each open alert of a failed message. Alert states are locked in the order
 * of check ids, as for alert decisions, to avoid deadlocks.
 */
async function continueAlerts(
  failed: Failed,
  about: { readonly reason: string; readonly isChannel: boolean },
): Promise<ReadonlySet<Sequel>> {
  const open = await listOpenCheckIds(failed.context.db, failed.alerts);
  const sequels = new Set<Sequel>();
  const ordered = failed.alerts.toSorted((one, other) => (one.checkId < other.checkId ? -1 : 1));
  for (const alert of ordered) {
    if (open.has(alert.checkId)) sequels.add(await continueAlert(failed, alert, about));
  }
  return sequels;
}

/**
 * Continues an escalation after a page failed. If no target of the escalation step was reached, the
 * next stage starts immediately. If no stage is left, the alert may go to the fallback.
 */
export async function fallThrough(page: Omit<Page, "channel">, reason: string): Promise<void> {
  const { context, alerts } = page;
  const sequels = await continueAlerts(page, { reason, isChannel: false });
  const parts = [reason];
  for (const [sequel, text] of Object.entries(sequelTexts)) {
    if (sequels.has(sequel as Sequel)) parts.push(text);
  }
  if (sequels.has("fallback")) parts.push(await sendToFallback(page, reason));
  await markFallenThrough(context.db, alerts[0].id, parts.join(" "));
}

/**
 * Continues an escalation after a message to a channel failed. If no other target of the step was
 * reached or may still be reached, the next stage starts immediately. Has no effect if the channel
 * is not a target of the escalation.
 */
export async function hurryAfterChannel(failed: Failed, reason: string): Promise<void> {
  await continueAlerts(failed, { reason, isChannel: true });
}
