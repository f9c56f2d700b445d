import { IfMatchHeaders, sendTagged } from "../../platform/http/entity-tag.ts";
import { answers, Nothing, toCursorPage } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { IdempotencyHeaders } from "../accounts/index.ts";
import {
  changeIncident,
  createIncident,
  getIncident,
  listOwnIncidents,
  removeIncident,
} from "./actions.ts";
import type { IncidentsContext } from "./context.ts";
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
  toWireIncident,
} from "./schema.ts";
import { addStatisticsRoutes } from "./statistics/routes.ts";
import { addTemplateRoutes } from "./templates/routes.ts";
import { addUpdateRoutes } from "./updates/routes.ts";

const tags = ["Incidents"];
const path = "/v1/status-pages/incidents";

export function addIncidentRoutes(server: HttpServer, context: IncidentsContext): void {
  addUpdateRoutes(server, context);
  addStatisticsRoutes(server, context);
  addTemplateRoutes(server, context);
  server.post(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Create an incident, in words of your own or of a template",
        headers: IdempotencyHeaders,
        body: IncidentBody,
        response: answers({ 201: IncidentSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, headers, body }, reply) => {
      const idempotencyKey = headers["idempotency-key"];
      const create = { request: fromWireIncident(body), body, idempotencyKey };
      const incident = toWireIncident(await createIncident(context, caller, create));
      return reply.code(201).send(sendTagged(reply, incident));
    },
  );
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        summary: "List incidents, the newest first, with the newest 20 updates of each",
        querystring: IncidentQuery,
        response: answers({ 200: IncidentPage }),
      },
    },
    async ({ caller, query }) => {
      const wanted = { ...query, limit: query.limit + 1 };
      const incidents = await listOwnIncidents(context, caller, wanted);
      return toCursorPage(incidents.map(toWireIncident), query.limit);
    },
  );
  server.get(
    `${path}/:incidentId`,
    {
      config: { access: "read" },
      schema: {
        tags,
        summary: "Read one incident with all its updates",
        params: IncidentParams,
        response: answers({ 200: IncidentSchema }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      const incident = await getIncident(context, caller, params.incidentId);
      return sendTagged(reply, toWireIncident(incident));
    },
  );
  server.put(
    `${path}/:incidentId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Replace an incident's name, severity and services",
        headers: IfMatchHeaders,
        params: IncidentParams,
        body: IncidentPut,
        response: answers({ 200: IncidentSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, headers, params, body }, reply) => {
      const place = { id: params.incidentId, ifMatch: headers["if-match"] };
      const change = { ...place, ...fromWireChange(body) };
      return sendTagged(reply, toWireIncident(await changeIncident(context, caller, change)));
    },
  );
  server.patch(
    `${path}/:incidentId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Change some of an incident's name, severity and services",
        headers: IfMatchHeaders,
        params: IncidentParams,
        body: IncidentPatch,
        response: answers({ 200: IncidentSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, headers, params, body }, reply) => {
      const place = { id: params.incidentId, ifMatch: headers["if-match"] };
      const change = { ...place, ...fromWireChange(body) };
      return sendTagged(reply, toWireIncident(await changeIncident(context, caller, change)));
    },
  );
  server.delete(
    `${path}/:incidentId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        summary: "Delete an incident and its updates",
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
