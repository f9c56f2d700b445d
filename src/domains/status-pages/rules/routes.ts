import { randomUUIDv7 } from "node:crypto";
import { answers, Nothing, toCursorPage } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { startAt } from "../components/routes.ts";
import type { ServicesContext } from "../context.ts";
import { StatusPageParams } from "../schema.ts";
import { changeRule, createRule, getRule, listOwnRules, removeRule } from "./actions.ts";
import {
  fromWireRule,
  RuleBody,
  RuleList,
  RuleParams,
  RuleQuery,
  RuleSchema,
  toWireRule,
} from "./schema.ts";

const tags = ["Status page components"];

function addWriteRoutes(server: HttpServer, context: ServicesContext): void {
  server.post(
    "/v3/status-pages/:statusPageId/automation-rules",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createAutomationRule",
        summary: "Create an automation rule",
        description:
          "While a check with one of the tags fails and its alert was sent, one incident is open. " +
          "It is resolved when the checks have recovered, unless a person has posted to it.",
        params: StatusPageParams,
        body: RuleBody,
        response: answers({ 201: RuleSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params: { statusPageId }, body }, reply) => {
      const request = { statusPageId, id: randomUUIDv7(), input: fromWireRule(body, null) };
      return reply.code(201).send(toWireRule(await createRule(context, caller, request)));
    },
  );
  server.put(
    "/v3/status-pages/:statusPageId/automation-rules/:ruleId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateAutomationRule",
        summary: "Update an automation rule",
        description: "Omitted optional fields keep their value. An open incident is not changed.",
        params: RuleParams,
        body: RuleBody,
        response: answers({ 200: RuleSchema }, "notFound"),
      },
    },
    async ({ caller, params: { statusPageId, ruleId }, body }) => {
      const change = { statusPageId, id: ruleId, read: fromWireRule.bind(null, body) };
      return toWireRule(await changeRule(context, caller, change));
    },
  );
  server.delete(
    "/v3/status-pages/:statusPageId/automation-rules/:ruleId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteAutomationRule",
        summary: "Delete an automation rule",
        description: "Its open incident stays open until a person resolves it.",
        params: RuleParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params: { statusPageId, ruleId } }, reply) => {
      await removeRule(context, caller, { statusPageId, id: ruleId });
      return reply.code(204).send(null);
    },
  );
}

export function addRuleRoutes(server: HttpServer, context: ServicesContext): void {
  addWriteRoutes(server, context);
  server.get(
    "/v3/status-pages/:statusPageId/automation-rules",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listAutomationRules",
        summary: "List the automation rules of a status page",
        description: "Oldest first. Paginated: pass `nextId` of the response.",
        params: StatusPageParams,
        querystring: RuleQuery,
        response: answers({ 200: RuleList }, "notFound"),
      },
    },
    async ({ caller, params, query: { limit, nextId } }) => {
      const all = await listOwnRules(context, caller, params.statusPageId);
      return toCursorPage(
        startAt(all, nextId)
          .slice(0, limit + 1)
          .map(toWireRule),
        limit,
      );
    },
  );
  server.get(
    "/v3/status-pages/:statusPageId/automation-rules/:ruleId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getAutomationRule",
        summary: "Get an automation rule",
        description: "`incidentId` is the incident that it has opened and not resolved.",
        params: RuleParams,
        response: answers({ 200: RuleSchema }, "notFound"),
      },
    },
    async ({ caller, params: { statusPageId, ruleId } }) =>
      toWireRule(await getRule(context, caller, { statusPageId, id: ruleId })),
  );
}
