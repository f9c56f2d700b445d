import { Type } from "typebox";
import { type CheckType, checkTypes, kinds } from "../../kinds/index.ts";
import { answers, Nothing, sendTotal } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { changeCheck, createCheck, listOwnChecks, readCheck, removeCheck } from "./actions.ts";
import type { CheckInput } from "./check-settings.ts";
import type { CheckListContext } from "./context.ts";
import { addGroupRoutes } from "./groups/routes.ts";
import {
  AnyCheckSchema,
  AutoAssignQuery,
  CheckList,
  CheckParams,
  CheckQuery,
  CheckReadQuery,
  checkSchemaOf,
  createCheckBody,
  createCheckChange,
  toWireCheck,
} from "./schema.ts";
import { addSubscriptionRoutes } from "./subscriptions/routes.ts";

const tags = ["Checks"];

/** The operations that each kind has of its own. */
function addKindRoutes(server: HttpServer, context: CheckListContext, type: CheckType): void {
  const kind = kinds[type];
  const { operations, words, path } = kind;
  const CheckSchema = checkSchemaOf(kind);
  server.post(
    `/v1/checks/${path}`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: `create${operations.name}Check`,
        summary: `Create ${words.aMonitor}`,
        description: operations.create,
        querystring: AutoAssignQuery,
        body: Type.Unsafe<CheckInput>(createCheckBody(kind)),
        response: answers({ 201: CheckSchema }),
      },
    },
    async ({ caller, body, query }, reply) => {
      const check = await createCheck(context, caller, { type, input: body, ...query });
      return reply.code(201).send(toWireCheck(check, context.publicUrl()));
    },
  );
  server.put(
    `/v1/checks/${path}/:id`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: `update${operations.name}Check`,
        summary: `Update ${words.aMonitor}`,
        description: operations.update,
        params: CheckParams,
        querystring: AutoAssignQuery,
        body: Type.Unsafe<CheckInput>(createCheckChange(kind)),
        response: answers({ 200: CheckSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) =>
      toWireCheck(
        await changeCheck(context, caller, { id: params.id, type, input: body }),
        context.publicUrl(),
      ),
  );
}

export function addCheckRoutes(server: HttpServer, context: CheckListContext): void {
  for (const type of checkTypes) addKindRoutes(server, context, type);
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
      return checks.map((check) => toWireCheck(check, context.publicUrl()));
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
        response: answers({ 200: AnyCheckSchema }, "notFound"),
      },
    },
    async ({ caller, params, query }) =>
      toWireCheck(await readCheck(context, caller, { ...params, ...query }), context.publicUrl()),
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
