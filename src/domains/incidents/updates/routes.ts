import { Type } from "typebox";
import { answers, Described, Guid, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { IdempotencyHeaders } from "../../accounts/index.ts";
import type { IncidentsContext } from "../context.ts";
import {
  fromWireUpdate,
  IncidentParams,
  toWireUpdate,
  UpdateBody,
  UpdatePost,
  UpdateSchema,
} from "../schema.ts";
import {
  editUpdate,
  getUpdate,
  listOwnUpdates,
  postUpdate,
  removeUpdate,
  type UpdateEdit,
} from "./actions.ts";

const tags = ["Incidents"];
const path = "/v1/status-pages/incidents/:incidentId/incident-updates";

const UpdateParams = Type.Object({
  incidentId: Described(Guid, "The incident's id."),
  incidentUpdateId: Described(Guid, "The update's id."),
});
const UpdateList = Type.Array(UpdateSchema);

/** `notifySubscribers` cannot be changed by an edit. */
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
