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
import { toWireMoment, WindowParams } from "../schema.ts";
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
    description: "How many entries to show.",
    minimum: 1,
    maximum: 50,
    default: 10,
  }),
  page: Type.Integer({
    description: "Which page, from 1.",
    minimum: 1,
    maximum: 1_000_000,
    default: 1,
  }),
  from: Described(
    Type.Optional(DateTime),
    "Only those that end after this; by default now, so that those that are over are left out.",
  ),
  to: Described(
    Type.Optional(DateTime),
    "Only those that begin until then; by default 400 days after `from`.",
  ),
});

const Status = OneOf(occurrenceStatuses);
const Text = Filled({
  description: "What is said, in Markdown.",
  examples: ["The new router is in place; we are watching it."],
  maxLength: 2_000,
});

export const MoveBody = Type.Object(
  {
    startsAt: Described(Type.Optional(DateTime), "When it begins.", "2026-12-01T23:00:00.000Z"),
    endsAt: Described(Type.Optional(DateTime), "When it ends.", "2026-12-02T01:00:00.000Z"),
  },
  { title: "MaintenanceMove" },
);
export const UpdateBody = Type.Object(
  {
    status: Described(Status, "Its status from now on.", "IN_PROGRESS"),
    description: Text,
    notifySubscribers: Type.Boolean({
      description: "Whether subscribers of the status pages that show it are told.",
      default: false,
    }),
  },
  { title: "MaintenanceUpdateInput" },
);
export const UpdateEditBody = Type.Object(
  {
    status: Described(
      Type.Optional(Status),
      "The status that the update shows; that of the maintenance stays as it is.",
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
    status: Described(Status, "The status that it gave the maintenance."),
    description: Text,
    notifySubscribers: Type.Boolean({ description: "Whether subscribers were to be told." }),
    created_at: Described(DateTime, "When it was posted."),
    previousStatus: Described(OrNull(Status), "The status before; null: it did not change."),
    previousStartsAt: Described(OrNull(DateTime), "The start before; null: no time changed."),
    previousEndsAt: Described(OrNull(DateTime), "The end before; null: no time changed."),
    dateAdjustments: Described(
      OrNull(
        Type.Object({
          startsAt: Described(DateTime, "The start after it."),
          endsAt: Described(DateTime, "The end after it."),
        }),
      ),
      "The times after it; null: no time changed.",
    ),
  },
  { title: "MaintenanceUpdate" },
);

export const MaintenanceSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    maintenanceWindowId: Described(RowId, "The window's id."),
    startsAt: Described(DateTime, "When it begins."),
    endsAt: Described(DateTime, "When it ends, or should have ended."),
    status: Described(Status, "How far it is."),
    isMoved: Type.Boolean({ description: "Whether its times differ from the window's rule." }),
    created_at: Described(DateTime, "When the window was created."),
    updated_at: Described(DateTime, "When the window or one of its occurrences was last changed."),
    updates: Type.Array(UpdateSchema, { description: "What was said of it, newest first." }),
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
    startsAt: toWireMoment(maintenance.startsAtMs),
    endsAt: toWireMoment(maintenance.endsAtMs),
    status: maintenance.status,
    isMoved: maintenance.isMoved,
    created_at: formatDateTime(maintenance.createdAt),
    updated_at: formatDateTime(maintenance.updatedAt),
    updates: maintenance.updates.map((update) => toWireUpdate(update, maintenance)),
  };
}
