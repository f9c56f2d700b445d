import { Type } from "typebox";
import { toDay } from "../../../platform/dates.ts";
import {
  answers,
  CursorPage,
  CursorQuery,
  DateOnly,
  Described,
  Guid,
  Name,
  Nothing,
  OrNull,
  toCursorPage,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { IdempotencyHeaders } from "../../accounts/index.ts";
import type { IncidentsContext } from "../context.ts";
import { maxFirstUpdates, maxServices } from "../incident.ts";
import { Description, IncidentName, SeveritySchema, Status } from "../schema.ts";
import {
  changeTemplate,
  createTemplate,
  getTemplate,
  listOwnTemplates,
  removeTemplate,
} from "./actions.ts";
import {
  type IncidentTemplate,
  listRequiredVariables,
  type TemplateInput,
} from "./incident-template.ts";

const tags = ["Incident templates"];
const path = "/v1/status-pages/incident-templates";

const fields = {
  name: Described(Name, "Its name.", "Provider"),
  incidentName: Type.Union([IncidentName, Type.Null()], {
    description: "Name of the incident, with variables; `null` if the caller supplies it.",
    examples: ["{{services}}: {{provider}} is down"],
    default: null,
  }),
  severity: Type.Union([SeveritySchema, Type.Null()], {
    description: "Severity of the incident; `null` if the caller supplies it.",
    examples: ["MAJOR"],
    default: null,
  }),
  serviceIds: Type.Array(Guid, {
    description: "Ids of the affected services; empty if the caller supplies them.",
    maxItems: maxServices,
    default: [],
  }),
  updates: Type.Array(
    Type.Object({
      status: Described(Status, "Status of the update.", "INVESTIGATING"),
      description: Described(
        Description,
        "Text in Markdown, with variables.",
        "We are waiting for {{provider}}.",
      ),
      notifySubscribers: Type.Boolean({
        description: "Whether subscribers are notified.",
        default: false,
      }),
    }),
    {
      description: "The updates, first one first.",
      minItems: 1,
      maxItems: maxFirstUpdates,
    },
  ),
};

const TemplateBody = Type.Object(fields, { title: "IncidentTemplateInput" });
type TemplateBody = Type.Static<typeof TemplateBody>;
const TemplateParams = Type.Object({ templateId: Described(Guid, "The template's id.") });
const TemplateQuery = Type.Object(CursorQuery);
const TemplateSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    ...fields,
    variables: Type.Array(Type.String(), {
      description: "Variables that the caller must supply.",
      examples: [["provider"]],
    }),
    created_at: Described(DateOnly, "Date of creation, in UTC."),
    updated_at: Described(
      OrNull(DateOnly),
      "Date of the last change, in UTC; `null` if never changed.",
    ),
  },
  { title: "IncidentTemplate" },
);
const TemplatePage = CursorPage(TemplateSchema);

function fromWireTemplate(body: TemplateBody): TemplateInput {
  const { name, incidentName, severity, updates } = body;
  return {
    name,
    incidentName,
    severity,
    serviceIds: [...new Set(body.serviceIds.map((id) => id.toLowerCase()))],
    updates: updates.map(({ status, description, notifySubscribers }) => ({
      status,
      description,
      notifySubscribers,
    })),
  };
}

function toWireTemplate(template: IncidentTemplate) {
  return {
    id: template.id,
    name: template.name,
    incidentName: template.incidentName,
    severity: template.severity,
    serviceIds: [...template.serviceIds],
    updates: template.updates.map((update) => ({ ...update })),
    variables: listRequiredVariables(template),
    created_at: toDay(template.createdAt),
    updated_at: template.updatedAt && toDay(template.updatedAt),
  };
}

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
