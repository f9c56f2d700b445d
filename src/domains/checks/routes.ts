import { answers, Nothing, sendTotal } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { changeCheck, createCheck, listOwnChecks, readCheck, removeCheck } from "./actions.ts";
import type { CheckListContext } from "./context.ts";
import { addGroupRoutes } from "./groups/routes.ts";
import {
  AutoAssignQuery,
  CheckList,
  CheckParams,
  CheckQuery,
  CheckReadQuery,
  IcmpCheckBody,
  IcmpCheckChange,
  IcmpCheckSchema,
  toWireCheck,
} from "./schema.ts";
import { addSubscriptionRoutes } from "./subscriptions/routes.ts";

const tags = ["Checks"];

export function addCheckRoutes(server: HttpServer, context: CheckListContext): void {
  server.post(
    "/v1/checks/icmp",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createIcmpCheck",
        summary: "Create an ICMP monitor",
        description:
          "`name` and `request.hostname` are enough; everything else has a default. The " +
          "first run is due within one period.",
        querystring: AutoAssignQuery,
        body: IcmpCheckBody,
        response: answers({ 201: IcmpCheckSchema }),
      },
    },
    async ({ caller, body, query }, reply) => {
      const check = await createCheck(context, caller, { ...body, ...query });
      return reply.code(201).send(toWireCheck(check) as never);
    },
  );
  server.put(
    "/v1/checks/icmp/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateIcmpCheck",
        summary: "Update an ICMP monitor",
        description:
          "A field that is left out keeps its value. `heartbeat` and `script` must be " +
          'sent but mean nothing for a ping: `{}` and `""` do.',
        params: CheckParams,
        querystring: AutoAssignQuery,
        body: IcmpCheckChange,
        response: answers({ 200: IcmpCheckSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const change = { id: params.id, wish: body };
      return toWireCheck(await changeCheck(context, caller, change)) as never;
    },
  );
  server.get(
    "/v1/checks",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listChecks",
        summary: "List checks, by tag, type, name or status",
        description:
          "In pages of `limit`; the total is in `Content-Range`. All filters must match.",
        querystring: CheckQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: CheckList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { checks, total } = await listOwnChecks(context, caller, query);
      sendTotal(reply, query, total);
      return checks.map(toWireCheck) as never;
    },
  );
  server.get(
    "/v1/checks/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getCheck",
        summary: "Read one check",
        description: "With `applyGroupSettings` as it runs, that is with what its group decides.",
        params: CheckParams,
        querystring: CheckReadQuery,
        response: answers({ 200: IcmpCheckSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }) =>
      toWireCheck(await readCheck(context, caller, { ...params, ...query })) as never,
  );
  server.delete(
    "/v1/checks/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteCheck",
        summary: "Delete a check",
        description: "Its results, statuses and alerts go with it.",
        params: CheckParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeCheck(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
  addGroupRoutes(server, context);
  addSubscriptionRoutes(server, context);
}
