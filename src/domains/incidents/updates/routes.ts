import { answers, Nothing } from "../../../platform/http/schema.ts";
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
import { editUpdate, getUpdate, listOwnUpdates, postUpdate, removeUpdate } from "./actions.ts";
import { fromWireEdit, UpdateList, UpdateParams } from "./schema.ts";

const tags = ["Incidents"];
const path = "/v1/status-pages/incidents/:incidentId/incident-updates";

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
        summary: "Post an update, in words of your own or of a template",
        description:
          "Without a `status` it keeps the one before. With `RESOLVED` the incident " +
          "ends; another status opens it again.",
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
        summary: "Read one update of an incident",
        description: "As it is shown to the public.",
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
        summary: "Edit an update; subscribers are not told of it",
        description: "Changes its words, status and date.",
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
        summary: "Delete an update that is not the incident's only one",
        description: "Undoes what followed from it, such as the end of the incident.",
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
