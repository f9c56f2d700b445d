import { answers, Nothing } from "../../platform/http/schema.ts";
import { sendDownload } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { StreamSlots } from "../../platform/http/stream-slots.ts";
import { IdempotencyHeaders } from "../accounts/index.ts";
import type { SubscribersContext } from "./context.ts";
import {
  countOwnSubscribers,
  importSubscribers,
  resendConfirmation,
  resendDelivery,
  startExport,
} from "./list-actions.ts";
import {
  DeliveryParams,
  ImportBody,
  ImportResult,
  SubscriptionCounts,
  SubscriptionExport,
  SubscriptionParams,
  SubscriptionsParams,
} from "./schema.ts";

const tags = ["Status page subscriptions"];
const path = "/v1/status-pages/:statusPageId/subscriptions";

/** Routes that count, import and export the list. */
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

/** Routes that send messages again. */
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
