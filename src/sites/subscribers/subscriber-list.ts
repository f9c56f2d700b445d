/** Actions on all subscribers of a page, and actions that send a message again. */

import { type Caller, IdempotencyHeaders, writeAuditEntry } from "../../access/accounts/index.ts";
import { inTransaction } from "../../platform/database.ts";
import { formatDate } from "../../platform/dates.ts";
import { conflict, invalid, KnownError, notFound } from "../../platform/errors.ts";
import { answers, Nothing } from "../../platform/http/schema.ts";
import { sendDownload } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { StreamSlots } from "../../platform/http/stream-slots.ts";
import { writeCsvLine } from "../../platform/text/escaping.ts";
import { addSubscribers, assertOwnPage, type BulkOutcome } from "./actions.ts";
import type { SubscribersContext } from "./context.ts";
import { insertSubscriptionMessages, reviveDelivery } from "./delivery-store.ts";
import {
  DeliveryParams,
  ImportBody,
  ImportResult,
  SubscriptionCounts,
  SubscriptionExport,
  SubscriptionParams,
  SubscriptionsParams,
} from "./schema.ts";
import { countByStatus, findSubscriber, listSubscribers, restartConfirmation } from "./store.ts";
import {
  type LineFault,
  maskAddress,
  maxImportLines,
  parseAddress,
  parseImportList,
  type SubscriberStatus,
} from "./subscriber.ts";

async function countOwnSubscribers(
  context: SubscribersContext,
  caller: Caller,
  statusPageId: string,
): Promise<Readonly<Record<SubscriberStatus | "total", number>>> {
  await assertOwnPage(context, caller, statusPageId);
  const counts = await countByStatus(context.db, caller.accountId, { statusPageId });
  const { PENDING = 0, VERIFIED = 0, QUARANTINED = 0 } = Object.fromEntries(counts);
  return { PENDING, VERIFIED, QUARANTINED, total: PENDING + VERIFIED + QUARANTINED };
}

interface ImportInput {
  readonly statusPageId: string;
  readonly text: string;
  readonly autoVerify: boolean;
  readonly idempotencyKey: string | undefined;
}

/** Imports subscribers from a list. Reports invalid lines and imports all others. */
async function importSubscribers(
  context: SubscribersContext,
  caller: Caller,
  { statusPageId, text, autoVerify, idempotencyKey }: ImportInput,
): Promise<BulkOutcome & { readonly faults: readonly LineFault[] }> {
  await assertOwnPage(context, caller, statusPageId);
  const { parsed, faults } = parseImportList(text);
  if (parsed.length + faults.length > maxImportLines) {
    throw invalid("text", `must have at most ${maxImportLines} lines`);
  }
  const status = autoVerify ? "VERIFIED" : "PENDING";
  if (parsed.length === 0) return { created: 0, skipped: 0, status, faults };
  const body = { statusPageId, text, autoVerify };
  const addition = { statusPageId, parsed, autoVerify, idempotencyKey, body };
  return { ...(await addSubscribers(context, caller, addition)), faults };
}

const batchSize = 1_000;

/** Yields the subscribers as CSV in chunks, oldest first. Webhook and Slack URLs are masked. */
async function* exportSubscribers(
  context: SubscribersContext,
  caller: Caller,
  statusPageId: string,
): AsyncGenerator<string> {
  const { db, encryption } = context;
  yield writeCsvLine(["address", "type", "status", "created_at"]);
  let nextId: string | undefined;
  do {
    const query = { statusPageId, limit: batchSize + 1, nextId, encryption };
    const list = await listSubscribers(db, caller.accountId, query);
    const lines = list
      .slice(0, batchSize)
      .map(({ type, address, status, createdAt }) =>
        writeCsvLine([maskAddress(type, address), type, status, formatDate(createdAt)]),
      );
    if (lines.length > 0) yield lines.join("");
    nextId = list[batchSize]?.id;
  } while (nextId !== undefined);
}

/** Starts an export and records it in the audit log, because it contains personal data. */
async function startExport(
  context: SubscribersContext,
  caller: Caller,
  statusPageId: string,
): Promise<AsyncGenerator<string>> {
  await assertOwnPage(context, caller, statusPageId);
  const at = context.clock.now();
  const note = { action: "subscription.exported", targetId: statusPageId, changes: {}, at };
  await writeAuditEntry(context.db, caller, note);
  return exportSubscribers(context, caller, statusPageId);
}

/** Sends another confirmation request to an unconfirmed or quarantined subscriber. */
async function resendConfirmation(
  context: SubscribersContext,
  caller: Caller,
  { statusPageId, id }: { readonly statusPageId: string; readonly id: string },
): Promise<void> {
  const { db, encryption, clock, sendTools, signUpLimits } = context;
  const found = await findSubscriber(db, caller.accountId, { statusPageId, id, encryption });
  if (found === null) throw notFound();
  if (found.status === "VERIFIED") throw conflict("this subscriber has already confirmed");
  if (found.type === "EMAIL" && sendTools.mailer === null) {
    throw conflict("no SMTP server is configured, so no confirmation can be sent");
  }
  const parsed = parseAddress(found.type, found.address);
  if (parsed.kind === "invalid") throw conflict(`the address ${parsed.rule}`);
  const { allowed, resetSeconds } = signUpLimits.perMailbox.take(parsed.mailboxKey);
  if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
  const at = clock.now();
  await inTransaction(db, async (tx) => {
    await restartConfirmation(tx, caller.accountId, { statusPageId, id, at });
    const message = { statusPageId, subscriberIds: [id], purpose: "confirm", at } as const;
    await insertSubscriptionMessages(tx, caller.accountId, message);
    const note = { action: "subscription.asked", targetId: id, changes: { statusPageId }, at };
    await writeAuditEntry(tx, caller, note);
  });
}

async function resendDelivery(
  context: SubscribersContext,
  caller: Caller,
  { statusPageId, id }: { readonly statusPageId: string; readonly id: string },
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const outcome = await reviveDelivery(db, caller.accountId, { statusPageId, id, at });
    if (outcome === null) throw notFound();
    if (outcome === "SENT") throw conflict("this message was delivered");
    if (outcome === "PENDING") throw conflict("this message is still being sent");
    const changes = { statusPageId };
    const note = { action: "subscription.message-resent", targetId: id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}

const tags = ["Status page subscriptions"];
const path = "/v1/status-pages/:statusPageId/subscriptions";

/** Adds routes that count, import and export subscribers. */
export function addSubscriberListRoutes(server: HttpServer, context: SubscribersContext): void {
  const slots = new StreamSlots({ perAccount: 2, total: 8 });
  server.get(
    `${path}/counts`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "countStatusPageSubscriptions",
        summary: "Count the subscribers of a status page by state",
        description: "Counts all subscribers, regardless of filters.",
        params: SubscriptionsParams,
        response: answers({ 200: SubscriptionCounts }, "notFound"),
      },
    },
    ({ caller, params }) => countOwnSubscribers(context, caller, params.statusPageId),
  );
  server.post(
    `${path}/import`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "importStatusPageSubscriptions",
        summary: "Import email addresses from a list or a CSV table",
        description:
          "One address per line, or a table with a column `email`; up to 5,000 lines. Invalid " +
          "lines are listed in the response, and the others are added. Existing " +
          "subscribers are skipped. Each receives a confirmation request unless `autoVerify` is true.",
        params: SubscriptionsParams,
        headers: IdempotencyHeaders,
        body: ImportBody,
        response: answers({ 200: ImportResult }, "notFound", "conflict"),
      },
    },
    ({ caller, params, body, headers }) => {
      const idempotencyKey = headers["idempotency-key"];
      return importSubscribers(context, caller, { ...params, ...body, idempotencyKey });
    },
  );
  server.get(
    `${path}/export`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "exportStatusPageSubscriptions",
        summary: "Download the subscribers of a status page as CSV",
        description:
          "Oldest first. Webhook and Slack URLs are reduced to the host. The download is recorded in the audit log.",
        params: SubscriptionsParams,
        produces: ["text/csv"],
        response: answers({ 200: SubscriptionExport }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const slot = slots.take(caller.accountId);
      try {
        const pieces = await startExport(context, caller, params.statusPageId);
        return await sendDownload(reply, {
          fileName: "subscribers.csv",
          contentType: "text/csv; charset=utf-8; header=present",
          pieces,
          onEnd: () => slots.release(slot),
        });
      } catch (error) {
        slots.release(slot);
        throw error;
      }
    },
  );
}

/** Adds routes that send messages again. */
export function addResendRoutes(server: HttpServer, context: SubscribersContext): void {
  server.post(
    `${path}/:subscriptionId/confirmation`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "askStatusPageSubscriberAgain",
        summary: "Send another confirmation request to a subscriber",
        description:
          "For unconfirmed and quarantined subscribers; at most three messages per hour and address. " +
          "The two days to confirm start again.",
        params: SubscriptionParams,
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      const { statusPageId, subscriptionId: id } = params;
      await resendConfirmation(context, caller, { statusPageId, id });
      return reply.code(204).send(null);
    },
  );
  server.post(
    `${path}/deliveries/:deliveryId/resend`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "resendStatusPageDelivery",
        summary: "Send an undelivered message again",
        description: "Responds with 409 if the message was delivered or is still being sent.",
        params: DeliveryParams,
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      const { statusPageId, deliveryId: id } = params;
      await resendDelivery(context, caller, { statusPageId, id });
      return reply.code(204).send(null);
    },
  );
}
