import { type Database, inTransaction } from "../../../platform/database.ts";
import type { DeliveryEnd, SendOutcome } from "../../../platform/deliverer.ts";
import { notSent } from "../../../platform/http-delivery.ts";
import { createOrderedIds } from "../../../platform/ordered-id.ts";
import { toShortLine } from "../../../platform/text/clip.ts";
import { listOwnerIds } from "../../accounts/index.ts";
import {
  type AlertChannel,
  type AlertMessage,
  describeChannel,
  findChannel,
  loadReaches,
  mapChannels,
  sendThrough,
  unsealChannel,
} from "../../alert-channels/index.ts";
import { findPersonOnCall } from "../../on-call/index.ts";
import { saveAlertState } from "../acknowledgements/store.ts";
import { orderStages } from "../alert-rules.ts";
import { isAlertCurrent } from "../alert-state.ts";
import type { DelivererContext } from "../context.ts";
import { type AlertDelivery, finishDeliveries } from "../delivery-store.ts";
import { findEscalation } from "../settings/escalations.ts";
import { getSettings } from "../settings/settings-store.ts";
import { decideProgress, describePlan, isRecoveryKind, type PagedAlert } from "./page.ts";
import {
  cancelMessage,
  cancelMessages,
  endPages,
  hurryMessages,
  insertPageMessages,
  listOpenCheckIds,
  listPagedAlerts,
  listPageMessages,
  listPagesToRecover,
  listReached,
  lockPage,
  lockPendingPages,
  lockState,
  markFallenThrough,
  type NewPageMessage,
  type PendingPage,
  postponePages,
} from "./page-store.ts";

/** The outcome of an attempt; `isStored` if it was stored together with what follows from it. */
export type PageOutcome = SendOutcome & { readonly isStored?: boolean };

const stored: PageOutcome = { kind: "sent", statusCode: null, isStored: true };
const busyWaitMs = 2_000;
const createDeliveryId = createOrderedIds();

/** Whether a delivery is a page, which becomes messages to a member. */
export const isPage = ({ channelType, methodId }: AlertDelivery) =>
  channelType === "ONCALL" && methodId === null;

interface PageTarget {
  readonly scheduleId?: string | null;
  readonly userId?: string | null;
}

type Found =
  | { readonly userId: string; readonly via: string }
  | { readonly userId: null; readonly reason: string };

/** Finds whom a channel pages now. */
export async function findPaged(
  context: Pick<DelivererContext, "db" | "clock">,
  accountId: string,
  { scheduleId, userId }: PageTarget,
): Promise<Found> {
  if (!scheduleId) {
    return userId ? { userId, via: "" } : { userId: null, reason: "The channel names nobody." };
  }
  const found = await findPersonOnCall(context, accountId, scheduleId);
  if (found === null) return { userId: null, reason: "The on-call schedule was deleted." };
  const { scheduleName } = found;
  return found.userId === null
    ? { userId: null, reason: `Nobody is on call for ${toShortLine(scheduleName, 100)}.` }
    : { userId: found.userId, via: toShortLine(scheduleName, 100) };
}

interface Page {
  /** In the transaction that expands the page. */
  readonly context: DelivererContext;
  readonly delivery: AlertDelivery;
  readonly channel: AlertChannel;
  /** More than one for a digest. */
  readonly alerts: readonly [PendingPage, ...PendingPage[]];
  readonly now: Date;
}

/**
 * Turns a page into messages to the member who is on call now. The messages, with the due times of
 * later steps, and the end of the page are one transaction, so that a crash repeats none and loses
 * none.
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
    await (isRecoveryKind(delivery.message.kind) ? pageRecovery(page) : pageMember(page));
    return stored;
  });
}

function createMessage(
  { delivery, alerts: [first] }: Pick<Page, "delivery" | "alerts">,
  to: Omit<NewPageMessage, "id" | "accountId" | "alertId" | "checkId" | "message" | "pageId"> & {
    readonly note?: string;
  },
): NewPageMessage {
  const { note, ...target } = to;
  const id = createDeliveryId();
  const { message } = delivery;
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
  const reach = (await loadReaches(context, accountId, [userId])).get(userId);
  if (reach === undefined) return fail(null, "The member has left the account.");
  const name = toShortLine(reach.name, 100);
  const all = reach.plan(message.kind);
  if (all.length === 0) return fail(userId, `${name} has no working contact method.`);
  const open = await listOpenCheckIds(db, alerts);
  // An acknowledged alert that becomes worse is sent once, like to every other channel.
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

export function nameMethod({
  id,
  type,
  config,
}: Parameters<typeof describeChannel>[0] & { id: string }) {
  return id === "push" ? "push" : describeChannel({ type, config });
}

/** Sends a recovery to everyone whom the pages of the problem reached, and cancels the rest. */
async function pageRecovery(page: Page): Promise<void> {
  const { context, alerts, channel, now } = page;
  const { db } = context;
  const pages = [];
  for (const alert of alerts) pages.push(...(await listPagesToRecover(db, alert, channel.id)));
  const pageIds = [...new Set(pages.map(({ pageId }) => pageId))];
  const { recipients, isBusy } = await listReached(db, pageIds, now);
  const ids = alerts.map(({ id }) => id);
  if (isBusy) {
    // A recovery must not overtake the message that is being sent.
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

/**
 * Starts the next escalation stage of a check at once. Returns false if there is none, or if the
 * alert has no stages.
 */
async function startNextStage(
  { context, delivery, now }: Omit<Page, "channel" | "alerts">,
  { checkId, alertNumber, kind }: PagedAlert,
  reason: string,
): Promise<boolean> {
  const { db } = context;
  const { accountId } = delivery;
  if (kind === "ALERT_SSL") return false;
  const state = await lockState(db, accountId, checkId);
  if (state === null || state.alertNumber !== alertNumber || !isAlertCurrent(state)) return false;
  const stages = orderStages((await findEscalation(db, accountId, checkId)).stages);
  const existing = await mapChannels(db, [...new Set(stages.flatMap((one) => one.channelIds))]);
  const next = stages.findIndex(
    ({ channelIds }, index) =>
      index >= state.escalationStage && channelIds.some((id) => existing.has(id)),
  );
  if (next < 0) return false;
  const hurry = { alertNumber, stage: next + 1, reason };
  await saveAlertState(db, accountId, { checkId, state: { ...state, hurry }, now });
  return true;
}

/** Sends to the account's fallback channel, or to the owners if it has none. */
async function sendToFallback(page: Omit<Page, "channel">, reason: string): Promise<string> {
  const { context, delivery, now } = page;
  const { db } = context;
  const { accountId } = delivery;
  const { fallbackAlertChannelId: id } = await getSettings(db, accountId);
  const channel = id === null ? null : await findChannel(db, accountId, id);
  const note = `Sent here because a page failed: ${reason}`;
  if (channel !== null && channel.type !== "ONCALL") {
    const { type, config, problem = null } = unsealChannel(context, channel);
    const recipient = problem === null ? describeChannel({ type, config }) : "unreadable";
    const message = createMessage(page, {
      alertChannelId: channel.id,
      channelType: type,
      recipient,
      userId: null,
      methodId: "fallback",
      afterMinutes: 0,
      note,
    });
    await insertPageMessages(db, [message], now);
    return "Sent to the fallback channel.";
  }
  const owners = await loadReaches(context, accountId, await listOwnerIds(db, accountId));
  const messages = [...owners.values()].flatMap(({ userId, name, methods }) =>
    methods
      .filter((method) => method.id === "email")
      .map((method) =>
        createMessage(page, {
          alertChannelId: null,
          channelType: "EMAIL",
          recipient: toShortLine(`${name}: ${nameMethod(method)}`, 300),
          userId,
          methodId: "email",
          afterMinutes: 0,
          note,
        }),
      ),
  );
  await insertPageMessages(db, messages, now);
  return "Sent to the owners by email.";
}

/** Continues with the next escalation stage, or with the fallback, without waiting. */
async function fallThrough(page: Omit<Page, "channel">, reason: string): Promise<void> {
  const { context, alerts } = page;
  const { db } = context;
  const open = await listOpenCheckIds(db, alerts);
  let startedCount = 0;
  for (const alert of alerts) {
    if (!open.has(alert.checkId)) continue;
    if (await startNextStage(page, alert, reason)) startedCount += 1;
  }
  const parts = [reason];
  if (startedCount > 0) parts.push("The next escalation stage was started at once.");
  if (startedCount < open.size) parts.push(await sendToFallback(page, reason));
  await markFallenThrough(db, alerts[0].id, parts.join(" "));
}

/** Whether a message of a page is still needed; an earlier step may have been acknowledged. */
async function isNeeded(db: Database, delivery: AlertDelivery): Promise<boolean> {
  const { pageId, afterMinutes, message } = delivery;
  if (pageId === null || !afterMinutes || isRecoveryKind(message.kind)) return true;
  const open = await listOpenCheckIds(db, await listPagedAlerts(db, pageId));
  return open.size > 0;
}

/** Sends one message of a page to a contact method of a member. */
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

/** Stores the end of an attempt, and what a failed one means for its page. */
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

/** Schedules and members as channels see them. */
export function createOnCallPages(
  context: Pick<DelivererContext, "db" | "clock" | "encryption">,
): NonNullable<DelivererContext["sendTools"]["onCall"]> {
  return {
    findFault: async (accountId, { scheduleId, userId }) => {
      if (scheduleId !== null) {
        const found = await findPersonOnCall(context, accountId, scheduleId);
        return found === null ? { key: "scheduleId", rule: "is not an on-call schedule" } : null;
      }
      const sendTools = { mailer: null, smsGateway: null };
      const found = await loadReaches({ ...context, sendTools }, accountId, [userId ?? ""]);
      return found.size > 0 ? null : { key: "userId", rule: "is not a member of this account" };
    },
    send: async (message: AlertMessage, target, tools) => {
      const { accountId } = tools;
      const found = await findPaged(context, accountId, target);
      if (found.userId === null) return notSent(found.reason, { isPermanent: true });
      const within = { ...context, sendTools: tools };
      const reach = (await loadReaches(within, accountId, [found.userId])).get(found.userId);
      const steps = reach?.plan("ALERT_FAILURE") ?? [];
      if (reach === undefined || steps.length === 0) {
        const reason = `${reach?.name ?? "The member"} has no working contact method.`;
        return notSent(reason, { isPermanent: true });
      }
      const outcomes = await Promise.all(
        steps.map(({ method }) => sendThrough(within, { ...method, accountId }, message)),
      );
      return (
        outcomes.find(({ kind }) => kind === "sent") ?? outcomes[0] ?? notSent("Nothing sent.")
      );
    },
  };
}
