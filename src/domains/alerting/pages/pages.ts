import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import type { DeliveryEnd, SendOutcome } from "../../../platform/deliverer.ts";
import { notSent } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import {
  decideUrgency,
  findChannel,
  loadReaches,
  sendThrough,
} from "../../alert-channels/index.ts";
import type { DelivererContext } from "../context.ts";
import { type AlertDelivery, finishDeliveries } from "../delivery-store.ts";
import {
  createMessage,
  exhausted,
  fallThrough,
  hurryAfterChannel,
  type Page,
  sendToFallback,
} from "./fall-through.ts";
import { decideProgress, describePlan, failedAttempts, isRecoveryKind } from "./page.ts";
import {
  cancelMessage,
  cancelMessages,
  endPages,
  findPageOf,
  hurryMessages,
  insertPageMessages,
  listDeliveredAlerts,
  listOpenCheckIds,
  listPagedAlerts,
  listPageMessages,
  listPagesToRecover,
  listReached,
  lockPage,
  lockPendingPages,
  lockState,
  postponePages,
} from "./page-store.ts";
import { decideSteps, findPaged, nameMethod } from "./paged-members.ts";

/** Outcome of an attempt. If `isStored` is true, the attempt has already stored its own outcome. */
export type PageOutcome = SendOutcome & { readonly isStored?: boolean };

const stored: PageOutcome = { kind: "sent", statusCode: null, isStored: true };
const busyWaitMs = 2_000;

/** Whether a delivery is a page, which is later expanded into messages to a member. */
export const isPage = ({ channelType, methodId }: AlertDelivery) =>
  channelType === "ONCALL" && methodId === null;

/**
 * Expands a page into messages to the member whom the channel pages, to the fallback or, for a
 * recovery, to everyone who received the earlier messages. One transaction stores the messages, the
 * due times of later steps and the outcome of the page, so that a crash neither loses nor repeats
 * messages.
 */
export function expandPage(
  context: DelivererContext,
  delivery: AlertDelivery,
): Promise<PageOutcome> {
  const { accountId, alertChannelId, deliveryIds } = delivery;
  return inTransaction(context.db, async (db) => {
    const channel =
      alertChannelId === null ? null : await findChannel(db, accountId, alertChannelId);
    if (channel === null) return notSent("The channel was deleted.", { isPermanent: true });
    const [first, ...others] = await lockPendingPages(db, deliveryIds);
    if (first === undefined) return stored;
    const within = { ...context, db };
    const now = context.clock.now();
    const page: Page = { context: within, delivery, channel, alerts: [first, ...others], now };
    const isFallback = !channel.config.scheduleId && !channel.config.userId;
    const expand = isFallback ? pageFallback : pageMember;
    await (isRecoveryKind(delivery.message.kind) ? pageRecovery(page) : expand(page));
    return stored;
  });
}

/** Finds another page to a person about the alert. Two targets may lead to one person. */
async function findOtherPage(
  { context: { db }, delivery: { accountId }, alerts: [first, ...others] }: Page,
  userId: string,
): Promise<Awaited<ReturnType<typeof findPageOf>>> {
  if (others.length > 0) return null;
  const page = { alertId: first.alertId, userId, exceptId: first.id };
  // Two targets that lead to this member may be expanded at the same time, so take a lock.
  await lockName(db, `page ${page.alertId} ${userId}`);
  const other = await findPageOf(db, page);
  if (other === null || other.fellThrough) return other;
  // Read the other page again while the alert state is locked. If the other page fails at the same
  // time, exactly one of the two pages continues the escalation.
  await lockState(db, accountId, first.checkId);
  return findPageOf(db, page);
}

/** Sends alerts that are still open after the last escalation step to the fallback. */
async function pageFallback(page: Page): Promise<void> {
  const { context, alerts, now } = page;
  const { db } = context;
  const open = await listOpenCheckIds(db, alerts);
  await endPages(db, {
    ids: alerts.map(({ id }) => id),
    pageId: alerts[0].id,
    userId: null,
    status: open.size > 0 ? "SENT" : "CANCELLED",
    recipient: "Fallback",
    reason: open.size > 0 ? await sendToFallback(page, exhausted) : null,
    at: now,
    fellThrough: true,
  });
}

async function pageMember(page: Page): Promise<void> {
  const { context, delivery, channel, alerts, now } = page;
  const { db } = context;
  const { accountId, message } = delivery;
  const found = await findPaged(context, accountId, channel.config);
  const end = { ids: alerts.map(({ id }) => id), pageId: alerts[0].id, at: now };
  const fail = async (userId: string | null, reason: string) => {
    await endPages(db, { ...end, userId, status: "DEAD", recipient: null, reason });
    await fallThrough(page, reason);
  };
  if (found.userId === null) return fail(null, found.reason);
  const { userId } = found;
  const other = await findOtherPage(page, userId);
  if (other !== null) {
    const reason = "Not sent: another target of this step pages the same person.";
    if (other.fellThrough) return fail(null, reason);
    return endPages(db, { ...end, userId: null, status: "CANCELLED", recipient: null, reason });
  }
  const urgency = message.urgency ?? decideUrgency(message.kind);
  const reaches = await loadReaches(context, accountId, [userId]);
  const decided = decideSteps(reaches.get(userId), { urgency, atMs: now.getTime() });
  if (decided.reason !== null) return fail(decided.reach && userId, decided.reason);
  const { reach, steps: all } = decided;
  const name = toShortLine(reach.name, 100);
  const open = await listOpenCheckIds(db, alerts);
  // An alert that is already acknowledged is sent again if its problem changes, for example becomes
  // worse. In this case, use only the member's first contact methods. The later ones are for alerts
  // that nobody acknowledged.
  const firstMinutes = all[0]?.afterMinutes ?? 0;
  const steps =
    open.size > 0 ? all : all.filter(({ afterMinutes }) => afterMinutes === firstMinutes);
  const messages = steps.map(({ method, afterMinutes }) =>
    createMessage(page, {
      alertChannelId: null,
      channelType: method.type,
      recipient: toShortLine(`${name}: ${nameMethod(method)}`, 300),
      userId,
      methodId: method.id,
      afterMinutes,
    }),
  );
  await insertPageMessages(db, messages, now);
  const named = steps.map(({ method, afterMinutes }) => ({
    name: nameMethod(method),
    afterMinutes,
  }));
  const via = found.via === "" ? "" : `${found.via}: `;
  const recipient = toShortLine(`${via}${name} (${describePlan(named)})`, 300);
  await endPages(db, { ...end, userId, status: "SENT", recipient, reason: null });
}

/**
 * Sends a recovery to everyone who received a message of the problem's pages, and cancels messages
 * that are still pending.
 */
async function pageRecovery(page: Page): Promise<void> {
  const { context, alerts, channel, now } = page;
  const { db } = context;
  const pages = [];
  for (const alert of alerts) pages.push(...(await listPagesToRecover(db, alert, channel.id)));
  const pageIds = [...new Set(pages.map(({ pageId }) => pageId))];
  const { recipients, isBusy } = await listReached(db, pageIds, now);
  const ids = alerts.map(({ id }) => id);
  if (isBusy) {
    // Postpone the recovery, because it must not overtake a message that is being sent.
    return postponePages(db, ids, new Date(now.getTime() + busyWaitMs));
  }
  const single = pages.filter(({ isDigest }) => !isDigest).map(({ pageId }) => pageId);
  await cancelMessages(db, single, { now, reason: "Not sent: the check recovered." });
  const messages = recipients.map((to) => createMessage(page, { ...to, afterMinutes: 0 }));
  await insertPageMessages(db, messages, now);
  const names = [...new Set(recipients.map(({ recipient }) => recipient))].join(", ");
  const isReached = recipients.length > 0;
  await endPages(db, {
    ids,
    pageId: alerts[0].id,
    userId: null,
    status: isReached ? "SENT" : "CANCELLED",
    recipient: isReached ? toShortLine(names, 300) : null,
    reason: isReached ? null : "Not sent: nobody was paged about the problem.",
    at: now,
  });
}

/** Whether a page's message is still needed. The alert may have been acknowledged or have ended. */
async function isNeeded(db: Database, delivery: AlertDelivery): Promise<boolean> {
  const { pageId, afterMinutes, message } = delivery;
  if (pageId === null || !afterMinutes || isRecoveryKind(message.kind)) return true;
  const open = await listOpenCheckIds(db, await listPagedAlerts(db, pageId));
  return open.size > 0;
}

export async function sendToMember(
  context: DelivererContext,
  delivery: AlertDelivery,
): Promise<PageOutcome> {
  const { accountId, userId, methodId, message } = delivery;
  if (!(await isNeeded(context.db, delivery))) {
    const reason = "Not sent: the alert was acknowledged or has ended.";
    await cancelMessage(context.db, delivery.id, reason);
    return stored;
  }
  const reaches = await loadReaches(context, accountId, userId === null ? [] : [userId]);
  const method = reaches.get(userId ?? "")?.methods.find(({ id }) => id === methodId);
  const permanent = { isPermanent: true };
  if (reaches.size === 0) return notSent("The member has left the account.", permanent);
  if (method === undefined) return notSent("The contact method was deleted.", permanent);
  if (!method.isVerified) return notSent("The contact method is not verified.", permanent);
  return sendThrough(context, { ...method, accountId }, message);
}

/**
 * Stores the outcome of one message of a page. After a failure, starts the next step of the page,
 * or continues the escalation if no step is left.
 */
export async function finishPageMessage(
  context: DelivererContext,
  delivery: AlertDelivery,
  end: DeliveryEnd,
): Promise<void> {
  const { pageId, deliveryIds, message } = delivery;
  const now = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const page = pageId === null ? null : await lockPage(db, pageId);
    await finishDeliveries(db, deliveryIds, { ...end, at: now });
    if (page === null || page.fellThrough || end.status === "SENT") return;
    if (isRecoveryKind(message.kind)) return;
    const progress = decideProgress(await listPageMessages(db, page.id), now);
    if (progress.kind === "hurry") await hurryMessages(db, progress.ids, now);
    if (progress.kind !== "failed") return;
    const [first, ...others] = await listPagedAlerts(db, page.id);
    if (first === undefined) return;
    const within = { context: { ...context, db }, delivery, now };
    await fallThrough(
      { ...within, alerts: [first, ...others] },
      `No message reached ${page.recipient}.`,
    );
  });
}

/**
 * Stores the outcome of an attempt to send to a channel. If the channel is a target of an
 * escalation step and no target was reached, the next step starts immediately.
 */
export async function finishChannelMessage(
  context: DelivererContext,
  delivery: AlertDelivery,
  end: DeliveryEnd,
): Promise<void> {
  const { deliveryIds, attempts, message } = delivery;
  const now = context.clock.now();
  const hasFailed =
    end.status === "DEAD" || (end.status === "PENDING" && attempts >= failedAttempts);
  if (!hasFailed || isRecoveryKind(message.kind)) {
    return finishDeliveries(context.db, deliveryIds, { ...end, at: now });
  }
  await inTransaction(context.db, async (db) => {
    await finishDeliveries(db, deliveryIds, { ...end, at: now });
    const alerts = await listDeliveredAlerts(db, deliveryIds);
    const reason = `No message reached ${delivery.recipient}.`;
    await hurryAfterChannel({ context: { ...context, db }, delivery, alerts, now }, reason);
  });
}
