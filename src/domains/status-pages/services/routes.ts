import { answers, Nothing, toCursorPage } from "../../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { IdempotencyHeaders } from "../../accounts/index.ts";
import type { ServicesContext } from "../context.ts";
import {
  changeService,
  createService,
  getFollowingService,
  listAllServices,
  listOwnServices,
  removeService,
} from "./actions.ts";
import {
  FollowingServiceSchema,
  ServiceBody,
  ServiceList,
  ServiceParams,
  ServiceQuery,
  tagService,
  toWireFollowingService,
} from "./schema.ts";

const tags = ["Services"];

export function addServiceRoutes(server: HttpServer, context: ServicesContext): void {
  server.post(
    "/v1/status-pages/services",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createService",
        summary: "Create a service",
        description:
          "A service is what status pages show and incidents affect. Its name is unique in the " +
          "account.",
        headers: IdempotencyHeaders,
        body: ServiceBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: FollowingServiceSchema }, "conflict"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const input = { ...body, idempotencyKey: headers["idempotency-key"] };
      const service = await createService(context, caller, input);
      const answer = toWireFollowingService(service);
      return reply.code(201).send(sendTagged(reply, tagService(service), answer));
    },
  );
  server.get(
    "/v1/status-pages/services",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listServices",
        summary: "List services",
        description:
          "Paginated: pass `nextId` of the response to fetch the next page. With " +
          "`paginated=false`, returns all services as a plain array.",
        querystring: ServiceQuery,
        response: answers({ 200: ServiceList }),
      },
    },
    async ({ caller, query }) => {
      const { limit, nextId } = query;
      if (!query.paginated)
        return (await listAllServices(context, caller)).map(toWireFollowingService);
      const found = await listOwnServices(context, caller, { limit: limit + 1, nextId });
      return toCursorPage(found.map(toWireFollowingService), limit);
    },
  );
  server.get(
    "/v1/status-pages/services/:serviceId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getService",
        summary: "Get a service",
        description: "The response has an `ETag`, which an update can send as `If-Match`.",
        params: ServiceParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: FollowingServiceSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const service = await getFollowingService(context, caller, params.serviceId);
      return sendTagged(reply, tagService(service), toWireFollowingService(service));
    },
  );
  server.put(
    "/v1/status-pages/services/:serviceId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateService",
        summary: "Change the name or the followed checks of a service",
        description:
          "If `follows` is omitted, it is not changed. With `If-Match`, a change made since then " +
          "causes 412.",
        params: ServiceParams,
        headers: IfMatchHeaders,
        body: ServiceBody,
        answerHeaders: ["ETag"],
        response: answers({ 200: FollowingServiceSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const change = { ...body, id: params.serviceId, ifMatch: headers["if-match"] };
      const service = await changeService(context, caller, change);
      return sendTagged(reply, tagService(service), toWireFollowingService(service));
    },
  );
  server.delete(
    "/v1/status-pages/services/:serviceId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteService",
        summary: "Delete a service and remove it from cards and incidents",
        description: "Rejected with 409 while a check opens incidents for it.",
        params: ServiceParams,
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeService(context, caller, params.serviceId);
      return reply.code(204).send(null);
    },
  );
}
