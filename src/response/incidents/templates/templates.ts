import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import {
  type Caller,
  createOnce,
  IdempotencyHeaders,
  writeAuditEntry,
} from "../../../access/accounts/index.ts";
import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import { toDay } from "../../../platform/dates.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
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
import { assertMatch, IfMatchHeaders, sendTagged } from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { findBrokenRule } from "../../../platform/text/template.ts";
import { listServicesByIds } from "../../../sites/status-pages/index.ts";
import type { IncidentsContext } from "../incident.ts";
import { maxFirstUpdates, maxServices } from "../incident.ts";
import { Description, IncidentName, SeveritySchema, Status } from "../schema.ts";
import {
  type IncidentTemplate,
  listRequiredVariables,
  maxTemplates,
  type TemplateInput,
  tagTemplate,
} from "./incident-template.ts";
import {
  countTemplates,
  deleteTemplate,
  findTemplate,
  insertTemplate,
  listTemplates,
  lockTemplate,
  saveTemplate,
} from "./store.ts";

const nameTaken = (name: string) => conflict(`a template named "${name}" already exists`);

function assertWords(key: string, text: string): void {
  const rule = findBrokenRule(text);
  if (rule !== null) throw invalid(key, rule);
}

async function assertSound(db: Database, accountId: string, input: TemplateInput): Promise<void> {
  assertWords("incidentName", input.incidentName ?? "");
  for (const [index, { description }] of input.updates.entries()) {
    assertWords(`updates.${index}.description`, description);
  }
  const services = await listServicesByIds(db, accountId, input.serviceIds);
  const known = new Set(services.map(({ id }) => id));
  const unknown = input.serviceIds.find((id) => !known.has(id));
  if (unknown !== undefined) {
    throw invalid("serviceIds", `contains ${unknown}, which does not exist in this account`);
  }
}

async function createTemplate(
  context: IncidentsContext,
  caller: Caller,
  create: { readonly input: TemplateInput; readonly idempotencyKey: string | undefined },
): Promise<IncidentTemplate> {
  const { input, idempotencyKey: key } = create;
  const { accountId } = caller;
  const at = context.clock.now();
  const id = randomUUIDv7();
  return inTransaction(context.db, async (db) => {
    const action = "incident-template.created";
    const once = { key, operation: action, body: input, targetId: id, at };
    const { targetId } = await createOnce(db, caller, once, async () => {
      await assertSound(db, accountId, input);
      await lockName(db, `incident templates ${accountId}`);
      const count = await countTemplates(db, accountId);
      if (count >= maxTemplates) throw conflict(`an account has at most ${maxTemplates} templates`);
      const isNew = await insertTemplate(db, accountId, { ...input, id, createdAt: at });
      if (!isNew) throw nameTaken(input.name);
      const changes = { name: input.name };
      await writeAuditEntry(db, caller, { action, targetId: id, changes, at });
    });
    const template = await findTemplate(db, accountId, targetId);
    if (template === null)
      throw conflict("the object created with this Idempotency-Key has been deleted");
    return template;
  });
}

async function getTemplate(
  context: IncidentsContext,
  caller: Caller,
  id: string,
): Promise<IncidentTemplate> {
  const template = await findTemplate(context.db, caller.accountId, id);
  if (template === null) throw notFound();
  return template;
}

function listOwnTemplates(
  context: IncidentsContext,
  caller: Caller,
  query: { readonly limit: number; readonly nextId?: string | undefined },
): Promise<IncidentTemplate[]> {
  return listTemplates(context.db, caller.accountId, query);
}

async function changeTemplate(
  context: IncidentsContext,
  caller: Caller,
  change: {
    readonly id: string;
    readonly input: TemplateInput;
    readonly ifMatch: string | undefined;
  },
): Promise<IncidentTemplate> {
  const { accountId } = caller;
  const at = context.clock.now();
  return inTransaction(context.db, async (db) => {
    const before = await lockTemplate(db, accountId, change.id);
    if (before === null) throw notFound();
    assertMatch(change.ifMatch, tagTemplate(before));
    await assertSound(db, accountId, change.input);
    const after = { ...before, ...change.input, updatedAt: at };
    if (!(await saveTemplate(db, accountId, after))) throw nameTaken(after.name);
    const changes = { name: after.name, before: before.name };
    const note = { action: "incident-template.updated", targetId: after.id, changes, at };
    await writeAuditEntry(db, caller, note);
    return after;
  });
}

async function removeTemplate(
  context: IncidentsContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const template = await lockTemplate(db, caller.accountId, id);
    if (template === null) throw notFound();
    await deleteTemplate(db, caller.accountId, template.id);
    const changes = { name: template.name };
    const note = { action: "incident-template.deleted", targetId: template.id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}

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
        answerHeaders: ["ETag"],
        response: answers({ 201: TemplateSchema }, "conflict"),
      },
    },
    async ({ caller, headers, body }, reply) => {
      const create = { input: fromWireTemplate(body), idempotencyKey: headers["idempotency-key"] };
      const template = await createTemplate(context, caller, create);
      const answer = toWireTemplate(template);
      return reply.code(201).send(sendTagged(reply, tagTemplate(template), answer));
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
        answerHeaders: ["ETag"],
        response: answers({ 200: TemplateSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const template = await getTemplate(context, caller, params.templateId);
      return sendTagged(reply, tagTemplate(template), toWireTemplate(template));
    },
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
          "Omitted fields are set to their defaults. Incidents created from it are not changed. " +
          "With `If-Match`, a change made since then causes 412.",
        params: TemplateParams,
        headers: IfMatchHeaders,
        body: TemplateBody,
        answerHeaders: ["ETag"],
        response: answers({ 200: TemplateSchema }, "notFound", "conflict", "preconditionFailed"),
      },
    },
    async ({ caller, params, body, headers }, reply) => {
      const { templateId: id } = params;
      const change = { id, input: fromWireTemplate(body), ifMatch: headers["if-match"] };
      const template = await changeTemplate(context, caller, change);
      return sendTagged(reply, tagTemplate(template), toWireTemplate(template));
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
