import { answers, Nothing, sendTotal } from "../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  changeVariable,
  createVariable,
  getVariable,
  listOwnVariables,
  removeVariable,
} from "./actions.ts";
import type { VariablesContext } from "./context.ts";
import {
  ChangedVariableSchema,
  tagVariable,
  toWireVariable,
  VariableBody,
  VariableChange,
  VariableList,
  VariableParams,
  VariableQuery,
  VariableSchema,
} from "./schema.ts";

const tags = ["Variables"];

export function addVariableRoutes(server: HttpServer, context: VariablesContext): void {
  server.get(
    "/v1/variables",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listVariables",
        summary: "List variables by key with masked hidden values",
        description: "Paginated by `limit`; the total is in `Content-Range`.",
        querystring: VariableQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: VariableList }),
      },
    },
    async ({ caller, query }, reply) => {
      const { variables, total } = await listOwnVariables(context, caller, query);
      sendTotal(reply, query, total);
      return variables.map(toWireVariable);
    },
  );
  server.post(
    "/v1/variables",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createVariable",
        summary: "Create a variable",
        description:
          "From the next run on, replaces `{{KEY}}` in the requests of the account's checks. " +
          "Returns 409 if the key exists.",
        body: VariableBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: ChangedVariableSchema }, "conflict"),
      },
    },
    async ({ caller, body }, reply) => {
      const variable = await createVariable(context, caller, body);
      const answer = { ...toWireVariable(variable), value: variable.value };
      return reply.code(201).send(sendTagged(reply, tagVariable(variable), answer));
    },
  );
  server.get(
    "/v1/variables/:key",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getVariable",
        summary: "Get one variable with its value masked if hidden",
        description: "The response has an `ETag` for conditional updates.",
        params: VariableParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: VariableSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const variable = await getVariable(context, caller, params.key);
      return sendTagged(reply, tagVariable(variable), toWireVariable(variable));
    },
  );
  server.put(
    "/v1/variables/:key",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateVariable",
        summary: "Update a variable; the mask keeps a hidden value",
        description:
          "Replaces value and flags. Omitted fields get their defaults, but a secret stays " +
          "secret. With `If-Match`, fails if it was changed since.",
        params: VariableParams,
        headers: IfMatchHeaders,
        body: VariableChange,
        answerHeaders: ["ETag"],
        response: answers({ 200: ChangedVariableSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const change = { ...body, ...params, sentKey: body.key, ifMatch: headers["if-match"] };
      const variable = await changeVariable(context, caller, change);
      const answer = { ...toWireVariable(variable), value: variable.value };
      return sendTagged(reply, tagVariable(variable), answer);
    },
  );
  server.delete(
    "/v1/variables/:key",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteVariable",
        summary: "Delete a variable",
        description: "From the next run on, `{{KEY}}` in requests is not replaced.",
        params: VariableParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeVariable(context, caller, params.key);
      return reply.code(204).send(null);
    },
  );
}
