import { answers, Nothing, toCursorPage } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { IdempotencyHeaders } from "../../accounts/index.ts";
import type { IncidentsContext } from "../context.ts";
import {
  changeTemplate,
  createTemplate,
  getTemplate,
  listOwnTemplates,
  removeTemplate,
} from "./actions.ts";
import {
  fromWireTemplate,
  TemplateBody,
  TemplatePage,
  TemplateParams,
  TemplateQuery,
  TemplateSchema,
  toWireTemplate,
} from "./schema.ts";

const tags = ["Incident templates"];
const path = "/v1/status-pages/incident-templates";

export function addTemplateRoutes(server: HttpServer, context: IncidentsContext): void {
  server.post(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createIncidentTemplate",
        summary: "Create a template for recurring incidents and updates",
        description:
          "Its texts may contain variables such as `{{provider}}`, which are filled in when the " +
          "template is used.",
        headers: IdempotencyHeaders,
        body: TemplateBody,
        response: answers({ 201: TemplateSchema }, "conflict"),
      },
    },
    async ({ caller, headers, body }, reply) => {
      const create = { input: fromWireTemplate(body), idempotencyKey: headers["idempotency-key"] };
      const template = await createTemplate(context, caller, create);
      return reply.code(201).send(toWireTemplate(template));
    },
  );
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listIncidentTemplates",
        summary: "List incident templates",
        description: "Paginated: pass `nextId` of the response to fetch the next page.",
        querystring: TemplateQuery,
        response: answers({ 200: TemplatePage }),
      },
    },
    async ({ caller, query }) => {
      const pageQuery = { ...query, limit: query.limit + 1 };
      const templates = await listOwnTemplates(context, caller, pageQuery);
      return toCursorPage(templates.map(toWireTemplate), query.limit);
    },
  );
  server.get(
    `${path}/:templateId`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getIncidentTemplate",
        summary: "Get an incident template",
        description: "The texts contain the variables, not their values.",
        params: TemplateParams,
        response: answers({ 200: TemplateSchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireTemplate(await getTemplate(context, caller, params.templateId)),
  );
  server.put(
    `${path}/:templateId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateIncidentTemplate",
        summary: "Replace an incident template",
        description:
          "Omitted fields are set to their defaults. Incidents created from it are not changed.",
        params: TemplateParams,
        body: TemplateBody,
        response: answers({ 200: TemplateSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }) => {
      const change = { id: params.templateId, input: fromWireTemplate(body) };
      return toWireTemplate(await changeTemplate(context, caller, change));
    },
  );
  server.delete(
    `${path}/:templateId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteIncidentTemplate",
        summary: "Delete an incident template",
        description: "Incidents created from it are not changed.",
        params: TemplateParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeTemplate(context, caller, params.templateId);
      return reply.code(204).send(null);
    },
  );
}
