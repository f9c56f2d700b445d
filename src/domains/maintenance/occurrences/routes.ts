import { parseBounds } from "../../../platform/http/parse-moment.ts";
import { answers, Nothing, sendTotal } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { MaintenanceContext } from "../context.ts";
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
/** Null: it stays as it is. */
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
          "In the order they start, with what was said of each. In pages of `limit`; the total " +
          "is in `Content-Range`.",
        params: WindowParams,
        querystring: MaintenanceQuery,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: MaintenanceList }, "notFound"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const asked = { ...parseBounds(query), windowId: params.id };
      const { maintenances, total } = await listMaintenances(context, caller, asked);
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
        summary: "Read one occurrence of a maintenance window",
        description: "With what was said of it.",
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
        summary: "Move one occurrence of a maintenance window",
        description:
          "The others stay where they are. It silences alerts at its new time. 409 when it is " +
          "over or cancelled.",
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
        summary: "Delete one occurrence of a maintenance window",
        description:
          "The others stay. It silences nothing and is shown nowhere; to tell readers of a " +
          "page that it is off, post an update with `CANCELLED` instead.",
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
        summary: "Say how far one occurrence of a maintenance window is",
        description:
          "`IN_PROGRESS` begins it now, `COMPLETED` ends it now, and `CANCELLED` calls it off " +
          "before it begins: its times, and with them the silence of alerts, change accordingly. " +
          "409 when its status cannot follow the one it has.",
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
        summary: "Edit what was said of one occurrence",
        description: "Nobody is told again, and the maintenance itself stays as it is.",
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
        summary: "Delete what was said of one occurrence",
        description: "The maintenance itself stays as it is.",
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
