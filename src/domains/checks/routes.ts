import { Type } from "typebox";
import { type CheckType, checkTypes, kinds } from "../../kinds/index.ts";
import { answers, Nothing, sendTotal } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  changeAnyCheck,
  changeCheck,
  createCheck,
  listOwnChecks,
  readCheck,
  removeCheck,
} from "./actions.ts";
import {
  AnyCheckBody,
  AnyCheckChange,
  checkBodyOf,
  checkChangeOf,
  parseNewCheck,
} from "./check-bodies.ts";
import type { CheckInput } from "./check-settings.ts";
import { createView } from "./check-view.ts";
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
        body: Type.Unsafe<CheckInput>(checkBodyOf(kind)),
        response: answers({ 201: CheckSchema }),
      },
    },
    async ({ caller, body, query }, reply) => {
      const check = await createCheck(context, caller, { type, input: body, ...query });
      return reply.code(201).send(toWireCheck(check, createView(context, caller)));
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
        body: Type.Unsafe<CheckInput>(checkChangeOf(kind)),
        response: answers({ 200: CheckSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) =>
      toWireCheck(
        await changeCheck(context, caller, { id: params.id, type, input: body }),
        createView(context, caller),
      ),
  );
}

/** The same for a check of any kind. */
function addAnyKindRoutes(server: HttpServer, context: CheckListContext): void {
  server.post(
    "/v1/checks",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createCheck",
        summary: "Create a check of any kind",
        description:
          "`checkType` says which; the rest is as at the route of that kind, with the same " +
          "defaults and limits.",
        querystring: AutoAssignQuery,
        body: AnyCheckBody,
        response: answers({ 201: AnyCheckSchema }),
      },
    },
    async ({ caller, body, query }, reply) => {
      const check = await createCheck(context, caller, { ...parseNewCheck(body), ...query });
      return reply.code(201).send(toWireCheck(check, createView(context, caller)));
    },
  );
  server.put(
    "/v1/checks/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateCheck",
        summary: "Update a check of any kind",
        description: "A field that is left out keeps its value. `checkType` cannot be changed.",
        params: CheckParams,
        querystring: AutoAssignQuery,
        body: AnyCheckChange,
        response: answers({ 200: AnyCheckSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) =>
      toWireCheck(
        await changeAnyCheck(context, caller, { id: params.id, body }),
        createView(context, caller),
      ),
  );
}

export function addCheckRoutes(server: HttpServer, context: CheckListContext): void {
  for (const type of checkTypes) addKindRoutes(server, context, type);
  addAnyKindRoutes(server, context);
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
      return checks.map((check) => toWireCheck(check, createView(context, caller)));
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
      toWireCheck(
        await readCheck(context, caller, { ...params, ...query }),
        createView(context, caller),
      ),
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
