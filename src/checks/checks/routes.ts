import { Type } from "typebox";
import { IdempotencyHeaders } from "../../access/accounts/index.ts";
import { type CheckType, checkTypes, kinds } from "../../kinds/index.ts";
import { answers, Nothing, sendTotal } from "../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  type CheckListContext,
  changeAnyCheck,
  changeCheck,
  createCheck,
  listOwnChecks,
  readCheck,
  removeCheck,
} from "./actions.ts";
import { addBulkRoutes } from "./bulk/bulk.ts";
import { tagCheck } from "./check.ts";
import {
  AnyCheckBody,
  AnyCheckChange,
  checkBodyOf,
  checkChangeOf,
  maxAnyBodyBytes,
  parseNewCheck,
} from "./check-bodies.ts";
import { addKindListRoute } from "./check-kinds.ts";
import type { CheckInput } from "./check-settings.ts";
import { showCheck } from "./client-answers.ts";
import { acceptClientChange, acceptClientCheck, acceptClientCheckOf } from "./client-bodies.ts";
import { addGroupRoutes } from "./groups/groups.ts";
import { addManyRoutes } from "./many-checks.ts";
import {
  AnyCheckSchema,
  AutoAssignQuery,
  CheckList,
  CheckParams,
  CheckQuery,
  CheckReadQuery,
  checkSchemaOf,
  createView,
  toWireCheck,
} from "./schema.ts";
import { addSubscriptionRoutes } from "./subscriptions/subscriptions.ts";
import { addViewRoutes } from "./views/views.ts";

const tags = ["Checks"];

function addKindRoutes(server: HttpServer, context: CheckListContext, type: CheckType): void {
  const kind = kinds[type];
  const { operations, words, path, maxBodyBytes: bodyLimit } = kind;
  const CheckSchema = checkSchemaOf(kind);
  server.post(
    `/v1/checks/${path}`,
    {
      preValidation: acceptClientCheckOf(kind),
      bodyLimit,
      config: { access: "write" },
      schema: {
        tags,
        operationId: `create${operations.name}Check`,
        summary: `Create ${words.aCheck}`,
        description: operations.create,
        headers: IdempotencyHeaders,
        querystring: AutoAssignQuery,
        body: Type.Unsafe<CheckInput>(checkBodyOf(kind)),
        response: answers({ 201: CheckSchema }, "conflict"),
      },
    },
    async (request, reply) => {
      const { caller, headers, body, query } = request;
      const once = { key: headers["idempotency-key"], body };
      const check = await createCheck(context, caller, { type, input: body, ...query, once });
      return reply.code(201).send(await showCheck(context, request, check));
    },
  );
  server.put(
    `/v1/checks/${path}/:id`,
    {
      ...acceptClientChange(kind),
      bodyLimit,
      config: { access: "write" },
      schema: {
        tags,
        operationId: `update${operations.name}Check`,
        summary: `Update ${words.aCheck}`,
        description: operations.update,
        headers: IfMatchHeaders,
        params: CheckParams,
        querystring: AutoAssignQuery,
        body: Type.Unsafe<CheckInput>(checkChangeOf(kind)),
        answerHeaders: ["ETag"],
        response: answers({ 200: CheckSchema }, "notFound", "preconditionFailed"),
      },
    },
    async (request, reply) => {
      const { caller, headers, params, body } = request;
      const change = { id: params.id, type, input: body, ifMatch: headers["if-match"] };
      const check = await changeCheck(context, caller, change);
      return sendTagged(reply, tagCheck(check), await showCheck(context, request, check));
    },
  );
}

function addAnyKindRoutes(server: HttpServer, context: CheckListContext): void {
  server.post(
    "/v1/checks",
    {
      preValidation: acceptClientCheck,
      bodyLimit: maxAnyBodyBytes,
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createCheck",
        summary: "Create a check of any kind",
        description:
          "`checkType` selects the kind; the other fields are those of the route of that kind, with the same " +
          "defaults and limits.",
        headers: IdempotencyHeaders,
        querystring: AutoAssignQuery,
        body: AnyCheckBody,
        response: answers({ 201: AnyCheckSchema }, "conflict"),
      },
    },
    async (request, reply) => {
      const { caller, headers, body, query } = request;
      const once = { key: headers["idempotency-key"], body };
      const check = await createCheck(context, caller, { ...parseNewCheck(body), ...query, once });
      return reply.code(201).send(await showCheck(context, request, check));
    },
  );
  server.put(
    "/v1/checks/:id",
    {
      preValidation: acceptClientCheck,
      bodyLimit: maxAnyBodyBytes,
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateCheck",
        summary: "Update a check of any kind",
        description:
          "Omitted fields keep their value. `checkType` cannot be changed. With " +
          "`If-Match`, fails if the check was changed since.",
        headers: IfMatchHeaders,
        params: CheckParams,
        querystring: AutoAssignQuery,
        body: AnyCheckChange,
        answerHeaders: ["ETag"],
        response: answers({ 200: AnyCheckSchema }, "notFound", "preconditionFailed"),
      },
    },
    async (request, reply) => {
      const { caller, headers, params, body } = request;
      const change = { id: params.id, body, ifMatch: headers["if-match"] };
      const check = await changeAnyCheck(context, caller, change);
      return sendTagged(reply, tagCheck(check), await showCheck(context, request, check));
    },
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
          "Paginated by `limit`; the total is in `Content-Range`. All filters must match.",
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
        summary: "Get one check",
        description:
          "With `applyGroupSettings`, returns the effective settings, including those of its group. " +
          "Without it, the response has an `ETag` for conditional updates.",
        params: CheckParams,
        querystring: CheckReadQuery,
        answerHeaders: ["ETag"],
        response: answers({ 200: AnyCheckSchema }, "notFound"),
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      const check = await readCheck(context, caller, { ...params, ...query });
      const shown = await showCheck(context, request, check);
      return query.applyGroupSettings ? shown : sendTagged(reply, tagCheck(check), shown);
    },
  );
  server.delete(
    "/v1/checks/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteCheck",
        summary: "Delete a check",
        description: "Also deletes its results, statuses and alerts.",
        params: CheckParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeCheck(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
  addKindListRoute(server);
  addManyRoutes(server, context);
  addBulkRoutes(server, context);
  addViewRoutes(server, context);
  addGroupRoutes(server, context);
  addSubscriptionRoutes(server, context);
}
