import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import {
  type Caller,
  createOnce,
  IdempotencyHeaders,
  writeAuditEntry,
} from "../../../access/accounts/index.ts";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { answers, Described, Guid, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { getTemplateFor, saveCourse, writeUpdate } from "../actions.ts";
import {
  findDateFault,
  findStatusAt,
  type IncidentRecord,
  type IncidentStatus,
  type IncidentsContext,
  type IncidentUpdate,
  maxUpdates,
} from "../incident.ts";
import {
  fromWireUpdate,
  IncidentParams,
  toWireUpdate,
  UpdateBody,
  UpdatePost,
  UpdateSchema,
} from "../schema.ts";
import {
  deleteUpdate,
  findRecord,
  findUpdate,
  listStatusChanges,
  lockRecord,
  mapServices,
  mapUpdates,
  saveUpdate,
} from "../store.ts";
import { fillUpdate, type UpdateRequest } from "../templates/incident-template.ts";

/** Identifies an update within its incident. */
interface Place {
  readonly incidentId: string;
  readonly id: string;
}

async function getLocked(db: Database, accountId: string, id: string): Promise<IncidentRecord> {
  const record = await lockRecord(db, accountId, id);
  if (record === null) throw notFound();
  return record;
}

async function getOne(db: Database, accountId: string, place: Place): Promise<IncidentUpdate> {
  const update = await findUpdate(db, accountId, place);
  if (update === null) throw notFound();
  return update;
}

function getUpdate(
  context: Pick<IncidentsContext, "db">,
  caller: Pick<Caller, "accountId">,
  place: Place,
): Promise<IncidentUpdate> {
  return getOne(context.db, caller.accountId, place);
}

/** Lists the newest 100 updates of an incident, newest first. */
async function listOwnUpdates(
  context: Pick<IncidentsContext, "db">,
  caller: Pick<Caller, "accountId">,
  incidentId: string,
): Promise<readonly IncidentUpdate[]> {
  const record = await findRecord(context.db, caller.accountId, incidentId);
  if (record === null) throw notFound();
  const query = { incidentIds: [record.id], limit: 100 };
  return (await mapUpdates(context.db, caller.accountId, query)).get(record.id) ?? [];
}

interface PostUpdate {
  readonly incidentId: string;
  readonly request: UpdateRequest;
  /** Whole request body. A request that repeats an idempotency key must have an equal body. */
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
}

/**
 * Adds an update. If the incident is automatic, the person who adds the update takes the incident
 * over.
 */
async function addUpdate(
  db: Database,
  caller: Caller,
  post: PostUpdate & { readonly id: string; readonly at: Date },
): Promise<void> {
  const { request, id, at } = post;
  const incident = await getLocked(db, caller.accountId, post.incidentId);
  const statusChanges = await listStatusChanges(db, caller.accountId, incident.id);
  if (statusChanges.length >= maxUpdates)
    throw conflict(`an incident has at most ${maxUpdates} updates`);
  const template = await getTemplateFor(db, caller.accountId, request.templateId);
  const services = (await mapServices(db, caller.accountId, [incident.id])).get(incident.id) ?? [];
  const { severity } = incident;
  const input = fillUpdate(request, { template, severity, services, now: at }, (time) =>
    findStatusAt(statusChanges, time),
  );
  await writeUpdate(db, incident, { id, input, author: caller.label, services, at });
  await saveCourse(db, incident, { at, isTakenOver: "yes" });
  const changes = { incidentId: incident.id, status: input.status };
  const note = { action: "incident-update.created", targetId: id, changes, at };
  await writeAuditEntry(db, caller, note);
}

export async function postUpdate(
  context: IncidentsContext,
  caller: Caller,
  post: PostUpdate,
): Promise<IncidentUpdate> {
  const at = context.clock.now();
  const id = randomUUIDv7();
  const { incidentId } = post;
  return inTransaction(context.db, async (db) => {
    const once = {
      key: post.idempotencyKey,
      operation: "incident-update.created",
      body: { incidentId, body: post.body },
      targetId: id,
      at,
    };
    const { targetId } = await createOnce(db, caller, once, () =>
      addUpdate(db, caller, { ...post, id, at }),
    );
    const update = await findUpdate(db, caller.accountId, { incidentId, id: targetId });
    if (update === null)
      throw conflict("the object created with this Idempotency-Key has been deleted");
    return update;
  });
}

interface UpdateEdit {
  readonly description: string;
  readonly status: IncidentStatus | undefined;
  readonly publicAt: Date | undefined;
}

/** Edits an update. Subscribers are not notified. */
async function editUpdate(
  context: IncidentsContext,
  caller: Caller,
  change: Place & { readonly edit: UpdateEdit },
): Promise<IncidentUpdate> {
  const at = context.clock.now();
  const { description, status, publicAt } = change.edit;
  const fault = publicAt && findDateFault(publicAt, at);
  if (fault) throw invalid("publicIncidentUpdateDate", fault);
  return inTransaction(context.db, async (db) => {
    const incident = await getLocked(db, caller.accountId, change.incidentId);
    const before = await getOne(db, caller.accountId, change);
    const after = {
      ...before,
      description,
      status: status ?? before.status,
      publicAt: publicAt ?? before.publicAt,
      updatedAt: at,
    };
    await saveUpdate(db, caller.accountId, after);
    await saveCourse(db, incident, { at, isTakenOver: "if-opened-again" });
    const changes = { incidentId: incident.id, status: after.status };
    const note = { action: "incident-update.updated", targetId: after.id, changes, at };
    await writeAuditEntry(db, caller, note);
    return after;
  });
}

async function removeUpdate(
  context: IncidentsContext,
  caller: Caller,
  place: Place,
): Promise<void> {
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    const incident = await getLocked(db, caller.accountId, place.incidentId);
    const update = await getOne(db, caller.accountId, place);
    const statusChanges = await listStatusChanges(db, caller.accountId, incident.id);
    if (statusChanges.length === 1) {
      throw conflict("this is the incident's only update; delete the incident instead");
    }
    await deleteUpdate(db, caller.accountId, update.id);
    await saveCourse(db, incident, { at, isTakenOver: "if-opened-again" });
    const changes = { incidentId: incident.id, status: update.status };
    const note = { action: "incident-update.deleted", targetId: update.id, changes, at };
    await writeAuditEntry(db, caller, note);
  });
}

const tags = ["Incidents"];
const path = "/v1/status-pages/incidents/:incidentId/incident-updates";

const UpdateParams = Type.Object({
  incidentId: Described(Guid, "The incident's id."),
  incidentUpdateId: Described(Guid, "The update's id."),
});
const UpdateList = Type.Array(UpdateSchema);

/** Converts the body of an edit. An edit cannot change `notifySubscribers`. */
function fromWireEdit(body: UpdateBody): UpdateEdit {
  const { description, status, publicIncidentUpdateDate: date } = body;
  return { description, status, publicAt: date === undefined ? undefined : new Date(date) };
}

export function addUpdateRoutes(server: HttpServer, context: IncidentsContext): void {
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listIncidentUpdates",
        summary: "List the newest 100 updates of an incident, newest first",
        description: "Ordered by `publicIncidentUpdateDate`.",
        params: IncidentParams,
        response: answers({ 200: UpdateList }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      (await listOwnUpdates(context, caller, params.incidentId)).map(toWireUpdate),
  );
  server.post(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createIncidentUpdate",
        summary: "Post an update",
        description:
          "The text comes from the request or from a template. Without `status`, the status " +
          "stays. `RESOLVED` ends the incident; any other status reopens it.",
        headers: IdempotencyHeaders,
        params: IncidentParams,
        body: UpdatePost,
        response: answers({ 201: UpdateSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, headers, params, body }, reply) => {
      const post = {
        incidentId: params.incidentId,
        request: fromWireUpdate(body),
        body,
        idempotencyKey: headers["idempotency-key"],
      };
      return reply.code(201).send(toWireUpdate(await postUpdate(context, caller, post)));
    },
  );
  server.get(
    `${path}/:incidentUpdateId`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getIncidentUpdate",
        summary: "Get an update of an incident",
        description: "The text is Markdown, as written.",
        params: UpdateParams,
        response: answers({ 200: UpdateSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const place = { incidentId: params.incidentId, id: params.incidentUpdateId };
      return toWireUpdate(await getUpdate(context, caller, place));
    },
  );
  server.put(
    `${path}/:incidentUpdateId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateIncidentUpdate",
        summary: "Edit an update",
        description: "Changes its text, status and date. Subscribers are not notified.",
        params: UpdateParams,
        body: UpdateBody,
        response: answers({ 200: UpdateSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const place = { incidentId: params.incidentId, id: params.incidentUpdateId };
      const change = { ...place, edit: fromWireEdit(body) };
      return toWireUpdate(await editUpdate(context, caller, change));
    },
  );
  server.delete(
    `${path}/:incidentUpdateId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteIncidentUpdate",
        summary: "Delete an update",
        description:
          "Its effects are undone, such as the resolution of the incident. The only update of an " +
          "incident cannot be deleted.",
        params: UpdateParams,
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      const place = { incidentId: params.incidentId, id: params.incidentUpdateId };
      await removeUpdate(context, caller, place);
      return reply.code(204).send(null);
    },
  );
}
