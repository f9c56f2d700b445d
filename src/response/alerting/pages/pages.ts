import {
  type AlertMessage,
  acceptsDigests,
  composeDigest,
  decideUrgency,
  findChannel,
  loadReaches,
  sendThrough,
  type Urgency,
} from "../../../channels/alert-channels/index.ts";
import { inTransaction, lockName } from "../../../platform/database.ts";
import type { DeliveryEnd, SendOutcome } from "../../../platform/deliverer.ts";
import { notSent } from "../../../platform/http-delivery.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { createGroupUrl } from "../alert-message.ts";
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
  cancelClaimed,
  cancelMessages,
  endPages,
  findOtherPages,
  hurryMessages,
  type LockedPage,
  listDeliveredAlerts,
  listOpenCheckIds,
  listPagedAlerts,
  listPageMessages,
  lockPages,
  lockPendingPages,
  lockState,
  type OtherPage,
  postponePages,
} from "./page-store.ts";
import { decideSteps, findPaged, nameMethod, type PagedPerson } from "./paged-members.ts";
import { listPagesToRecover, listReached } from "./recovery-store.ts";
import { insertPageMessages, listStormMessages, type StormMessage } from "./storm-store.ts";

/** Outcome of an attempt. If `isStored` is true, the attempt has already stored its own outcome. */
export type PageOutcome = SendOutcome & { readonly isStored?: boolean };

const stored: PageOutcome = { kind: "sent", statusCode: null, isStored: true };
const busyWaitMs = 2_000;

/**
 * Expands pages of one channel into messages to the member whom the channel pages, to the fallback
 * or, for a recovery, to everyone who received the earlier messages. One transaction stores the
 * messages, the due times of later steps and the outcome of the pages, so that a crash neither
 * loses nor repeats messages.
 */
export function expandPages(
  context: DelivererContext,
  delivery: AlertDelivery,
): Promise<PageOutcome> {
  const { accountId, alertChannelId, deliveryIds } = delivery;
  return inTransaction(context.db, async (db) => {
    const channel =
      alertChannelId === null ? null : await findChannel(db, accountId, alertChannelId);
    if (channel === null && !isRecoveryKind(delivery.message.kind)) {
      return notSent("The channel was deleted.", { isPermanent: true });
    }
    const now = context.clock.now();
    const within = { ...context, db };
    // Alert states are locked in the order of check ids, as for alert decisions.
    const alerts = (await lockPendingPages(db, deliveryIds)).sort((one, other) =>
      one.checkId < other.checkId ? -1 : 1,
    );
    const pages = alerts.map((alert) => {
      const own = { ...delivery, message: alert.message };
      return { context: within, delivery: own, alerts: [alert] as const, now };
    });
    const { true: recoveries = [], false: others = [] } = Object.groupBy(pages, (page) =>
      String(isRecoveryKind(page.delivery.message.kind)),
    );
    await pageRecoveries(recoveries);
    if (channel === null) return stored;
    const troubles = others.map((page): Page => ({ ...page, channel }));
    const isFallback = !channel.config.scheduleId && !channel.config.userId;
    if (!isFallback && troubles.length > 0) await pageMember(troubles as [Page, ...Page[]]);
    if (isFallback) for (const page of troubles) await pageFallback(page);
    return stored;
  });
}

/**
 * Finds other pages to a person about the alerts, by the id of the alert. Two targets may lead to
 * one person.
 */
async function mapOtherPages(
  pages: readonly [Page, ...Page[]],
  userId: string,
): Promise<Map<string, OtherPage>> {
  const { context, delivery } = pages[0];
  const { db } = context;
  const alerts = pages.map((page) => page.alerts[0]);
  // Two targets that lead to this member may be expanded at the same time, so take a lock.
  await lockName(db, `pages ${userId}`);
  const alertIds = alerts.map(({ alertId }) => alertId);
  const exceptIds = alerts.map(({ id }) => id);
  const find = () => findOtherPages(db, { alertIds, userId, exceptIds });
  const others = new Map((await find()).map((other) => [other.alertId, other]));
  if (others.size === 0) return others;
  // Read the other pages again while the alert states are locked. If another page fails at the same
  // time, exactly one of the two pages continues the escalation.
  for (const { checkId, alertId } of alerts) {
    if (others.has(alertId)) await lockState(db, delivery.accountId, checkId);
  }
  return new Map((await find()).map((other) => [other.alertId, other]));
}

/** Sends alerts that are still open after the last escalation step to the fallback. */
async function pageFallback(page: Page): Promise<void> {
  const { context, alerts, now } = page;
  const { db } = context;
  const open = await listOpenCheckIds(db, alerts);
  await endPages(db, {
    ids: alerts.map(({ id }) => id),
    userId: null,
    status: open.size > 0 ? "SENT" : "CANCELLED",
    recipient: "Fallback",
    reason: open.size > 0 ? await sendToFallback(page, exhausted) : null,
    at: now,
    fellThrough: true,
  });
}

/** Ends pages that reach nobody, and continues the escalation of their alerts. */
async function failPages(
  pages: readonly Page[],
  userId: string | null,
  reason: string,
): Promise<void> {
  for (const page of pages) {
    const { context, alerts, now: at } = page;
    const end = {
      ids: [alerts[0].id],
      userId,
      status: "DEAD",
      recipient: null,
      reason,
      at,
    } as const;
    await endPages(context.db, end);
    await fallThrough(page, reason);
  }
}

/** Pages the member whom the channel names. All pages belong to one channel. */
async function pageMember(pages: readonly [Page, ...Page[]]): Promise<void> {
  const { context, delivery, channel, now: at } = pages[0];
  const found = await findPaged(context, delivery.accountId, channel.config);
  if (found.userId === null) return failPages(pages, null, found.reason);
  const others = await mapOtherPages(pages, found.userId);
  const otherOf = (page: Page) => others.get(page.alerts[0].alertId);
  const reason = "Not sent: another target of this step pages the same person.";
  const repeated = pages.filter((page) => otherOf(page)?.fellThrough === false);
  const ids = repeated.map(({ alerts }) => alerts[0].id);
  const end = { ids, userId: null, status: "CANCELLED", recipient: null, reason, at } as const;
  if (ids.length > 0) await endPages(context.db, end);
  await failPages(
    pages.filter((page) => otherOf(page)?.fellThrough),
    null,
    reason,
  );
  const own = pages.filter((page) => otherOf(page) === undefined);
  const byUrgency = Map.groupBy(own, ({ delivery: { message } }) => {
    return message.urgency ?? decideUrgency(message.kind);
  });
  for (const [urgency, some] of byUrgency) await sendPages(some, { found, urgency });
}

/** Stores the messages of pages of the same urgency to one member. */
async function sendPages(
  pages: readonly Page[],
  { found, urgency }: { readonly found: PagedPerson; readonly urgency: Urgency },
): Promise<void> {
  const [first] = pages;
  if (first === undefined) return;
  const { context, delivery, now } = first;
  const { db } = context;
  const { userId, via } = found;
  const reaches = await loadReaches(context, delivery.accountId, [userId]);
  const decided = decideSteps(reaches.get(userId), { urgency, atMs: now.getTime() });
  if (decided.reason !== null) return failPages(pages, decided.reach && userId, decided.reason);
  const { reach, steps: all } = decided;
  const name = toShortLine(reach.name, 100);
  const open = await listOpenCheckIds(
    db,
    pages.flatMap(({ alerts }) => alerts),
  );
  // An alert that is already acknowledged is sent again if its problem changes, for example becomes
  // worse. In this case, use only the member's first contact methods. The later ones are for alerts
  // that nobody acknowledged.
  const firstMinutes = all[0]?.afterMinutes ?? 0;
  const early = all.filter(({ afterMinutes }) => afterMinutes === firstMinutes);
  const isOpen = ({ alerts }: Page) => open.has(alerts[0].checkId);
  const plans = [
    { steps: all, some: pages.filter(isOpen) },
    { steps: early, some: pages.filter((page) => !isOpen(page)) },
  ];
  for (const { steps, some } of plans) {
    if (some.length === 0) continue;
    const messages = some.flatMap((page) =>
      steps.map(({ method, afterMinutes }) =>
        createMessage(page, {
          alertChannelId: null,
          channelType: method.type,
          recipient: toShortLine(`${name}: ${nameMethod(method)}`, 300),
          userId,
          methodId: method.id,
          afterMinutes,
          isGrouped: acceptsDigests({ ...method, digest: true }),
        }),
      ),
    );
    await insertPageMessages(db, messages, now);
    const named = steps.map(({ method, afterMinutes }) => ({
      name: nameMethod(method),
      afterMinutes,
    }));
    const prefix = via === "" ? "" : `${via}: `;
    const recipient = toShortLine(`${prefix}${name} (${describePlan(named)})`, 300);
    const ids = some.map(({ alerts }) => alerts[0].id);
    await endPages(db, { ids, userId, status: "SENT", recipient, reason: null, at: now });
  }
}

/**
 * Sends recoveries to everyone who received a message of the problem's pages, or may have received
 * one, and cancels messages that are still pending. All pages belong to one channel.
 */
async function pageRecoveries(all: readonly Omit<Page, "channel">[]): Promise<void> {
  const [first] = all;
  if (first === undefined) return;
  const { context, delivery, now } = first;
  const { db } = context;
  // Two pages may have reached the same member, who receives one recovery.
  await lockName(db, `recoveries ${delivery.accountId}`);
  const alerts = all.map((page) => page.alerts[0]);
  const pages = await listPagesToRecover(db, alerts, delivery.alertChannelId);
  const reached = Map.groupBy(await listReached(db, pages, now), ({ alertId }) => alertId);
  const reachedBy = ({ alerts: [{ alertId }] }: (typeof all)[number]) => reached.get(alertId) ?? [];
  const isBusy = (page: (typeof all)[number]) => reachedBy(page).some((one) => one.isBusy);
  const idsOf = (some: typeof all) => some.map((page) => page.alerts[0].id);
  // Postpone a recovery that would overtake a message that is being sent.
  const busy = all.filter(isBusy);
  if (busy.length > 0) {
    await postponePages(db, idsOf(busy), new Date(now.getTime() + busyWaitMs));
  }
  const ready = all.filter((page) => !isBusy(page));
  const readyIds = new Set(ready.map((page) => page.alerts[0].alertId));
  const single = pages
    .filter(({ alertId, isDigest }) => readyIds.has(alertId) && !isDigest)
    .map(({ pageId }) => pageId);
  await cancelMessages(db, single, { now, reason: "Not sent: the check recovered." });
  const messages = ready.flatMap((page) =>
    reachedBy(page).map(({ to }) => createMessage(page, { ...to, afterMinutes: 0 })),
  );
  await insertPageMessages(db, messages, now);
  const byNames = Map.groupBy(ready, (page) =>
    [...new Set(reachedBy(page).map(({ to }) => to.recipient))].join(", "),
  );
  for (const [names, some] of byNames) {
    const isReached = names !== "";
    await endPages(db, {
      ids: idsOf(some),
      userId: null,
      status: isReached ? "SENT" : "CANCELLED",
      recipient: isReached ? toShortLine(names, 300) : null,
      reason: isReached ? null : "Not sent: nobody else was paged about the problem.",
      at: now,
    });
  }
}

/** Combines the alerts of a storm that the member still has to know into one message. */
function composeStorm(
  context: DelivererContext,
  { id, userId, stormId }: AlertDelivery,
  alerts: readonly StormMessage[],
): AlertMessage | null {
  const [first] = alerts;
  const newest = alerts.at(-1);
  if (first === undefined || newest === undefined) return null;
  if (first === newest) return first.message;
  const digest = composeDigest(
    alerts.map(({ message }) => message),
    id,
  );
  const acknowledgeUrl = createGroupUrl(
    context,
    alerts.map(({ message }) => message),
    { userId, newestId: newest.id },
  );
  return { ...digest, isPage: true, acknowledgeUrl, ...(stormId !== null && { stormId }) };
}

export async function sendToMember(
  context: DelivererContext,
  delivery: AlertDelivery,
): Promise<PageOutcome> {
  const { accountId, userId, methodId } = delivery;
  const alerts = await listStormMessages(context.db, delivery);
  const { true: needed = [], false: others = [] } = Object.groupBy(alerts, ({ isNeeded }) =>
    String(isNeeded),
  );
  const endedIds = others.filter(({ isOwn }) => isOwn).map(({ id }) => id);
  const ended = "Not sent: the alert was acknowledged or has ended.";
  await cancelClaimed(context.db, endedIds, ended);
  if (!needed.some(({ isOwn }) => isOwn)) return stored;
  const message = composeStorm(context, delivery, needed);
  const reaches = await loadReaches(context, accountId, userId === null ? [] : [userId]);
  const method = reaches.get(userId ?? "")?.methods.find(({ id }) => id === methodId);
  const permanent = { isPermanent: true };
  if (reaches.size === 0) return notSent("The member has left the account.", permanent);
  if (method === undefined) return notSent("The contact method was deleted.", permanent);
  if (!method.isVerified) return notSent("The contact method is not verified.", permanent);
  return sendThrough(context, { ...method, accountId }, message ?? delivery.message);
}

/**
 * Stores the outcome of one message of a page, or of several pages. After a failure, starts the
 * next step of each page, or continues the escalation if no step is left.
 */
export async function finishPageMessage(
  context: DelivererContext,
  delivery: AlertDelivery,
  end: DeliveryEnd,
): Promise<void> {
  const { pageIds, deliveryIds, message } = delivery;
  const now = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const pages = await lockPages(db, pageIds);
    await finishDeliveries(db, deliveryIds, { ...end, at: now });
    if (end.status === "SENT" || isRecoveryKind(message.kind)) return;
    const within = { context: { ...context, db }, delivery, now };
    for (const page of pages) if (!page.fellThrough) await continuePage(within, page);
  });
}

/** Continues a page after one of its messages failed. */
async function continuePage(
  within: Pick<Page, "context" | "delivery" | "now">,
  { id, recipient }: LockedPage,
): Promise<void> {
  const { now, context } = within;
  const { db } = context;
  const progress = decideProgress(await listPageMessages(db, id), now);
  if (progress.kind === "hurry") await hurryMessages(db, progress.ids, now);
  if (progress.kind !== "failed") return;
  const [first, ...others] = await listPagedAlerts(db, id);
  if (first === undefined) return;
  const delivery = { ...within.delivery, message: first.message };
  const alerts = [first, ...others] as const;
  await fallThrough({ ...within, delivery, alerts }, `No message reached ${recipient}.`);
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
