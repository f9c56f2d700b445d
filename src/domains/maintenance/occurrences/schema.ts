import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  DateTime,
  Described,
  Filled,
  Guid,
  OneOf,
  OrNull,
  RowId,
} from "../../../platform/http/schema.ts";
import { occurrenceStatuses } from "../maintenance-window.ts";
import { toWireTime, WindowParams } from "../schema.ts";
import type { Maintenance } from "./actions.ts";
import type { OccurrenceUpdate } from "./update-store.ts";

export const MaintenanceParams = Type.Object({
  ...WindowParams.properties,
  maintenanceId: Described(Guid, "The occurrence's id."),
});
export const UpdateParams = Type.Object({
  ...MaintenanceParams.properties,
  updateId: Described(Guid, "The update's id."),
});
export const MaintenanceQuery = Type.Object({
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

export const MoveBody = Type.Object(
  {
    startsAt: Described(Type.Optional(DateTime), "New start.", "2026-12-01T23:00:00.000Z"),
    endsAt: Described(Type.Optional(DateTime), "New end.", "2026-12-02T01:00:00.000Z"),
  },
  { title: "MaintenanceMove" },
);
export const UpdateBody = Type.Object(
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
export const UpdateEditBody = Type.Object(
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

export const UpdateSchema = Type.Object(
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

export const MaintenanceSchema = Type.Object(
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
export const MaintenanceList = Type.Array(MaintenanceSchema);

interface UpdatePlace {
  readonly windowId: number;
  readonly id: string;
}

export function toWireUpdate(update: OccurrenceUpdate, place: UpdatePlace) {
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

export function toWireMaintenance(maintenance: Maintenance) {
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
