import { answers, Nothing, parseBounds, sendTotal } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { MaintenanceContext } from "../planned-window.ts";
import { WindowParams } from "../schema.ts";
import {
  editUpdate,
  getMaintenance,
  listMaintenances,
  moveMaintenance,
  postUpdate,
  removeMaintenance,
  removeUpdate,
} from "./actions.ts";
import {
  MaintenanceList,
  MaintenanceParams,
  MaintenanceQuery,
  MaintenanceSchema,
  MoveBody,
  toWireMaintenance,
  toWireUpdate,
  UpdateBody,
  UpdateEditBody,
  UpdateParams,
  UpdateSchema,
} from "./schema.ts";

const tags = ["Maintenance windows"];
const list = "/v1/maintenance-windows/:id/maintenances";
const one = `${list}/:maintenanceId`;
const updates = `${one}/updates`;

interface WirePlace {
  readonly id: number;
  readonly maintenanceId: string;
}

const toPlace = ({ id, maintenanceId }: WirePlace) => ({ windowId: id, maintenanceId });
/** `null` keeps the current value. */
const toMs = (text: string | undefined) => (text === undefined ? null : Date.parse(text));

export function addOccurrenceRoutes(server: HttpServer, context: MaintenanceContext): void {
  addMaintenanceRoutes(server, context);
  addUpdateRoutes(server, context);
}

function addMaintenanceRoutes(server: HttpServer, context: MaintenanceContext): void {
  server.get(
    list,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listMaintenances",
        summary: "List the occurrences of a maintenance window",
        description:
          "Ordered by start, each with its updates. Paginated by `limit` and `page`; the total " +
          "is in `Content-Range`.",
        params: WindowParams,
        querystring: MaintenanceQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: MaintenanceList }, "notFound"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const listQuery = { ...parseBounds(query), windowId: params.id };
      const { maintenances, total } = await listMaintenances(context, caller, listQuery);
      sendTotal(reply, query, total);
      return maintenances.map(toWireMaintenance);
    },
  );
  server.get(
    one,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getMaintenance",
        summary: "Get an occurrence of a maintenance window",
        description: "Includes its updates.",
        params: MaintenanceParams,
        response: answers({ 200: MaintenanceSchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireMaintenance(await getMaintenance(context, caller, toPlace(params))),
  );
  server.patch(
    one,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "moveMaintenance",
        summary: "Move an occurrence of a maintenance window",
        description:
          "The other occurrences are not changed. It silences alerts at its new time. 409 if it " +
          "is completed or cancelled.",
        params: MaintenanceParams,
        body: MoveBody,
        response: answers({ 200: MaintenanceSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }) => {
      const times = { startsAtMs: toMs(body.startsAt), endsAtMs: toMs(body.endsAt) };
      const moved = await moveMaintenance(context, caller, { ...toPlace(params), ...times });
      return toWireMaintenance(moved);
    },
  );
  server.delete(
    one,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteMaintenance",
        summary: "Delete an occurrence of a maintenance window",
        description:
          "The other occurrences are not changed. It silences nothing and is not shown. To show " +
          "readers of a status page that it is cancelled, post an update with `CANCELLED` " +
          "instead.",
        params: MaintenanceParams,
        response: answers({ 204: Nothing }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeMaintenance(context, caller, toPlace(params));
      return reply.code(204).send(null);
    },
  );
}

function addUpdateRoutes(server: HttpServer, context: MaintenanceContext): void {
  server.post(
    updates,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "postMaintenanceUpdate",
        summary: "Post an update about an occurrence",
        description:
          "`IN_PROGRESS` starts it now, `COMPLETED` ends it now, and `CANCELLED` cancels it " +
          "before it starts. Its times, and the period in which alerts are silenced, change " +
          "accordingly. 409 if the status is not a valid next status.",
        params: MaintenanceParams,
        body: UpdateBody,
        response: answers({ 201: UpdateSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body }, reply) => {
      const { status, description, notifySubscribers } = body;
      const input = { ...toPlace(params), status, description, notifySubscribers };
      const update = await postUpdate(context, caller, input);
      const place = { windowId: params.id, id: params.maintenanceId };
      return reply.code(201).send(toWireUpdate(update, place));
    },
  );
  server.put(
    `${updates}/:updateId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "editMaintenanceUpdate",
        summary: "Edit an update about an occurrence",
        description:
          "Subscribers are not notified again, and the occurrence itself is not changed.",
        params: UpdateParams,
        body: UpdateEditBody,
        response: answers({ 200: UpdateSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const { status = null, description } = body;
      const { updateId } = params;
      const edit = { ...toPlace(params), updateId, status, description };
      const update = await editUpdate(context, caller, edit);
      return toWireUpdate(update, { windowId: params.id, id: params.maintenanceId });
    },
  );
  server.delete(
    `${updates}/:updateId`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteMaintenanceUpdate",
        summary: "Delete an update about an occurrence",
        description: "The occurrence itself is not changed.",
        params: UpdateParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeUpdate(context, caller, { ...toPlace(params), updateId: params.updateId });
      return reply.code(204).send(null);
    },
  );
}
