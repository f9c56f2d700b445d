import { IdempotencyHeaders } from "../../access/accounts/index.ts";
import { answers, Nothing, toCursorPage } from "../../platform/http/schema.ts";
import { IfMatchHeaders, sendTagged } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  changeIncident,
  createIncident,
  getIncident,
  listOwnIncidents,
  removeIncident,
} from "./actions.ts";
import { addDraftRoutes } from "./drafts.ts";
import type { IncidentsContext } from "./incident.ts";
import { addNoteRoutes } from "./notes.ts";
import { addPostMortemRoutes } from "./post-mortem.ts";
import {
  fromWireChange,
  fromWireIncident,
  IncidentBody,
  IncidentPage,
  IncidentParams,
  IncidentPatch,
  IncidentPut,
  IncidentQuery,
  IncidentSchema,
  tagIncident,
  toWireIncident,
} from "./schema.ts";
import { addStatisticsRoutes } from "./statistics.ts";
import { addTemplateRoutes } from "./templates/templates.ts";
import { addUpdateRoutes } from "./updates/updates.ts";

const tags = ["Incidents"];
const path = "/v1/status-pages/incidents";

export function addIncidentRoutes(server: HttpServer, context: IncidentsContext): void {
  addUpdateRoutes(server, context);
  addNoteRoutes(server, context);
  addPostMortemRoutes(server, context);
  addStatisticsRoutes(server, context);
  addTemplateRoutes(server, context);
  addDraftRoutes(server, context);
  server.post(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createIncident",
        summary: "Create an incident",
        description:
          "It appears on every status page that shows one of its services. Without `templateId` " +
          "it needs a name, a severity, services and at least one update.",
        headers: IdempotencyHeaders,
        body: IncidentBody,
        answerHeaders: ["ETag"],
        response: answers({ 201: IncidentSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, headers, body }, reply) => {
      const idempotencyKey = headers["idempotency-key"];
      const create = { request: fromWireIncident(body), body, idempotencyKey };
      const incident = await createIncident(context, caller, create);
      return reply
        .code(201)
        .send(sendTagged(reply, tagIncident(incident), toWireIncident(incident)));
    },
  );
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listIncidents",
        summary: "List incidents, newest first",
        description:
          "Each with its newest 20 updates. Paginated: pass `nextId` of the response to fetch " +
          "the next page.",
        querystring: IncidentQuery,
        response: answers({ 200: IncidentPage }),
      },
    },
    async ({ caller, query }) => {
      const pageQuery = { ...query, limit: query.limit + 1 };
      const incidents = await listOwnIncidents(context, caller, pageQuery);
      return toCursorPage(incidents.map(toWireIncident), query.limit);
    },
  );
  server.get(
    `${path}/:incidentId`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getIncident",
        summary: "Get an incident with all its updates",
        description: "The response has an `ETag`, which a change can send as `If-Match`.",
        params: IncidentParams,
        answerHeaders: ["ETag"],
        response: answers({ 200: IncidentSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const incident = await getIncident(context, caller, params.incidentId);
      return sendTagged(reply, tagIncident(incident), toWireIncident(incident));
    },
  );
  server.put(
    `${path}/:incidentId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "replaceIncident",
        summary: "Replace an incident's name, severity and services",
        description: "The updates are kept. With `If-Match`, a change made since then causes 412.",
        headers: IfMatchHeaders,
        params: IncidentParams,
        body: IncidentPut,
        answerHeaders: ["ETag"],
        response: answers({ 200: IncidentSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, headers, params, body }, reply) => {
      const place = { id: params.incidentId, ifMatch: headers["if-match"] };
      const change = { ...place, ...fromWireChange(body) };
      const incident = await changeIncident(context, caller, change);
      return sendTagged(reply, tagIncident(incident), toWireIncident(incident));
    },
  );
  server.patch(
    `${path}/:incidentId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateIncident",
        summary: "Change an incident's name, severity or services",
        description:
          "Omitted fields and the updates are kept. With `If-Match`, a change made since then " +
          "causes 412.",
        headers: IfMatchHeaders,
        params: IncidentParams,
        body: IncidentPatch,
        answerHeaders: ["ETag"],
        response: answers({ 200: IncidentSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, headers, params, body }, reply) => {
      const place = { id: params.incidentId, ifMatch: headers["if-match"] };
      const change = { ...place, ...fromWireChange(body) };
      const incident = await changeIncident(context, caller, change);
      return sendTagged(reply, tagIncident(incident), toWireIncident(incident));
    },
  );
  server.delete(
    `${path}/:incidentId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteIncident",
        summary: "Delete an incident and its updates",
        description: "Subscribers are not notified.",
        params: IncidentParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeIncident(context, caller, params.incidentId);
      return reply.code(204).send(null);
    },
  );
}
