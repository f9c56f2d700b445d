import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { getCheck } from "../../../checks/checks/index.ts";
import { inTransaction } from "../../../platform/database.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { answers, parseBounds, sendTotal } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AlertingContext } from "../context.ts";
import {
  AlertQuery,
  AlertRecordList,
  CheckAlertParams,
  ReceiptList,
  ReceiptParams,
  ReceiptQuery as ReceiptQuerySchema,
  ReceiptSchema,
  toWireAlertRecord,
  toWireReceipt,
} from "./schema.ts";
import {
  type AlertRecord,
  type AlertRecordQuery,
  findReceipt,
  listAlertRecords,
  listReceipts,
  type Receipt,
  type ReceiptQuery,
  replayDelivery,
} from "./store.ts";

export function listOwnReceipts(
  context: AlertingContext,
  caller: Caller,
  query: ReceiptQuery,
): Promise<{ readonly receipts: Receipt[]; readonly total: number }> {
  return listReceipts(context.db, caller.accountId, query);
}

export async function getReceipt(
  context: AlertingContext,
  caller: Caller,
  id: string,
): Promise<Receipt> {
  const receipt = await findReceipt(context.db, caller.accountId, id);
  if (receipt === null) throw notFound();
  return receipt;
}

/** Sends a message again without changing its idempotency key. */
export async function replayReceipt(
  context: AlertingContext,
  caller: Caller,
  id: string,
): Promise<Receipt> {
  const before = await getReceipt(context, caller, id);
  await inTransaction(context.db, async (db) => {
    const at = context.clock.now();
    const isReplayed = await replayDelivery(db, caller.accountId, {
      id,
      now: at,
      by: caller.label,
    });
    if (!isReplayed) throw conflict("message is still being delivered");
    const changes = { recipient: before.recipient };
    const action = "alert-notification.replayed";
    await writeAuditEntry(db, caller, { action, targetId: id, changes, at });
  });
  return getReceipt(context, caller, id);
}

export async function listOwnAlerts(
  context: AlertingContext,
  caller: Caller,
  query: AlertRecordQuery,
): Promise<{ readonly records: AlertRecord[]; readonly total: number }> {
  if (query.checkId !== null) await getCheck(context, caller, query.checkId);
  return listAlertRecords(context.db, caller.accountId, query);
}

const tags = ["Alerts"];

export function addNotificationRoutes(server: HttpServer, context: AlertingContext): void {
  server.get(
    "/v1/alert-notifications",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listAlertNotifications",
        summary: "List alert messages and their outcome, newest first",
        description: "Paginated by `limit`; the total is in `Content-Range`.",
        querystring: ReceiptQuerySchema,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: ReceiptList }),
      },
    },
    async ({ caller, query }, reply) => {
      const bounds = parseBounds(query);
      const { receipts, total } = await listOwnReceipts(context, caller, bounds);
      sendTotal(reply, query, total);
      return receipts.map(toWireReceipt);
    },
  );
  server.get(
    "/v1/alert-notifications/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getAlertNotification",
        summary: "Get one alert message and its outcome",
        description: "Includes every delivery attempt and the reason if it failed.",
        params: ReceiptParams,
        response: answers({ 200: ReceiptSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireReceipt(await getReceipt(context, caller, params.id)),
  );
  server.post(
    "/v1/alert-notifications/:id/replay",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "replayAlertNotification",
        summary: "Send a message again, with the same idempotency key",
        description:
          "Only for a message that was sent or abandoned; a pending message is " +
          "answered with 409.",
        params: ReceiptParams,
        response: answers({ 200: ReceiptSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }) => toWireReceipt(await replayReceipt(context, caller, params.id)),
  );
  server.get(
    "/v1/check-alerts",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listAlerts",
        summary: "List alerts that were sent, and alerts that were held, with the reason",
        description: "Newest first, paginated by `limit`; the total is in `Content-Range`.",
        querystring: AlertQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: AlertRecordList }),
      },
    },
    async ({ caller, query }, reply) => {
      const bounds = { ...parseBounds(query), checkId: null };
      const { records, total } = await listOwnAlerts(context, caller, bounds);
      sendTotal(reply, query, total);
      return records.map(toWireAlertRecord);
    },
  );
  server.get(
    "/v1/check-alerts/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listCheckAlerts",
        summary: "List the alerts of one check, sent and held",
        description: "Newest first, paginated by `limit`; the total is in `Content-Range`.",
        params: CheckAlertParams,
        querystring: AlertQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: AlertRecordList }, "notFound"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const bounds = { ...parseBounds(query), checkId: params.checkId };
      const { records, total } = await listOwnAlerts(context, caller, bounds);
      sendTotal(reply, query, total);
      return records.map(toWireAlertRecord);
    },
  );
}
