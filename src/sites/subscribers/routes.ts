import { IdempotencyHeaders } from "../../access/accounts/index.ts";
import { answers, Nothing, toCursorPage } from "../../platform/http/schema.ts";
import { addScope, type HttpServer } from "../../platform/http/server.ts";
import {
  createSubscribers,
  listOwnDeliveries,
  listOwnSubscribers,
  removeSubscriber,
} from "./actions.ts";
import type { SubscribersContext } from "./context.ts";
import { addSubscriberPageRoutes } from "./page-routes.ts";
import {
  BulkBody,
  BulkResult,
  DeliveriesPage,
  DeliveriesQuery,
  SubscriptionList,
  SubscriptionParams,
  SubscriptionsParams,
  SubscriptionsQuery,
  toWireDelivery,
  toWireSubscription,
} from "./schema.ts";
import { addResendRoutes, addSubscriberListRoutes } from "./subscriber-list.ts";

const tags = ["Status page subscriptions"];
const path = "/v1/status-pages/:statusPageId/subscriptions";

export function addSubscriberRoutes(server: HttpServer, context: SubscribersContext): void {
  addSubscriptionRoutes(server, context);
  addSubscriberListRoutes(server, context);
  addResendRoutes(server, context);
  addScope(server, (scope) => addSubscriberPageRoutes(scope, context));
}

function addSubscriptionRoutes(server: HttpServer, context: SubscribersContext): void {
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listStatusPageSubscriptions",
        summary: "List the subscribers of a status page, oldest first",
        description:
          "The total is in Content-Range; a Link header with rel=next has the URL of the next page.",
        params: SubscriptionsParams,
        querystring: SubscriptionsQuery,
        answerHeaders: ["Content-Range", "Link"],
        response: answers({ 200: SubscriptionList }, "notFound"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const { statusPageId } = params;
      const { limit, nextId, search, status } = query;
      const request = { statusPageId, nextId, search, status, limit: limit + 1 };
      const { subscribers, before, total } = await listOwnSubscribers(context, caller, request);
      const page = toCursorPage(subscribers.map(toWireSubscription), query.limit);
      const span = page.length === 0 ? "*" : `${before}-${before + page.length - 1}`;
      reply.header("content-range", `items ${span}/${total}`);
      if (page.nextId !== null) {
        const next = `/v1/status-pages/${statusPageId}/subscriptions`;
        const rest = new URLSearchParams({ limit: `${limit}`, nextId: page.nextId });
        if (search !== undefined) rest.set("search", search);
        if (status !== undefined) rest.set("status", status);
        reply.header("link", `<${next}?${rest}>; rel="next"`);
      }
      return page.entries;
    },
  );
  server.post(
    `${path}/bulk`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createStatusPageSubscriptions",
        summary: "Add up to 100 subscribers; existing ones are skipped",
        description:
          "By email address. Each receives a confirmation request unless `autoVerify` is true.",
        params: SubscriptionsParams,
        headers: IdempotencyHeaders,
        body: BulkBody,
        response: answers({ 201: BulkResult }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const idempotencyKey = headers["idempotency-key"];
      const input = { ...body, ...params, idempotencyKey };
      return reply.code(201).send(await createSubscribers(context, caller, input));
    },
  );
  server.get(
    `${path}/deliveries`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listStatusPageDeliveries",
        summary: "List the messages to subscribers and their delivery, newest first",
        description: "Paginated: pass `nextId` of a response to get the next page.",
        params: SubscriptionsParams,
        querystring: DeliveriesQuery,
        response: answers({ 200: DeliveriesPage }, "notFound"),
      },
    },
    async ({ caller, params, query }) => {
      const request = { ...params, ...query, limit: query.limit + 1 };
      const receipts = await listOwnDeliveries(context, caller, request);
      return toCursorPage(receipts.map(toWireDelivery), query.limit);
    },
  );
  server.delete(
    `${path}/:subscriptionId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteStatusPageSubscription",
        summary: "Delete a subscriber and all unsent messages",
        description: "The subscriber is not notified.",
        params: SubscriptionParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const { statusPageId, subscriptionId: id } = params;
      await removeSubscriber(context, caller, { statusPageId, id });
      return reply.code(204).send(null);
    },
  );
}
