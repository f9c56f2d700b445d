import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  DateTime,
  Described,
  Filled,
  Guid,
  Nothing,
  OneOf,
  OrNull,
  parseBounds,
  RowId,
  sendTotal,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { occurrenceStatuses } from "../maintenance-window.ts";
import type { OccurrenceUpdate } from "../occurrence.ts";
import type { MaintenanceContext } from "../planned-window.ts";
import { toWireTime, WindowParams } from "../schema.ts";
import {
  editUpdate,
  getMaintenance,
  listMaintenances,
  type Maintenance,
  moveMaintenance,
  postUpdate,
  removeMaintenance,
  removeUpdate,
} from "./actions.ts";

const tags = ["Maintenance windows"];
const list = "/v1/maintenance-windows/:id/maintenances";
const one = `${list}/:maintenanceId`;
const updates = `${one}/updates`;

interface WirePlace {
  readonly id: number;
  readonly maintenanceId: string;
}

const toPlace = ({ id, maintenanceId }: WirePlace) => ({ windowId: id, maintenanceId });
/** Parses a time in a request; `null` if it is missing, so that the time does not change. */
const toMs = (text: string | undefined) => (text === undefined ? null : Date.parse(text));

export function addOccurrenceRoutes(server: HttpServer, context: MaintenanceContext): void {
  addMaintenanceRoutes(server, context);
  addUpdateRoutes(server, context);
}

const MaintenanceParams = Type.Object({
  ...WindowParams.properties,
  maintenanceId: Described(Guid, "The occurrence's id."),
});
const UpdateParams = Type.Object({
  ...MaintenanceParams.properties,
  updateId: Described(Guid, "The update's id."),
});
const MaintenanceQuery = Type.Object({
  limit: Type.Integer({
    description: "Maximum number of entries to return.",
    minimum: 1,
    maximum: 50,
    default: 10,
  }),
  page: Type.Integer({
    description: "Page number, from 1.",
    minimum: 1,
    maximum: 1_000_000,
    default: 1,
  }),
  from: Described(
    Type.Optional(DateTime),
    "Only occurrences that end after this time. Default: now.",
  ),
  to: Described(
    Type.Optional(DateTime),
    "Only occurrences that start until this time. Default: 400 days after `from`.",
  ),
});

const Status = OneOf(occurrenceStatuses);
const Text = Filled({
  description: "Text of the update, in Markdown.",
  examples: ["The new router is in place; we are monitoring it."],
  maxLength: 2_000,
});

const MoveBody = Type.Object(
  {
    startsAt: Described(Type.Optional(DateTime), "New start.", "2026-12-01T23:00:00.000Z"),
    endsAt: Described(Type.Optional(DateTime), "New end.", "2026-12-02T01:00:00.000Z"),
  },
  { title: "MaintenanceMove" },
);
const UpdateBody = Type.Object(
  {
    status: Described(Status, "Status from now on.", "IN_PROGRESS"),
    description: Text,
    notifySubscribers: Type.Boolean({
      description: "Whether to notify subscribers of the status pages that show it.",
      default: false,
    }),
  },
  { title: "MaintenanceUpdateInput" },
);
const UpdateEditBody = Type.Object(
  {
    status: Described(
      Type.Optional(Status),
      "Status shown with the update; the status of the occurrence is not changed.",
      "IN_PROGRESS",
    ),
    description: Text,
  },
  { title: "MaintenanceUpdateEdit" },
);

const UpdateSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    maintenanceWindowId: Described(RowId, "The window's id."),
    maintenanceId: Described(Guid, "The occurrence's id."),
    status: Described(Status, "Status set by the update."),
    description: Text,
    notifySubscribers: Type.Boolean({ description: "Whether subscribers were notified." }),
    created_at: Described(DateTime, "Time of posting."),
    previousStatus: Described(OrNull(Status), "Previous status; `null` if unchanged."),
    previousStartsAt: Described(OrNull(DateTime), "Previous start; `null` if unchanged."),
    previousEndsAt: Described(OrNull(DateTime), "Previous end; `null` if unchanged."),
    dateAdjustments: Described(
      OrNull(
        Type.Object({
          startsAt: Described(DateTime, "New start."),
          endsAt: Described(DateTime, "New end."),
        }),
      ),
      "New times; `null` if unchanged.",
    ),
  },
  { title: "MaintenanceUpdate" },
);

const MaintenanceSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    maintenanceWindowId: Described(RowId, "The window's id."),
    startsAt: Described(DateTime, "Start of the occurrence."),
    endsAt: Described(DateTime, "Actual or planned end."),
    status: Described(Status, "Status of the occurrence."),
    isMoved: Type.Boolean({ description: "Whether its times differ from the window's schedule." }),
    created_at: Described(DateTime, "Creation time of the window."),
    updated_at: Described(
      DateTime,
      "Time of the last change of the window or of one of its occurrences.",
    ),
    updates: Type.Array(UpdateSchema, { description: "Updates about it, newest first." }),
  },
  { title: "Maintenance" },
);
const MaintenanceList = Type.Array(MaintenanceSchema);

interface UpdatePlace {
  readonly windowId: number;
  readonly id: string;
}

function toWireUpdate(update: OccurrenceUpdate, place: UpdatePlace) {
  const { startsAt, endsAt, previousStartsAt, previousEndsAt } = update;
  return {
    id: update.id,
    maintenanceWindowId: place.windowId,
    maintenanceId: place.id,
    status: update.status,
    description: update.description,
    notifySubscribers: update.notifySubscribers,
    created_at: formatDateTime(update.createdAt),
    previousStatus: update.previousStatus,
    previousStartsAt: previousStartsAt && formatDateTime(previousStartsAt),
    previousEndsAt: previousEndsAt && formatDateTime(previousEndsAt),
    dateAdjustments:
      startsAt && endsAt
        ? { startsAt: formatDateTime(startsAt), endsAt: formatDateTime(endsAt) }
        : null,
  };
}

function toWireMaintenance(maintenance: Maintenance) {
  return {
    id: maintenance.id,
    maintenanceWindowId: maintenance.windowId,
    startsAt: toWireTime(maintenance.startsAtMs),
    endsAt: toWireTime(maintenance.endsAtMs),
    status: maintenance.status,
    isMoved: maintenance.isMoved,
    created_at: formatDateTime(maintenance.createdAt),
    updated_at: formatDateTime(maintenance.updatedAt),
    updates: maintenance.updates.map((update) => toWireUpdate(update, maintenance)),
  };
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
